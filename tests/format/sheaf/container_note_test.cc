#include "format/sheaf/container_note.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::container {
namespace {

ContainerNote note_of_streams(std::vector<Stream> streams) {
  ContainerNote note;
  note.streams = std::move(streams);
  return note;
}

std::shared_ptr<const std::vector<std::string>> names_of(std::vector<std::string> names) {
  return std::make_shared<const std::vector<std::string>>(std::move(names));
}

TEST(ContainerNote, StreamsOfEveryTypeRoundTrip) {
  using enum ElementType;
  std::vector<Stream> streams;
  for (const ElementType type : {u8, u16, i32, i64, f16, bf16, f32, f64}) {
    const std::string name(to_string(type));
    streams.push_back({.name = name, .element_type = type, .sample_shape = {2, -1, 3}});
    streams.push_back({.name = name + " sparse",
                       .element_type = type,
                       .sample_shape = {9},
                       .storage = Storage::sparse});
  }
  streams.push_back({.name = "bytes", .element_type = bytes, .sample_shape = {-1}});
  streams.push_back({.name = "scalar \" \xC3\xA4"});
  streams.push_back({.name = "deep", .sample_shape = {1, 2, 3, 4, 5, 6, 7, 8}});
  streams.push_back({.name = "wide",
                     .sample_shape = {std::int64_t{1} << 40},
                     .storage = Storage::sparse,
                     .index_type = i64});
  streams[3].defines_minibatch_size = true;
  const std::optional<ContainerNote> back = note_of(to_json(note_of_streams(streams)));
  ASSERT_TRUE(back);
  ASSERT_EQ(back->streams.size(), streams.size());
  for (std::size_t i = 0; i < streams.size(); ++i) EXPECT_EQ(back->streams[i], streams[i]);
  EXPECT_FALSE(back->has_text_keys);
}

TEST(ContainerNote, TheNameOfCostsIsContent) {
  ContainerNote note = note_of_streams({{.name = "a"}});
  EXPECT_EQ(note_of(to_json(note))->cost_name, "");
  const std::string without = content_of(note);
  for (const char* const name : {"pixels", "caf\xE9"}) {
    note.cost_name = name;
    const std::optional<ContainerNote> back = note_of(to_json(note));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->cost_name, name);
    EXPECT_NE(content_of(note), without);
  }
  std::string empty = to_json(note);
  empty.replace(empty.find(R"({"latin-1")"),
                empty.find('}', empty.find(R"({"latin-1")")) + 1 - empty.find(R"({"latin-1")"),
                R"("")");
  EXPECT_FALSE(note_of(empty)) << empty;
}

TEST(ContainerNote, ClassNamesOfAnyBytesRoundTrip) {
  const std::vector<std::vector<std::string>> lists = {
      {}, {"cat", "dog"}, {""}, {"caf\xE9", "\xFF", "caf\xC3\xA9", "a\nb"}};
  for (const std::vector<std::string>& names : lists) {
    ContainerNote note = note_of_streams({{.name = "a"}, {.name = "b"}});
    note.streams[1].class_names = names_of(names);
    const std::optional<ContainerNote> back = note_of(to_json(note));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->streams[0].class_names, nullptr);
    ASSERT_NE(back->streams[1].class_names, nullptr);
    EXPECT_EQ(*back->streams[1].class_names, names);
  }
}

TEST(ContainerNote, StorageRoundTrips) {
  ContainerNote note = note_of_streams({{.name = "a"}});
  note.has_text_keys = true;
  note.storage[{0, ArrayKind::key_text, Codec::zstd}] = {1, 2, 3};
  note.storage[{1, ArrayKind::values, Codec::raw}] = {4, 5, 6};
  note.storage[{1, ArrayKind::values, Codec::decimal}] = {7, 8, 9};
  const std::optional<ContainerNote> back = note_of(to_json(note));
  ASSERT_TRUE(back);
  EXPECT_TRUE(back->has_text_keys);
  ASSERT_EQ(back->storage.size(), 3U);
  const StoredSizes& sizes = back->storage.at({1, ArrayKind::values, Codec::decimal});
  EXPECT_EQ(sizes.array_count, 7);
  EXPECT_EQ(sizes.content_bytes, 8);
  EXPECT_EQ(sizes.stored_bytes, 9);
}

TEST(ContainerNote, TextKeysAreTheFirstColumn) {
  ContainerNote note = note_of_streams({{.name = "a"}, {.name = "b"}});
  EXPECT_EQ(note.column_count(), 2);
  EXPECT_EQ(note.stream_of(0)->name, "a");
  note.has_text_keys = true;
  EXPECT_EQ(note.column_count(), 3);
  EXPECT_EQ(note.first_stream(), 1);
  EXPECT_EQ(note.stream_of(0), nullptr);
  EXPECT_EQ(note.stream_of(2)->name, "b");
}

TEST(ContainerNote, TheContentDoesNotDependOnStorage) {
  ContainerNote note = note_of_streams({{.name = "a"}});
  const std::string content = content_of(note);
  note.storage[{0, ArrayKind::values, Codec::raw}] = {1, 2, 3};
  EXPECT_EQ(content_of(note), content);
  note.has_text_keys = true;
  EXPECT_NE(content_of(note), content);
  note = note_of_streams({{.name = "b"}});
  EXPECT_NE(content_of(note), content);
  note = note_of_streams({{.name = "a"}});
  note.streams[0].class_names = names_of({"cat"});
  EXPECT_NE(content_of(note), content);
}

TEST(ContainerNote, OtherTextsAreRefused) {
  for (const char* text :
       {"", "{", "[]", "null", "7", R"({"keys":"numbers"})", R"({"streams":[],"storage":[]})",
        R"({"keys":"numbers","streams":[],"storage":[]})",
        R"({"keys":"numbers","streams":7,"storage":[]})",
        R"({"keys":"numbers","streams":[7],"storage":[]})"}) {
    EXPECT_FALSE(note_of(text)) << text;
  }
}

// Returns whether a note of one stream with these fields and storage lines is valid.
bool is_note(const std::string& fields, const std::string& storage = "",
             const std::string& keys = "\"numbers\"") {
  return note_of("{\"keys\":" + keys + ",\"streams\":[{" + fields + "}],\"storage\":[" + storage +
                 "]}")
      .has_value();
}

bool has_shape(const std::string& shape) {
  return is_note(R"("name":"a","storage":"dense","type":"f32","shape":)" + shape);
}

TEST(ContainerNote, ImpossibleShapesAreRefused) {
  for (const char* shape : {"[]", "[1]", "[-1]", "[2,-1]", "[1,1,1,1,1,1,1,1]", "[1099511627776]",
                            "[1048576,1048576]"}) {
    EXPECT_TRUE(has_shape(shape)) << shape;
  }
  for (const char* shape :
       {"[0]", "[-2]", "[1.0]", "[true]", "[\"1\"]", "[null]", "2", "null", "{\"a\":2}",
        "[1,1,1,1,1,1,1,1,1]", "[1099511627777]", "[1048576,1048577]", "[9223372036854775808]",
        "[18446744073709551615]", "[4294967296,4294967296]"}) {
    EXPECT_FALSE(has_shape(shape)) << shape;
  }
}

TEST(ContainerNote, ImpossibleStreamsAreRefused) {
  const std::string dense = R"("name":"a","storage":"dense","type":"f32","shape":[2])";
  const std::string sparse = R"("name":"a","storage":"sparse","type":"f32",)";
  struct Case {
    std::string fields;
    bool is_possible = false;
  };
  const Case cases[] = {
      {dense, true},
      {dense + R"(,"defines_minibatch_size":true)", true},
      {dense + R"(,"defines_minibatch_size":1)"},
      {dense + R"(,"class_names":["x"])", true},
      {dense + R"(,"class_names":[{"latin-1":"x"}])", true},
      {dense + R"(,"class_names":"x")"},
      {dense + R"(,"class_names":[1])"},
      {dense + R"(,"class_names":[{"latin-2":"x"}])"},
      {dense + R"(,"class_names":null)"},
      {R"("storage":"dense","type":"f32","shape":[2])"},
      {R"("name":"","storage":"dense","type":"f32","shape":[2])"},
      {R"("name":7,"storage":"dense","type":"f32","shape":[2])"},
      {R"("name":"a","type":"f32","shape":[2])"},
      {R"("name":"a","storage":"raw","type":"f32","shape":[2])"},
      {R"("name":"a","storage":"dense","shape":[2])"},
      {R"("name":"a","storage":"dense","type":"float","shape":[2])"},
      {R"("name":"a","storage":"dense","type":"f32")"},
      {R"("name":"a","storage":"dense","type":"bytes","shape":[-1])", true},
      {R"("name":"a","storage":"dense","type":"bytes","shape":[2])"},
      {R"("name":"a","storage":"dense","type":"bytes","shape":[-1,2])"},
      {R"("name":"a","storage":"sparse","type":"bytes","index_type":"i32","shape":[9])"},
      {sparse + R"("index_type":"i32","shape":[9])", true},
      {sparse + R"("index_type":"i64","shape":[9])", true},
      {sparse + R"("index_type":"u8","shape":[9])"},
      {sparse + R"("index_type":"x","shape":[9])"},
      {sparse + R"("shape":[9])"},
      {sparse + R"("index_type":"i32","shape":[])"},
      {sparse + R"("index_type":"i32","shape":[3,3])"},
      {sparse + R"("index_type":"i32","shape":[-1])"},
      {sparse + R"("index_type":"i32","shape":[2147483648])", true},
      {sparse + R"("index_type":"i32","shape":[2147483649])"},
      {sparse + R"("index_type":"i64","shape":[2147483649])", true},
      {dense + "},{" + R"("name":"b","storage":"dense","type":"f32","shape":[])", true},
      {dense + "},{" + dense},  // a repeated name
      {dense + R"(,"defines_minibatch_size":true},{"name":"b","storage":"dense","type":"f32",)" +
       R"("shape":[],"defines_minibatch_size":true)"},
      {dense + R"(,"defines_minibatch_size":true},{"name":"b","storage":"dense","type":"f32",)" +
           R"("shape":[],"defines_minibatch_size":false)",
       true},
  };
  for (const Case& each : cases) EXPECT_EQ(is_note(each.fields), each.is_possible) << each.fields;
}

TEST(ContainerNote, KeysAreNumbersOrTexts) {
  const std::string stream = R"("name":"a","storage":"dense","type":"f32","shape":[])";
  EXPECT_TRUE(is_note(stream, "", "\"numbers\""));
  EXPECT_TRUE(is_note(stream, "", "\"texts\""));
  for (const char* keys : {"\"text\"", "\"\"", "1", "null", "true"}) {
    EXPECT_FALSE(is_note(stream, "", keys)) << keys;
  }
}

TEST(ContainerNote, StorageNamesColumnsArraysAndCodecs) {
  const auto has_storage = [](const std::string& column, const std::string& array,
                              const std::string& codec, const std::string& arrays = "1") {
    return is_note(R"("name":"a","storage":"dense","type":"f32","shape":[])",
                   "{\"column\":" + column + ",\"array\":\"" + array + "\",\"codec\":\"" + codec +
                       "\",\"arrays\":" + arrays + ",\"content_bytes\":2,\"stored_bytes\":3}");
  };
  EXPECT_TRUE(has_storage("0", "values", "raw"));
  EXPECT_TRUE(has_storage("0", "presence", "constant"));
  EXPECT_FALSE(has_storage("1", "values", "raw"));
  EXPECT_FALSE(has_storage("-1", "values", "raw"));
  EXPECT_FALSE(has_storage("\"0\"", "values", "raw"));
  EXPECT_FALSE(has_storage("0", "value", "raw"));
  EXPECT_FALSE(has_storage("0", "values", "gzip"));
  EXPECT_FALSE(has_storage("0", "values", "raw", "\"1\""));
  EXPECT_FALSE(is_note(R"("name":"a","storage":"dense","type":"f32","shape":[])", "7"));
  EXPECT_FALSE(is_note(R"("name":"a","storage":"dense","type":"f32","shape":[])", "{}"));
}

}  // namespace
}  // namespace sheaf::container
