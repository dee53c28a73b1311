#include "format/sheaf/bit_packing.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::container {
namespace {

NumberFeed feed_of(const std::vector<std::uint64_t>& numbers) {
  return [&numbers](std::int64_t first, std::int64_t count, std::uint64_t* into) {
    std::memcpy(into, numbers.data() + first, static_cast<std::size_t>(count) * sizeof *into);
  };
}

std::vector<std::byte> packed(const std::vector<std::uint64_t>& numbers) {
  const NumberFeed feed = feed_of(numbers);
  std::vector<std::byte> bytes(static_cast<std::size_t>(packed_size(std::ssize(numbers), feed)));
  EXPECT_EQ(pack(std::ssize(numbers), feed, bytes.data()), bytes.data() + bytes.size());
  return bytes;
}

// Returns the numbers, or nothing if the bytes are too short.
std::optional<std::vector<std::uint64_t>> unpacked(std::span<const std::byte> bytes,
                                                   std::int64_t count) {
  std::optional<Unpacker> unpacker = Unpacker::open(bytes, count);
  if (!unpacker) return std::nullopt;
  EXPECT_LE(unpacker->size_bytes(), std::ssize(bytes));
  std::vector<std::uint64_t> numbers;
  NumberVector vector;
  while (const std::int64_t n = unpacker->next(vector)) {
    numbers.insert(numbers.end(), vector.begin(), vector.begin() + n);
  }
  return numbers;
}

// Returns numbers whose distance from the least number needs exactly `width` bits.
std::vector<std::uint64_t> numbers_of_width(unsigned width, std::int64_t count,
                                            std::uint64_t base) {
  std::mt19937_64 random(width * 100 + static_cast<unsigned>(count));
  std::vector<std::uint64_t> numbers;
  const std::uint64_t mask = width == 0 ? 0 : ~std::uint64_t{0} >> (64 - width);
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(base + (random() & mask));
  if (count > 1) {
    numbers[0] = base;
    numbers[1] = base + mask;
  }
  return numbers;
}

TEST(VectorPacker, WritesNothingBeyondItsRoom) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < 2500; ++i) numbers.push_back(i * i % 1013);
  const std::vector<std::byte> expected = packed(numbers);
  constexpr std::byte kMark{0xA5};
  for (std::int64_t room = 0; room <= std::ssize(expected) + 1; ++room) {
    std::vector<std::byte> bytes(expected.size() + 1, kMark);
    VectorPacker packer(std::ssize(numbers), bytes.data(), room);
    bool has_room = true;
    for (std::size_t first = 0; has_room && first < numbers.size(); first += 1024) {
      const std::size_t count = std::min<std::size_t>(1024, numbers.size() - first);
      NumberVector vector{};
      std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(first), count, vector.begin());
      const auto n = static_cast<std::int64_t>(count);
      has_room = packer.put(vector, n, range_of(vector, n));
    }
    ASSERT_EQ(has_room, room >= std::ssize(expected)) << room;
    for (auto i = static_cast<std::size_t>(room); i < bytes.size(); ++i) {
      ASSERT_EQ(bytes[i], kMark) << room;
    }
    if (!has_room) continue;
    EXPECT_EQ(packer.end(), bytes.data() + expected.size());
    bytes.pop_back();
    EXPECT_EQ(bytes, expected);
  }
}

TEST(BitPacking, NumbersOfEveryWidthRoundTrip) {
  for (unsigned width = 0; width <= 64; ++width) {
    for (const std::int64_t count : {0, 1, 2, 7, 64, 1023, 1024, 1025, 2048, 2049}) {
      SCOPED_TRACE(width);
      SCOPED_TRACE(count);
      // With 64 bits, the least signed number is the base, so differences wrap around.
      const std::uint64_t base = width == 64 ? std::uint64_t{1} << 63 : std::uint64_t{0} - 12345;
      const std::vector<std::uint64_t> numbers = numbers_of_width(width, count, base);
      EXPECT_EQ(unpacked(packed(numbers), count), numbers);
    }
  }
}

TEST(BitPacking, TheLargestNumberOfAVectorSetsTheWidth) {
  for (unsigned width = 0; width <= 64; ++width) {
    SCOPED_TRACE(width);
    const std::uint64_t base = width == 64 ? std::uint64_t{1} << 63 : 0;
    const auto size = std::ssize(packed(numbers_of_width(width, 1024, base)));
    EXPECT_EQ(size, 9 + 128 * std::int64_t{width});
  }
  // Two vectors, each with its own width.
  std::vector<std::uint64_t> numbers(1024, 5);
  numbers.push_back(0);
  numbers.push_back(255);
  EXPECT_EQ(std::ssize(packed(numbers)), 2 * 9 + 0 + 2);
}

TEST(BitPacking, TruncatedBytesHoldFewerNumbers) {
  for (const unsigned width : {1U, 13U, 57U, 58U, 63U, 64U}) {
    const std::vector<std::uint64_t> numbers = numbers_of_width(width, 1025, 3);
    const std::vector<std::byte> bytes = packed(numbers);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      // A separate allocation, so that a sanitizer detects reads beyond the end.
      const std::vector<std::byte> cut(bytes.begin(),
                                       bytes.begin() + static_cast<std::ptrdiff_t>(size));
      ASSERT_EQ(unpacked(cut, 1025), std::nullopt) << size;
    }
  }
}

TEST(BitPacking, BytesAfterTheNumbersAreUnchanged) {
  const std::vector<std::uint64_t> numbers = numbers_of_width(11, 1500, 3);
  std::vector<std::byte> bytes = packed(numbers);
  const auto size = std::ssize(bytes);
  for (int extra = 0; extra < 40; ++extra) {
    const std::optional<Unpacker> unpacker = Unpacker::open(bytes, 1500);
    ASSERT_TRUE(unpacker.has_value());
    EXPECT_EQ(unpacker->size_bytes(), size);
    EXPECT_EQ(unpacked(bytes, 1500), numbers);
    bytes.push_back(std::byte{0xFF});
  }
}

TEST(BitPacking, AWidthIsAtMost64) {
  std::vector<std::byte> bytes(1000);
  bytes[8] = std::byte{64};
  EXPECT_TRUE(Unpacker::open(bytes, 1).has_value());
  bytes[8] = std::byte{65};
  EXPECT_FALSE(Unpacker::open(bytes, 1).has_value());
  bytes[8] = std::byte{255};
  EXPECT_FALSE(Unpacker::open(bytes, 1).has_value());
}

TEST(BitPacking, ACountFromAFileAllocatesNothing) {
  const std::vector<std::byte> bytes(100);
  EXPECT_FALSE(Unpacker::open(bytes, std::int64_t{1} << 62).has_value());
}

}  // namespace
}  // namespace sheaf::container
