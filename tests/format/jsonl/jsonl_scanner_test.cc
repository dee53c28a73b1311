#include "format/jsonl/jsonl_scanner.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/jsonl/jsonl_errors.h"

namespace sheaf::jsonl {
namespace {

Schema schema_of(bool is_defining = false) {
  FormatOptions options;
  options.streams = {{.name = "x", .sample_shape = Shape{1}},
                     {.name = "t", .dtype = ElementType::bytes}};
  options.streams[0].defines_minibatch_size = is_defining;
  options.missing_streams = MissingStreams::allow;
  return make_schema(options, {});
}

struct Scanned {
  std::vector<std::int64_t> lines;
  std::vector<std::int64_t> samples;
  std::vector<Diagnostic> warnings;
};

Scanned scan(const std::string& text, const Schema& schema, std::int64_t chunk_size = 1 << 20) {
  const auto source = memory_source(text, "t");
  const auto scanner = make_scanner(
      *source, schema, {.begin = 0, .end = source->size(), .chunk_size_bytes = chunk_size});
  Scanned scanned;
  while (const std::optional<internal::ScannedChunk> chunk = scanner->next()) {
    for (std::int64_t i = 0; i < chunk->sequences.size(); ++i) {
      scanned.lines.push_back(chunk->info.first_line + chunk->sequences.first_line(i));
      scanned.samples.push_back(chunk->sequences.sample_count(i));
    }
  }
  scanned.warnings = scanner->warnings();
  return scanned;
}

using Numbers = std::vector<std::int64_t>;

TEST(JsonlScanner, EachLineWithDataIsASequence) {
  const std::string text =
      "\n{\"x\":[1,2]}\n \r\n{\"x\":1,\"t\":[\"a\",\"b\",\"c\"]}\n{\n{\"x\":[]}";
  for (const std::int64_t chunk_size : {1, 30, 1000}) {
    const Scanned scanned = scan(text, schema_of(), chunk_size);
    EXPECT_EQ(scanned.lines, (Numbers{2, 4, 5, 6}));
    EXPECT_EQ(scanned.samples, (Numbers{2, 3, 0, 0}));
  }
}

TEST(JsonlScanner, LinesWithoutTheDefiningStreamAreDroppedWithAWarning) {
  const Scanned scanned =
      scan("{\"x\":1}\n{\"t\":\"a\"}\n{\"x\":[]}\n{\"x\":null}\n{\"x\"\n{\"x\":[1,2]}\n",
           schema_of(true));
  EXPECT_EQ(scanned.lines, (Numbers{1, 5, 6}));  // a wrong line stays
  EXPECT_EQ(scanned.samples, (Numbers{1, 0, 2}));
  ASSERT_EQ(scanned.warnings.size(), 1U);
  EXPECT_EQ(scanned.warnings[0].code, kDroppedSequence.code);
  EXPECT_EQ(scanned.warnings[0].line, 2);
}

TEST(JsonlScanner, UnknownFieldsWarnOnce) {
  const Scanned scanned =
      scan("{\"x\":1,\"o\":{\"a\":1}}\n{\"o\":2,\"n\":null,\"x\":2}\n", schema_of());
  ASSERT_EQ(scanned.warnings.size(), 1U);
  EXPECT_EQ(scanned.warnings[0].code, kUnknownField.code);
  EXPECT_EQ(scanned.warnings[0].found, "\"o\"");
  EXPECT_EQ(scanned.warnings[0].column, 8);
}

TEST(JsonlScanner, BlocksBeginAtLines) {
  const std::string text = "{\"x\":1}\n\n{\"x\":2}\n";
  const auto source = memory_source(text, "t");
  const Schema schema = schema_of();
  EXPECT_EQ(find_start(*source, schema, 1, 18), 9);
  EXPECT_EQ(find_start(*source, schema, 8, 18), 9);
  EXPECT_EQ(find_start(*source, schema, 9, 18), 9);
  EXPECT_EQ(find_start(*source, schema, 10, 18), 18);
  EXPECT_EQ(find_start(*source, schema, 1, 9), 9);
}

}  // namespace
}  // namespace sheaf::jsonl
