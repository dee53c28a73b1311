#include "format/ctf/cntk/ctf_cntk_scanner.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf::ctf {
namespace {

/// Returns the number of rows in each sequence, as the index counts them.
std::vector<std::int64_t> row_counts(const std::string& text, bool defines) {
  FormatOptions options;
  options.streams = {{.name = "a", .sample_shape = Shape{1}, .defines_minibatch_size = defines}};
  options.compatibility = Compatibility::cntk;
  const auto source = memory_source(text, "t");
  const Schema schema = make_schema(options);
  const Beginning beginning = find_beginning(*source, options);
  const auto scanner = make_cntk_scanner(
      *source, schema, beginning.mode,
      {.begin = beginning.offset, .end = source->size(), .chunk_size_bytes = 1 << 20});
  std::vector<std::int64_t> counts;
  while (const std::optional<ScannedChunk> chunk = scanner->next()) {
    for (std::int64_t i = 0; i < chunk->sequences.size(); ++i) {
      counts.push_back(chunk->sequences.sample_count(i));
    }
  }
  return counts;
}

TEST(CtfCntkScanner, CountsRowsNotSamples) {
  using Counts = std::vector<std::int64_t>;
  EXPECT_EQ(row_counts("1\n1\n1\n1\n1 \n2\n\n\n\n3\n\n3\n3\n4 abc\n4 def\nghj\n4", false),
            Counts({5, 4, 4, 3}));
  EXPECT_EQ(row_counts("0|a 1\n0|b 1\n1|b\n2|a|a\n", true), Counts({1, 1}));
  EXPECT_EQ(row_counts("|a 1\n\n|b\n|a", false), Counts({1, 1, 1, 1}));
}

// Only the whole file is refused if no row counts.
TEST(CtfCntkScanner, APartMayHaveNoRowThatCounts) {
  EXPECT_THROW(static_cast<void>(row_counts("0|b 1\n1|b 2\n", true)), DataError);
  FormatOptions options;
  options.streams = {{.name = "a", .sample_shape = Shape{1}, .defines_minibatch_size = true}};
  options.compatibility = Compatibility::cntk;
  const auto source = memory_source("0|b 1\n1|a 2\n", "t");
  const Schema schema = make_schema(options);
  const auto scanner = make_cntk_scanner(*source, schema, KeyMode::ids,
                                         {.begin = 0, .end = 6, .chunk_size_bytes = 1 << 20});
  EXPECT_FALSE(scanner->next().has_value());
}

}  // namespace
}  // namespace sheaf::ctf
