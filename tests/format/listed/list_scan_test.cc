#include "format/listed/list_scan.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"

#include "format/listed/toy_lines.h"
#include "support/error_of.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::ToyLines;

constexpr ErrorKind kNumericKey{"toy-key", "a number"};

/// Returns the result of scanning each line.
std::vector<std::string> scan(const std::string& text, std::int64_t read_size = 1 << 20,
                              bool has_text_keys = true) {
  const std::shared_ptr<const ByteSource> list = memory_source(text, "toy.list");
  const ListScanRules rules{
      .has_text_keys = has_text_keys, .numeric_key = &kNumericKey, .read_size_bytes = read_size};
  std::vector<std::string> told;
  ToyLines lines;
  const auto take = [&](const ListEntry& entry, std::string_view path) {
    told.push_back(std::string(path) + " line " + std::to_string(entry.line) + " at " +
                   std::to_string(entry.offset) + " size " + std::to_string(entry.size) +
                   " location " + std::to_string(entry.location) + " count " +
                   std::to_string(entry.count) + " source " + std::to_string(entry.source) +
                   (entry.is_good ? "" : " bad"));
    EXPECT_EQ(entry.key, has_text_keys ? key_of_text("k") : SequenceKey{.low = 7});
    return told.size() < 5;
  };
  const bool is_whole = ListScan(*list, rules, lines, take).run();
  EXPECT_EQ(is_whole, told.size() < 5);
  return told;
}

TEST(ListScan, VisitsEachNonBlankLineForAnyReadSize) {
  const std::string text = "k a 3 4\n\nk a 9 1\nk b 5 2\nk\nk a 1 1\nnever seen";
  const std::vector<std::string> expected = {
      "a line 0 at 0 size 7 location 3 count 4 source 0",
      "a line 2 at 9 size 7 location 9 count 1 source 0",
      "b line 3 at 17 size 7 location 5 count 2 source 1",
      " line 4 at 25 size 1 location 0 count 0 source 2 bad",
      "a line 5 at 27 size 7 location 1 count 1 source 3",
  };
  for (std::int64_t read_size = 1; read_size <= std::ssize(text) + 1; ++read_size) {
    EXPECT_EQ(scan(text, read_size), expected) << read_size;
  }
  EXPECT_EQ(scan("k a 3 4"), std::vector{expected[0]}) << "no LF at the end";
  EXPECT_TRUE(scan("").empty());
}

TEST(ListScan, NumericKeysMustBeNumbers) {
  EXPECT_EQ(scan("7 a 3 4\n", 1 << 20, false).size(), 1U);
  const std::string error =
      error_of<DataError>([] { static_cast<void>(scan("7 a 3 4\nk a 3 4\n", 1 << 20, false)); });
  EXPECT_NE(error.find("toy.list:2:1: error: expected a number, found \"k\" [toy-key]"),
            std::string::npos)
      << error;
}

}  // namespace
}  // namespace sheaf::internal
