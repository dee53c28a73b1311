// Tests how short inputs of fuzz targets become long texts.

#include "expand.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace sheaf::fuzz {
namespace {

/// Returns a part that is repeated for about `2^(6 + power)` bytes.
std::string part(std::string_view text, unsigned power, int distance) {
  return kPartBegin + std::string(text) + kPartEnd +
         static_cast<char>(power << 4U | static_cast<unsigned>(distance + 8));
}

TEST(Expand, LeavesTextWithoutPartsUnchanged) {
  EXPECT_EQ(expand(""), "");
  EXPECT_EQ(expand("0 |x 1\n"), "0 |x 1\n");
}

TEST(Expand, RepeatsAPartToASizeNearAPowerOfTwo) {
  for (unsigned power = 0; power <= 10; ++power) {
    for (const int distance : {-8, -1, 0, 1, 7}) {
      const auto size = static_cast<std::size_t>((64 << power) + distance);
      EXPECT_EQ(expand("a" + part(":", power, distance) + "b"), 'a' + std::string(size, ':') + 'b');
    }
  }
}

TEST(Expand, RepeatsWholePartsOnly) {
  EXPECT_EQ(expand(part("1:1 ", 0, -1)).size(), 60);
  EXPECT_EQ(expand(part("1:1 ", 0, 0)).size(), 64);
  const std::string longer(100, 'x');
  EXPECT_EQ(expand(part(longer, 0, 0)), longer) << "a part is there once at least";
}

TEST(Expand, RepeatsPartsOfParts) {
  const std::string row = "0 |x " + std::string(64, ':') + '\n';
  const std::string text = expand(part("0 |x " + part(":", 0, 0) + "\n", 4, 0));
  EXPECT_EQ(text.size(), 1024 / row.size() * row.size());
  EXPECT_TRUE(text.starts_with(row + row));
}

TEST(Expand, DropsMarksWithoutAPart) {
  EXPECT_EQ(expand("\x1D\x1D"), "");
  EXPECT_EQ(expand("a\x1Fxb"), "ab");
  EXPECT_EQ(expand("a\x1D\x1Fxb"), "ab");
  EXPECT_EQ(expand("a\x1F"), "a\x1F") << "nothing says how often";
}

TEST(Expand, StopsAtTheSizeLimit) {
  std::string all;
  for (int i = 0; i < 40; ++i) all += part("ab", 10, 0);
  EXPECT_LE(expand(all).size(), kExpandedSizeMax + all.size());
  EXPECT_GT(expand(all).size(), kExpandedSizeMax - 2);
}

}  // namespace
}  // namespace sheaf::fuzz
