#include "base/byte_bits.h"

#include <bit>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

// Tests each byte value in each of the 64 bytes, between bytes that are one below and one above.
TEST(ByteBits, EachByteAtEachIndexIsCompared) {
  for (int value = 0; value < 256; ++value) {
    for (std::size_t index = 0; index < 64; ++index) {
      std::string text(64, static_cast<char>(value + 1));
      if (index > 0) text[index - 1] = static_cast<char>(value - 1);
      text[index] = static_cast<char>(value);
      const std::uint64_t bit = std::uint64_t{1} << index;
      ASSERT_EQ(ByteBits(text.data()).equal(static_cast<char>(value)), bit)
          << value << " at " << index;
      std::uint64_t expected = 0;
      for (std::size_t i = 0; i < 64; ++i) {
        if (static_cast<unsigned char>(text[i]) <= 0x20) expected |= std::uint64_t{1} << i;
      }
      ASSERT_EQ(ByteBits(text.data()).at_most_blank(), expected) << value << " at " << index;
    }
  }
}

TEST(ByteBits, BitsAreCounted) {
  std::uint64_t bits = 0x0123456789ABCDEFU;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(count_bits(bits), std::popcount(bits)) << bits;
    bits = bits * 6364136223846793005U + 1442695040888963407U;
  }
  EXPECT_EQ(count_bits(0), 0);
  EXPECT_EQ(count_bits(~std::uint64_t{0}), 64);
}

}  // namespace
}  // namespace sheaf::internal
