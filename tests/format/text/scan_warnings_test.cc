#include "format/text/scan_warnings.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

constexpr ErrorKind kKind{"x-kind", "something else"};

/// Records names of streams, each in its own row. The first row begins at `offset`.
ScanWarnings names(const ByteSource& source, const std::vector<std::string>& texts,
                   std::int64_t offset = 0) {
  ScanWarnings warnings(source);
  std::int64_t line = 0;
  for (const std::string& text : texts) {
    const Row row{text.data(), text.data() + text.size(), offset + 10 * line, line + 1};
    warnings.unknown_stream(kKind, row, row.begin, row.end);
    ++line;
  }
  return warnings;
}

std::vector<std::string> texts(const ScanWarnings& warnings) {
  std::vector<std::string> list;
  for (const Diagnostic& warning : warnings.list()) {
    list.push_back(std::to_string(warning.line) + " " + warning.found);
  }
  return list;
}

TEST(ScanWarnings, WarnsOnceAboutEachStream) {
  const auto source = memory_source("", "t");
  const ScanWarnings warnings = names(*source, {"|a", "|b", "|a", "|b", "|c"});
  EXPECT_EQ(texts(warnings), (std::vector<std::string>{"1 \"a\"", "2 \"b\"", "5 \"c\""}));
  EXPECT_EQ(warnings.list()[0].code, "x-kind");
  EXPECT_EQ(warnings.list()[1].byte_offset, 10);
}

TEST(ScanWarnings, VeryLongNamesWithACommonPrefixAreMerged) {
  const auto source = memory_source("", "t");
  const std::string name(100'000, 'x');
  const ScanWarnings warnings = names(*source, {"|" + name, "|" + name + "y", "|z" + name});
  EXPECT_EQ(warnings.list().size(), 2U);
}

TEST(ScanWarnings, WarningsOfPartsEqualThoseOfTheWhole) {
  const auto source = memory_source("", "t");
  const std::vector<std::string> all = {"|b", "|a", "|b", "|c", "|a", "|d"};
  ScanWarnings whole = names(*source, all);
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    const auto entry = all.begin() + static_cast<std::ptrdiff_t>(cut);
    ScanWarnings parts = names(*source, {all.begin(), entry});
    const auto lines = static_cast<std::int64_t>(cut);
    parts.append(names(*source, {entry, all.end()}, 10 * lines), lines);
    EXPECT_EQ(parts.list(), whole.list()) << cut;
  }
}

TEST(ScanWarnings, ReportsTheFirstIgnoredIdAndTheNumberOfDroppedSequences) {
  const auto source = memory_source("", "t");
  const std::string text = "7 |a";
  const Row row{text.data(), text.data() + text.size(), 100, 3};
  ScanWarnings first(*source);
  ScanWarnings second(*source);
  second.ignored_id(kKind, row, row.begin, row.begin + 1);
  second.ignored_id(kKind, row, row.begin + 1, row.end);
  second.dropped_sequence(kKind, 50, 2, {.name = "y"});
  first.append(second, 1000);
  first.append(second, 2000);
  const std::vector<Diagnostic> list = first.list();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].line, 1002);
  EXPECT_EQ(list[0].found, "none in 2 sequences, this one the first");
  EXPECT_EQ(list[1].line, 1003);
  EXPECT_EQ(list[1].found, "\"7\"");
}

TEST(ScanWarnings, ReportsTheFirstAndTheNumberOfSkippedSequences) {
  constexpr ErrorKind kOther{"t-other", "another"};
  const auto source = memory_source("", "t");
  ScanWarnings first(*source);
  ScanWarnings second(*source);
  first.left_out(kKind, 10, 2, "a");
  second.left_out(kOther, 20, 1, "b");
  second.left_out(kKind, 30, 5, "c");
  second.left_out(kKind, 40, 6, "d");
  first.append(second, 100);
  const std::vector<Diagnostic> list = first.list();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].line, 2);
  EXPECT_EQ(list[0].sequence_key, "a");
  EXPECT_EQ(list[0].found, "3 that are left out, this one the first");
  EXPECT_EQ(list[1].line, 101);
  EXPECT_EQ(list[1].code, "t-other");
  EXPECT_EQ(list[1].found, "one that is left out");
}

TEST(ScanWarnings, ReportsAtMostAHundredNames) {
  const auto source = memory_source("", "t");
  std::vector<std::string> many;
  for (int i = 0; i < 300; ++i) many.push_back("|" + std::to_string(i));
  ScanWarnings warnings = names(*source, many);
  EXPECT_EQ(warnings.list().size(), 100U);
  warnings.append(names(*source, many), 300);
  EXPECT_EQ(warnings.list().size(), 100U);
}

}  // namespace
}  // namespace sheaf::internal
