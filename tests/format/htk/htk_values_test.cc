#include "format/htk/htk_values.h"

#include <array>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/simd.h"

#include "format/htk/htk_test_file.h"

namespace sheaf::htk {
namespace {

TEST(HtkValues, ByteOrderIsSwappedAtEverySimdLevel) {
  for (const SimdLevel level : simd_levels()) {
    set_simd_level(level);
    for (std::int64_t count = 0; count <= 70; ++count) {
      std::string from;
      for (std::int64_t i = 0; i < 4 * count + 1; ++i) from += static_cast<char>(i * 7);
      std::string to(from.size(), 'x');
      const auto bytes = std::as_writable_bytes(std::span(to));
      swap_words(std::as_bytes(std::span(from)).data(), bytes.data(), count);
      for (std::size_t i = 0; i < 4 * static_cast<std::size_t>(count); ++i) {
        ASSERT_EQ(to[i], from[i / 4 * 4 + 3 - i % 4]) << to_string(level) << ' ' << count;
      }
      ASSERT_EQ(to.back(), 'x') << "no byte behind the last word";
      swap_words(bytes.data(), bytes.data(), count);
      EXPECT_EQ(to.substr(0, 4 * static_cast<std::size_t>(count)),
                from.substr(0, 4 * static_cast<std::size_t>(count)))
          << "in place";
    }
  }
  set_simd_level(simd_levels().back());
}

TEST(HtkValues, CompressedFramesAreDecodedByOffsetAndScale) {
  std::string bytes;
  for (const int number : {10, -20, 32767, -32767}) {
    testing::append_number(bytes, static_cast<std::uint16_t>(number), 2, true);
  }
  const std::vector<float> scales = {2, 4};
  const std::vector<float> offsets = {1, -3};
  std::array<float, 4> to{};
  expand_frames(std::as_bytes(std::span(bytes)).data(), 2, true, {scales, offsets}, to.data());
  EXPECT_EQ(to, (std::array<float, 4>{5.5F, -5.75F, 16384.0F, -8192.5F}));
}

TEST(HtkValues, TheChecksumMatchesTheSequentialDefinition) {
  for (const bool is_big : {true, false}) {
    std::string bytes(12, '\0');
    for (int size = 0; size < 40; ++size) {
      std::string expected = bytes;
      testing::append_checksum(expected, is_big);
      Checksum sum(is_big);
      const auto all = std::as_bytes(std::span(bytes)).subspan(12);
      const std::size_t half = all.size() / 4 * 2;
      sum.add(all.first(half));
      sum.add(all.subspan(half));
      std::string found;
      testing::append_number(found, sum.value(), 2, is_big);
      EXPECT_EQ(found, expected.substr(expected.size() - 2));
      bytes += static_cast<char>(200 + size);
      bytes += static_cast<char>(17 * size);
    }
  }
}

}  // namespace
}  // namespace sheaf::htk
