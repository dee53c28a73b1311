// Tests how rows are parsed, in addition to the cases in tests/cases/jsonl.

#include "format/jsonl/jsonl_parser.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/jsonl/jsonl_deserializer.h"

namespace sheaf::jsonl {
namespace {

struct Parsed {
  std::vector<std::int64_t> holes;
  std::vector<Diagnostic> diagnostics;
};

Parsed parse_text(const std::string& text, const FormatOptions& options) {
  const JsonlDeserializer data(memory_source(text, "t"), options);
  Diagnostics diagnostics;
  const Chunk chunk = data.read({.chunk = {}}, diagnostics);
  return {{chunk.holes().begin(), chunk.holes().end()},
          {diagnostics.described().begin(), diagnostics.described().end()}};
}

TEST(JsonlParser, EveryFieldIsReportedOnce) {
  FormatOptions options;
  options.streams = {{.name = "a", .sample_shape = Shape{1}},
                     {.name = "b", .sample_shape = Shape{1}},
                     {.name = "c", .sample_shape = Shape{1}}};
  const Parsed parsed =
      parse_text("{\"a\":[\"x\",\"y\"],\"b\":{},\"a\":1}\n{\"a\":1,\"b\":2,\"c\":3}\n", options);
  EXPECT_EQ(parsed.holes, std::vector<std::int64_t>{0});
  ASSERT_EQ(parsed.diagnostics.size(), 4U);
  EXPECT_EQ(parsed.diagnostics[0].code, "jsonl-type");
  EXPECT_EQ(parsed.diagnostics[0].column, 7);
  EXPECT_EQ(parsed.diagnostics[1].stream, "b");
  EXPECT_EQ(parsed.diagnostics[2].code, "jsonl-repeated-field");
  EXPECT_EQ(parsed.diagnostics[3].code, "jsonl-missing-stream");
  EXPECT_EQ(parsed.diagnostics[3].stream, "c");
  EXPECT_EQ(parsed.diagnostics[3].found, "no such field");
}

TEST(JsonlParser, RepeatedKeysNameTheEarlierLine) {
  FormatOptions options;
  options.extra = {{"jsonl.key", "id"}};
  const Parsed parsed =
      parse_text("{\"id\":\"a\",\"x\":1}\n\n{\"id\":\"a\",\"x\":2}\n{\"x\":3}\n", options);
  EXPECT_EQ(parsed.holes, (std::vector<std::int64_t>{1, 2}));
  ASSERT_EQ(parsed.diagnostics.size(), 2U);
  EXPECT_EQ(parsed.diagnostics[0].expected, "a key that no earlier line has (line 1 has it)");
  EXPECT_EQ(parsed.diagnostics[0].sequence_key, "a");
  EXPECT_EQ(parsed.diagnostics[1].expected, "the field of the key, \"id\"");
}

}  // namespace
}  // namespace sheaf::jsonl
