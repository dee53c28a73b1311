#include "format/cbf/cbf_schema.h"

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf::cbf {
namespace {

const std::vector<FileStream> kFile = {
    {.name = "a", .dim = 4},
    {.name = "b", .storage = Storage::sparse, .element_type = ElementType::f64, .dim = 9}};

Schema schema_of(const FormatOptions& options) {
  check_options(options);
  return make_schema(options, *memory_source("", "x.cbf"), kFile, 77);
}

std::string error_of(const std::function<void(FormatOptions&)>& change) {
  FormatOptions options;
  change(options);
  try {
    static_cast<void>(schema_of(options));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CbfSchema, DeliversAllStreamsByDefault) {
  const Schema schema = schema_of({});
  EXPECT_EQ(schema.streams, (std::vector<Stream>{{.name = "a", .sample_shape = {4}},
                                                 {.name = "b",
                                                  .element_type = ElementType::f64,
                                                  .sample_shape = {9},
                                                  .storage = Storage::sparse}}));
  EXPECT_EQ(schema.file_streams, (std::vector<std::int64_t>{0, 1}));
  EXPECT_TRUE(schema.warnings.empty());
}

TEST(CbfSchema, DeliversRequestedStreamsInOrderUnderTheirNames) {
  FormatOptions options;
  options.streams = {
      {.name = "x", .alias = "b", .storage = Storage::sparse, .index_dtype = ElementType::i64},
      {.name = "a", .sample_shape = Shape{2, 2}, .dtype = ElementType::f64}};
  const Schema schema = schema_of(options);
  EXPECT_EQ(schema.streams,
            (std::vector<Stream>{
                {.name = "x",
                 .element_type = ElementType::f64,
                 .sample_shape = {9},
                 .storage = Storage::sparse,
                 .index_type = ElementType::i64},
                {.name = "a", .element_type = ElementType::f64, .sample_shape = {2, 2}}}));
  EXPECT_EQ(schema.file_streams, (std::vector<std::int64_t>{1, 0}));
  EXPECT_TRUE(schema.converts_indices(0));
  EXPECT_FALSE(schema.converts_values(0, kFile));
  EXPECT_TRUE(schema.converts_values(1, kFile));
  EXPECT_TRUE(schema.warnings.empty()) << "f32 becomes f64 exactly";
}

TEST(CbfSchema, WarnsIfValuesAreRounded) {
  FormatOptions options;
  options.dtype = ElementType::f32;
  const Schema schema = schema_of(options);
  ASSERT_EQ(schema.warnings.size(), 1);
  EXPECT_EQ(to_string(schema.warnings[0]),
            "x.cbf: byte 77: warning: stream \"b\": expected values of the type that was asked "
            "for, found f64, which is rounded to f32 [cbf-converted]");
}

TEST(CbfSchema, CntkDeliversUnnamedStreamsUnchanged) {
  FormatOptions options;
  options.compatibility = Compatibility::cntk;
  options.skip_sequence_ids = true;
  options.streams = {{.name = "x", .alias = "b", .defines_minibatch_size = true}, {.name = "no"}};
  const Schema schema = schema_of(options);
  ASSERT_EQ(schema.streams.size(), 2);
  EXPECT_EQ(schema.streams[0].name, "a");
  EXPECT_EQ(schema.streams[1].name, "x");
  EXPECT_EQ(schema.streams[1].storage, Storage::sparse);
  EXPECT_FALSE(schema.streams[1].defines_minibatch_size);
  ASSERT_EQ(schema.warnings.size(), 1);
  EXPECT_EQ(schema.warnings[0].code, "cbf-unknown-stream");
}

TEST(CbfSchema, RefusesOptionsThatContradictTheFile) {
  struct Case {
    std::function<void(FormatOptions&)> change;
    std::string error;
  };
  const auto stream = [](StreamOptions each) {
    return [each](FormatOptions& options) { options.streams = {each}; };
  };
  const Case cases[] = {
      {stream({.name = "c"}), "stream \"c\": x.cbf has no \"c\"; it has \"a\", \"b\""},
      {stream({.name = "b"}), "stream \"b\": dense was asked for, the file has it sparse"},
      {stream({.name = "a", .sample_shape = Shape{5}}),
       "stream \"a\": the shape [5] was asked for, the file has 4 values"},
      {stream({.name = "a", .sample_shape = Shape{Shape::kVariable}}),
       "stream \"a\": the shape [*] was asked for, the file has 4 values"},
      {stream({.name = "b", .storage = Storage::sparse, .sample_shape = Shape{3, 3}}),
       "stream \"b\": the shape [3, 3] was asked for, the file has 9 values"},
      {stream({.name = "a", .dtype = ElementType::i32}),
       "stream \"a\": dtype: cbf reads f32 or f64, got i32"},
      {stream({.name = "a", .defines_minibatch_size = true}),
       "stream \"a\": defines_minibatch_size: cbf stores the length of each sequence, which "
       "counts; it is chosen when the file is written"},
      {[](FormatOptions& o) {
         o.streams = {{.name = "a"}, {.name = "x", .alias = "a"}};
       },
       "stream \"x\": another one reads \"a\" of the file, too"},
      {[](FormatOptions& o) {
         o.compatibility = Compatibility::cntk;
         o.streams = {{.name = "a", .alias = "b"}};
       },
       "streams: two have the name \"a\""},
      {[](FormatOptions& o) { o.dtype = ElementType::u8; },
       "stream \"a\": dtype: cbf reads f32 or f64, got u8"},
      {[](FormatOptions& o) { o.keys = KeyType::text; },
       "keys: cbf has no keys; those of its sequences are their numbers, not texts"},
      {[](FormatOptions& o) { o.skip_sequence_ids = true; },
       "skip_sequence_ids: cbf has no sequence ids"},
      {[](FormatOptions& o) { o.chunk_size_bytes = 0; }, "chunk_size_bytes: at least 1, got 0"},
      {[](FormatOptions& o) { o.read_size_bytes = 0; }, "read_size_bytes: at least 1, got 0"},
      {[](FormatOptions& o) { o.extra["cbf.no"] = "1"; },
       "extra: cbf has no option \"cbf.no\"; it has cbf.lengths"},
      {[](FormatOptions& o) { o.extra["cbf.lengths"] = "1"; },
       "cbf.lengths: expected check or trust, found \"1\""},
  };
  for (const Case& each : cases) EXPECT_EQ(error_of(each.change), each.error);
}

}  // namespace
}  // namespace sheaf::cbf
