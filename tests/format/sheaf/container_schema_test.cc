#include "format/sheaf/container_schema.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"

#include "support/error_of.h"

namespace sheaf::container {
namespace {

ContainerNote schema_note() {
  ContainerNote note;
  note.streams = {{.name = "a", .sample_shape = {2, 3}},
                  {.name = "b", .sample_shape = {9}, .storage = Storage::sparse},
                  {.name = "text", .element_type = ElementType::bytes, .sample_shape = {-1}},
                  {.name = "open", .sample_shape = {-1, 2}}};
  return note;
}

ContainerSchema schema_with(const FormatOptions& options, bool has_text_keys = false) {
  ContainerNote note = schema_note();
  note.has_text_keys = has_text_keys;
  return schema_of(note, options, *memory_source("", "x.sheaf"));
}

FormatOptions options_with(std::vector<StreamOptions> streams) {
  FormatOptions options;
  options.streams = std::move(streams);
  return options;
}

using Columns = std::vector<std::int64_t>;

TEST(ContainerSchema, DeliversAllStreamsByDefault) {
  const ContainerSchema schema = schema_with({});
  EXPECT_EQ(schema.streams, schema_note().streams);
  EXPECT_EQ(schema.columns, (Columns{0, 1, 2, 3}));
  EXPECT_EQ(schema.columns_in_file, (Columns{0, 1, 2, 3}));
  EXPECT_FALSE(schema.makes_texts);
  EXPECT_TRUE(schema.warnings.empty());
}

TEST(ContainerSchema, TextKeysComeFirst) {
  const ContainerSchema schema = schema_with({}, true);
  EXPECT_EQ(schema.columns, (Columns{1, 2, 3, 4}));
  EXPECT_EQ(schema.columns_in_file, (Columns{0, 1, 2, 3, 4}));
  EXPECT_EQ(schema.stream_of(0), -1);
  EXPECT_EQ(schema.stream_of(3), 2);
}

TEST(ContainerSchema, NumericKeysBecomeTextsOnRequest) {
  FormatOptions options;
  options.keys = KeyType::text;
  EXPECT_TRUE(schema_with(options).makes_texts);
  EXPECT_FALSE(schema_with(options, true).makes_texts) << "they are texts";
  options.keys = KeyType::numeric;
  EXPECT_FALSE(schema_with(options).makes_texts);
}

TEST(ContainerSchema, DeliversRequestedStreamsInOrderUnderTheirNames) {
  const ContainerSchema schema = schema_with(
      options_with({{.name = "open", .sample_shape = Shape{-1, 2}}, {.name = "x", .alias = "a"}}),
      true);
  ASSERT_EQ(schema.streams.size(), 2U);
  EXPECT_EQ(to_string(schema.streams[0]), "open: dense f32 [*, 2]");
  EXPECT_EQ(to_string(schema.streams[1]), "x: dense f32 [2, 3]");
  EXPECT_EQ(schema.columns, (Columns{4, 1}));
  EXPECT_EQ(schema.columns_in_file, (Columns{0, 1, 4}));
  EXPECT_EQ(schema.stream_of(1), 1);
  EXPECT_EQ(schema.stream_of(4), 0);
  EXPECT_EQ(schema.stream_of(2), -1) << "the column is unused";
}

TEST(ContainerSchema, TypesAreConverted) {
  FormatOptions options;
  options.dtype = ElementType::f64;
  std::vector<ElementType> types;
  for (const Stream& stream : schema_with(options).streams) types.push_back(stream.element_type);
  EXPECT_EQ(types, (std::vector<ElementType>{ElementType::f64, ElementType::f64, ElementType::bytes,
                                             ElementType::f64}));
  options.streams = {{.name = "a", .dtype = ElementType::i32},
                     {.name = "b",
                      .storage = Storage::sparse,
                      .sample_shape = Shape{9},
                      .index_dtype = ElementType::i64},
                     {.name = "text"}};
  const ContainerSchema schema = schema_with(options);
  EXPECT_EQ(schema.streams[0].element_type, ElementType::i32);
  EXPECT_EQ(schema.streams[1].element_type, ElementType::f64);
  EXPECT_EQ(schema.streams[1].index_type, ElementType::i64);
  EXPECT_EQ(schema.streams[2].element_type, ElementType::bytes);
}

TEST(ContainerSchema, WideIndicesStayWide) {
  ContainerNote note = schema_note();
  note.streams[1].index_type = ElementType::i64;
  const ContainerSchema schema =
      schema_of(note, options_with({{.name = "b", .storage = Storage::sparse}}),
                *memory_source("", "x.sheaf"));
  EXPECT_EQ(schema.streams[0].index_type, ElementType::i64);
}

TEST(ContainerSchema, AFixedShapeMayBeReshaped) {
  for (const Shape& shape : {Shape{6}, Shape{2, 3}, Shape{3, 1, 2}}) {
    const ContainerSchema schema =
        schema_with(options_with({{.name = "a", .sample_shape = shape}}));
    EXPECT_EQ(schema.streams[0].sample_shape, shape);
  }
}

TEST(ContainerSchema, TheDefiningStreamMayBeNamed) {
  ContainerNote note = schema_note();
  note.streams[0].defines_minibatch_size = true;
  const ContainerSchema schema =
      schema_of(note, options_with({{.name = "a", .defines_minibatch_size = true}}),
                *memory_source("", "x.sheaf"));
  EXPECT_TRUE(schema.streams[0].defines_minibatch_size);
}

TEST(ContainerSchema, RefusesOptionsThatContradictTheFile) {
  struct Case {
    std::function<void(FormatOptions&)> change;
    std::string error;
    bool has_text_keys = false;
  };
  const auto streams = [](const std::vector<StreamOptions>& wanted) {
    return [wanted](FormatOptions& options) { options.streams = wanted; };
  };
  const Case cases[] = {
      {streams({{.name = "txt"}}),
       "stream \"txt\": x.sheaf has no stream \"txt\" (\"text\"?); the streams are \"a\", \"b\", "
       "\"text\", \"open\""},
      {streams({{.name = "x", .alias = "quite another"}}),
       "stream \"x\": x.sheaf has no stream \"quite another\"; the streams are \"a\", \"b\", "
       "\"text\", \"open\""},
      {streams({{.name = "b"}}), "stream \"b\": dense was asked for, and the file has sparse"},
      {streams({{.name = "a", .storage = Storage::sparse}}),
       "stream \"a\": sparse was asked for, and the file has dense"},
      {streams({{.name = "a", .sample_shape = Shape{5}}}),
       "stream \"a\": the shape [5] was asked for, and the file has [2, 3]"},
      {streams({{.name = "a", .sample_shape = Shape{-1, 3}}}),
       "stream \"a\": the shape [*, 3] was asked for, and the file has [2, 3]"},
      {streams({{.name = "open", .sample_shape = Shape{3, 2}}}),
       "stream \"open\": the shape [3, 2] was asked for, and the file has [*, 2]"},
      {streams({{.name = "b", .storage = Storage::sparse, .sample_shape = Shape{8}}}),
       "stream \"b\": the shape [8] was asked for, and the file has [9]"},
      {streams({{.name = "b", .storage = Storage::sparse, .sample_shape = Shape{3, 3}}}),
       "stream \"b\": the shape [3, 3] was asked for, and the file has [9]"},
      {streams({{.name = "text", .dtype = ElementType::f32}}),
       "stream \"text\": the dtype is f32, and the file has bytes"},
      {streams({{.name = "a", .dtype = ElementType::bytes}}),
       "stream \"a\": the dtype is bytes, and the file has f32"},
      {streams({{.name = "a", .defines_minibatch_size = true}}),
       "stream \"a\": defines_minibatch_size: sheaf stores the length of each sequence, which "
       "counts; it is chosen when the file is written"},
      {streams({{.name = ""}}), "streams: a stream needs a name"},
      {streams({{.name = "a"}, {.name = "a", .alias = "open"}}),
       "streams: two have the name \"a\""},
      {streams({{.name = "a"}, {.name = "x", .alias = "a"}}),
       "stream \"x\": another stream reads \"a\" of the file, too"},
      {[](FormatOptions& o) { o.keys = KeyType::numeric; },
       "keys: the keys of the file are texts, and not numbers", true},
      {[](FormatOptions& o) { o.skip_sequence_ids = true; },
       "skip_sequence_ids: sheaf stores whole sequences, and no rows"},
      {[](FormatOptions& o) { o.extra["sheaf.compression"] = "fast"; },
       "extra: sheaf has no option \"sheaf.compression\""},
      {[](FormatOptions& o) { o.index.memory_limit_bytes = 0; },
       "index.memory_limit_bytes must be at least 1, or empty (no limit): got 0"},
  };
  for (const Case& each : cases) {
    FormatOptions options;
    each.change(options);
    EXPECT_EQ(testing::error_of<ConfigError>(
                  [&] { static_cast<void>(schema_with(options, each.has_text_keys)); }),
              each.error);
  }
}

}  // namespace
}  // namespace sheaf::container
