#include "format/htk/htk_lines.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"

namespace sheaf::htk {
namespace {

using sheaf::testing::error_of;

using internal::ListEntry;

struct Scanned {
  std::vector<ListEntry> entries;
  std::vector<std::string> paths;
  bool is_whole = false;
};

/// Scans a list, up to `count_max` entries.
Scanned scan(const std::string& text, const internal::ListScanRules& options,
             std::size_t count_max = 100) {
  const std::shared_ptr<const ByteSource> list = memory_source(text, "a.scp");
  const ListRules rules;
  Scanned scanned;
  const auto take = [&](const ListEntry& entry, std::string_view path) {
    scanned.entries.push_back(entry);
    scanned.paths.emplace_back(path);
    return scanned.entries.size() < count_max;
  };
  HtkLines lines(rules);
  scanned.is_whole = internal::ListScan(*list, options, lines, take).run();
  return scanned;
}

internal::ListScanRules options_with(bool has_text_keys = true) {
  return {.has_text_keys = has_text_keys, .numeric_key = &kNumericKey, .read_size_bytes = 1 << 20};
}

TEST(HtkLines, VisitsEachNonBlankLine) {
  const std::string text = "u.mfc=a[0,4]\n\n  \nv.mfc=a[7,7]\nw.mfc=b\nwrong=c[4,1]\n";
  const Scanned scanned = scan(text, options_with());
  EXPECT_TRUE(scanned.is_whole);
  ASSERT_EQ(scanned.entries.size(), 4U);
  EXPECT_EQ(scanned.paths, (std::vector<std::string>{"a", "a", "b", "c"}));
  const ListEntry& v = scanned.entries[1];
  EXPECT_EQ(v.key, key_of_text("v"));
  EXPECT_EQ(v.offset, 17);
  EXPECT_EQ(v.size, 12U);
  EXPECT_EQ(v.line, 3U);
  EXPECT_EQ(v.location, 7);
  EXPECT_EQ(v.count, 1U);
  EXPECT_EQ(v.source, scanned.entries[0].source);
  EXPECT_EQ(scanned.entries[2].count, ListEntry::kUnknownCount);
  EXPECT_EQ(scanned.entries[2].source, v.source + 1);
  EXPECT_TRUE(v.is_good);
  EXPECT_FALSE(scanned.entries[3].is_good);
}

TEST(HtkLines, StopsOnRequest) {
  const Scanned scanned = scan("u.mfc=a[0,4]\nv.mfc=a[5,6]\n", options_with(), 1);
  EXPECT_FALSE(scanned.is_whole);
  EXPECT_EQ(scanned.entries.size(), 1U);
}

// A list is read in blocks of 1 MiB. The second line ends just before, at and after the end of a
// block.
TEST(HtkLines, LinesMaySpanBlocks) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  const std::string second = "v.mfc=b[3,8]\n";
  for (std::size_t end = kBlock - 2; end <= kBlock + second.size() + 2; ++end) {
    const std::string rest = ".mfc=a[0,4]\n";
    const std::string first = std::string(end - second.size() - rest.size(), 'k') + rest;
    const Scanned scanned = scan(first + second + "w.mfc=b[9,9]", options_with());
    ASSERT_EQ(scanned.entries.size(), 3U) << end;
    EXPECT_EQ(scanned.entries[1].key, key_of_text("v"));
    EXPECT_EQ(scanned.entries[1].offset, std::ssize(first));
    EXPECT_EQ(scanned.entries[1].count, 6U);
    EXPECT_EQ(scanned.entries[2].key, key_of_text("w"));
    EXPECT_EQ(scanned.entries[2].offset, static_cast<std::int64_t>(end));
    EXPECT_EQ(scanned.paths, (std::vector<std::string>{"a", "b", "b"}));
  }
}

TEST(HtkLines, NumericKeysMustBeNumbers) {
  const Scanned scanned = scan("7.mfc=a[0,4]\n", options_with(false));
  ASSERT_EQ(scanned.entries.size(), 1U);
  EXPECT_EQ(scanned.entries[0].key, SequenceKey{.low = 7});
  const std::string error = error_of<DataError>(
      [] { static_cast<void>(scan("7.mfc=a[0,4]\nu.mfc=a[5,5]\n", options_with(false))); });
  EXPECT_NE(error.find("a.scp:2:1: error: expected a key that is a number from 0 to 2^64-1, found "
                       "\"u\" [htk-numeric-key]"),
            std::string::npos)
      << error;
}

}  // namespace
}  // namespace sheaf::htk
