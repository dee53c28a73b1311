#include "format/arrow/bit_copy.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::arrow {
namespace {

bool bit_of(const std::vector<std::byte>& bytes, std::int64_t bit) {
  return (std::to_integer<unsigned>(bytes[static_cast<std::size_t>(bit / 8)]) >> (bit % 8) & 1U) !=
         0;
}

std::vector<std::byte> some_bytes(std::int64_t count, unsigned seed) {
  std::vector<std::byte> bytes;
  for (std::int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525U + 1013904223U;
    bytes.push_back(static_cast<std::byte>(seed >> 24));
  }
  return bytes;
}

TEST(BitCopy, BitsAreCopiedBetweenAnyOffsets) {
  for (std::int64_t from = 0; from < 10; ++from) {
    for (std::int64_t to = 0; to < 10; ++to) {
      for (std::int64_t count = 0; count < 35; ++count) {
        // Only as many bytes as the bits need, so that a sanitizer detects reads beyond the end.
        const auto source = some_bytes(bytes_of_bits(from + count), 1);
        auto target = some_bytes(bytes_of_bits(to + count), 2);
        const auto before = target;
        copy_bits(source.data(), from, count, target.data(), to);
        for (std::int64_t i = 0; i < std::ssize(target) * 8; ++i) {
          const bool is_copied = i >= to && i < to + count;
          EXPECT_EQ(bit_of(target, i),
                    is_copied ? bit_of(source, from + i - to) : bit_of(before, i))
              << from << " " << to << " " << count << " " << i;
        }
      }
    }
  }
}

TEST(BitCopy, OnlyTheCopiedBitsAreSet) {
  std::vector<std::byte> bytes(3);
  set_bits(bytes.data(), 5, 6);
  for (std::int64_t i = 0; i < 24; ++i) EXPECT_EQ(bit_of(bytes, i), i >= 5 && i < 11) << i;
}

TEST(BitCopy, BytesOfBitsAreRoundedUp) {
  EXPECT_EQ(bytes_of_bits(0), 0);
  EXPECT_EQ(bytes_of_bits(1), 1);
  EXPECT_EQ(bytes_of_bits(8), 1);
  EXPECT_EQ(bytes_of_bits(9), 2);
  EXPECT_EQ(bytes_of_bits(INT64_MAX), (std::int64_t{1} << 60));
}

}  // namespace
}  // namespace sheaf::arrow
