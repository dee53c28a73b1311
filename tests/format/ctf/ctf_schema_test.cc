#include "format/ctf/ctf_schema.h"

#include <functional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf::ctf {
namespace {

FormatOptions good() {
  return {.streams = {
              {.name = "x", .sample_shape = Shape{3}},
              {.name = "y", .alias = "L", .storage = Storage::sparse, .sample_shape = Shape{10}}}};
}

TEST(CtfSchema, AcceptsValidOptions) {
  const Schema schema = make_schema(good());
  EXPECT_EQ(schema.streams.size(), 2U);
  EXPECT_EQ(schema.names.find("x"), 0);
  EXPECT_EQ(schema.names.find("L"), 1);
  EXPECT_EQ(schema.names.find("y"), StreamNames::kUnknown);
  EXPECT_EQ(schema.defining_stream, -1);
}

TEST(CtfSchema, RefusesInvalidOptionsByName) {
  struct Case {
    std::string_view part;  // a part of the message
    std::function<void(FormatOptions&)> spoil;
  };
  const Case cases[] = {
      {"a stream needs a name", [](FormatOptions& o) { o.streams[0].name = ""; }},
      {"stream \"x\": sample_shape (dim) is missing",
       [](FormatOptions& o) { o.streams[0].sample_shape.reset(); }},
      {"stream \"x\": ctf has samples of fixed shape only, got [*]",
       [](FormatOptions& o) { o.streams[0].sample_shape = Shape{Shape::kVariable}; }},
      {"stream \"x\": dtype: ctf reads numbers, got bytes",
       [](FormatOptions& o) { o.streams[0].dtype = ElementType::bytes; }},
      {"has more than 2^40 values",
       [](FormatOptions& o) {
         o.streams[0].sample_shape = Shape{1 << 30, 1 << 30, 1 << 30};
       }},
      {"stream \"y\": a sparse stream has one extent, got [2, 5]",
       [](FormatOptions& o) {
         o.streams[1].sample_shape = Shape{2, 5};
       }},
      {"stream \"y\": index_dtype: i32 or i64, got u8",
       [](FormatOptions& o) { o.streams[1].index_dtype = ElementType::u8; }},
      {"stream \"y\": dim 4294967296 needs index_dtype i64",
       [](FormatOptions& o) { o.streams[1].sample_shape = Shape{std::int64_t{1} << 32}; }},
      {"two have the name \"x\"", [](FormatOptions& o) { o.streams[1].name = "x"; }},
      {"\"x\" and \"y\" both read \"x\" of the file",
       [](FormatOptions& o) { o.streams[1].alias = "x"; }},
      {"no file can call a stream \"a b\"", [](FormatOptions& o) { o.streams[1].alias = "a b"; }},
      {"no file can call a stream \"#y\"", [](FormatOptions& o) { o.streams[1].alias = "#y"; }},
      {"no file can call a stream \"a|b\"", [](FormatOptions& o) { o.streams[1].alias = "a|b"; }},
      {"\"x\" and \"y\" both define the minibatch size",
       [](FormatOptions& o) {
         o.streams[0].defines_minibatch_size = o.streams[1].defines_minibatch_size = true;
       }},
      {"inference_size_bytes: at least 1", [](FormatOptions& o) { o.inference_size_bytes = -1; }},
      {"index.memory_limit_bytes must be at least 1",
       [](FormatOptions& o) { o.index.memory_limit_bytes = -1; }},
      {"keys: text needs the ids",
       [](FormatOptions& o) {
         o.keys = KeyType::text;
         o.skip_sequence_ids = true;
       }},
      {"chunk_size_bytes: at least 1, got 0", [](FormatOptions& o) { o.chunk_size_bytes = 0; }},
      {"read_size_bytes: 1 .. 1073741824, got -1",
       [](FormatOptions& o) { o.read_size_bytes = -1; }},
      {"ctf has no option \"qid\"", [](FormatOptions& o) { o.extra["qid"] = "1"; }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.part);
    FormatOptions options = good();
    c.spoil(options);
    try {
      check_options(options);
      (void)make_schema(options);
      ADD_FAILURE() << "not refused";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string_view(error.what()).find(c.part), std::string_view::npos)
          << error.what();
    }
  }
}

TEST(CtfBeginning, DistinguishesIdsFromLineNumbers) {
  struct Case {
    std::string text;
    KeyMode mode;
    std::int64_t offset;
  };
  const Case cases[] = {
      {"0 |A 1\n", KeyMode::ids, 0},
      {"|A 1\n", KeyMode::lines, 0},
      {"\n \t\n|# header\n0 |A 1\n", KeyMode::ids, 0},  // the first row with data decides
      {"|# header\n|A 1\n", KeyMode::lines, 0},
      {"\xEF\xBB\xBF 0 |A 1", KeyMode::ids, 3},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const auto source = memory_source(c.text, "text");
    const Beginning beginning = find_beginning(*source, {.read_size_bytes = 2});
    EXPECT_EQ(beginning.mode, c.mode);
    EXPECT_EQ(beginning.offset, c.offset);
  }
}

TEST(CtfBeginning, RefusesOtherFiles) {
  struct Case {
    std::string text;
    std::string_view message;
  };
  const Case cases[] = {
      {"", "text:1:1: error: expected at least one row with data, found an empty file [ctf-empty]"},
      {"\xEF\xBB\xBF",
       "text:1:1: error: expected at least one row with data, found only blanks and "
       "comments [ctf-empty]"},
      {" \n|# c\n",
       "text:1:1: error: expected at least one row with data, found only blanks and "
       "comments [ctf-empty]"},
      {std::string("\xFF\xFE|\0A", 5),
       "text:1:1: error: expected UTF-8 or plain bytes, found a UTF-16 byte order mark "
       "[ctf-utf16]\n"
       "  convert the file: iconv -f UTF-16 -t UTF-8"},
      {"\n -1 |A 1\n",
       "text:2:2: error: expected a sequence id, or \"|\" to read each row as a sequence of its "
       "own, "
       "found \"-1 |A 1\" [ctf-no-id]\n   -1 |A 1\n   ^"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const auto source = memory_source(c.text, "text");
    try {
      (void)find_beginning(*source, {.read_size_bytes = 2});
      ADD_FAILURE() << "not refused";
    } catch (const DataError& error) {
      EXPECT_EQ(std::string_view(error.what()), c.message);
    }
  }
}

}  // namespace
}  // namespace sheaf::ctf
