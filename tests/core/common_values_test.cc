#include "core/common_values.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "support/buffer_of.h"

namespace sheaf::internal {
namespace {

using testing::buffer_of;

template <typename T>
std::vector<T> content(const Buffer& buffer) {
  return {buffer.as<T>().begin(), buffer.as<T>().end()};
}

bool is_shared(const Buffer& buffer) {
  EXPECT_EQ(is_common(buffer), !buffer.empty() && buffer.capacity_bytes() == 0);
  return is_common(buffer);
}

constexpr std::int64_t kFew = std::int64_t{1} << 16;  // shorter arrays are shared up to this size

std::vector<std::int64_t> counting(std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  return numbers;
}

TEST(CommonValues, OffsetsThatCountFromZeroAreShared) {
  for (const std::int64_t count :
       {std::int64_t{1}, std::int64_t{7}, kFew, kFew + 1, kFew + 2, kCommonCountMax + 1}) {
    const std::vector<std::int64_t> numbers = counting(count);
    Buffer first = buffer_of(numbers);
    Buffer second = buffer_of(numbers);
    share_if_counting(first);
    share_if_counting(second);
    EXPECT_TRUE(is_shared(first));
    EXPECT_EQ(first.data(), second.data());
    EXPECT_EQ(content<std::int64_t>(first), numbers);
  }
}

TEST(CommonValues, OtherOffsetsAreKept) {
  std::vector<std::int64_t> swapped = counting(9);
  std::swap(swapped[3], swapped[4]);
  std::vector<std::int64_t> late = counting(9);
  late.back() = 9;
  for (const std::vector<std::int64_t>& numbers :
       {swapped, late, std::vector<std::int64_t>{0, 2, 4}, counting(kCommonCountMax + 2)}) {
    Buffer offsets = buffer_of(numbers);
    share_if_counting(offsets);
    EXPECT_FALSE(is_shared(offsets));
    EXPECT_EQ(content<std::int64_t>(offsets), numbers);
  }
  Buffer empty;
  share_if_counting(empty);
  EXPECT_TRUE(empty.empty());
}

TEST(CommonValues, CountingNumbersAreSharedUpToALimit) {
  for (const std::int64_t count : {std::int64_t{1}, std::int64_t{9}, kFew, kFew + 1, kFew + 2,
                                   kCommonCountMax + 1, kCommonCountMax + 2}) {
    SCOPED_TRACE(count);
    const Buffer numbers = counting_numbers(count);
    EXPECT_EQ(content<std::int64_t>(numbers), counting(count));
    EXPECT_EQ(is_shared(numbers), count <= kCommonCountMax + 1);
  }
}

TEST(CommonValues, OnesOfFloatsAreSharedUpToALimit) {
  EXPECT_TRUE(ones(0, ElementType::f32).empty());
  for (const std::int64_t count :
       {std::int64_t{1}, kFew, kFew + 1, kCommonCountMax, kCommonCountMax + 1}) {
    SCOPED_TRACE(count);
    const auto size = static_cast<std::size_t>(count);
    const Buffer singles = ones(count, ElementType::f32);
    EXPECT_EQ(content<float>(singles), std::vector<float>(size, 1));
    EXPECT_EQ(content<double>(ones(count, ElementType::f64)), std::vector<double>(size, 1));
    EXPECT_EQ(content<std::uint16_t>(ones(count, ElementType::u16)),
              std::vector<std::uint16_t>(size, 1));
    EXPECT_EQ(content<std::int64_t>(ones(count, ElementType::i64)),
              std::vector<std::int64_t>(size, 1));
    EXPECT_EQ(is_shared(singles), count <= kCommonCountMax);
  }
}

template <typename T>
void expect_shared_ones(ElementType type) {
  const std::vector<T> ones(77, T{1});
  for (const std::size_t count :
       {1U, 63U, 64U, 65U, 77U, (1U << 16U) - 1, 1U << 16U, (1U << 16U) + 1, 1U << 20U}) {
    const std::vector<T> first(count, T{1});
    Buffer values = buffer_of(first);
    share_if_ones(values, type);
    EXPECT_TRUE(is_shared(values)) << count;
    EXPECT_EQ(content<T>(values), first);
  }
  for (const T other : {T{0}, T{-1}, std::nextafter(T{1}, T{2}), std::numeric_limits<T>::infinity(),
                        std::numeric_limits<T>::quiet_NaN()}) {
    for (const std::size_t index : {0U, 40U, 63U, 64U, 76U}) {
      std::vector<T> mixed = ones;
      mixed[index] = other;
      Buffer stays = buffer_of(mixed);
      share_if_ones(stays, type);
      EXPECT_FALSE(is_shared(stays)) << index;
    }
  }
}

TEST(CommonValues, OnlyOnesOfFloatsAreShared) {
  expect_shared_ones<float>(ElementType::f32);
  expect_shared_ones<double>(ElementType::f64);
  Buffer bytes = buffer_of(std::vector<std::uint8_t>(8, 1));
  share_if_ones(bytes, ElementType::u8);
  EXPECT_FALSE(is_shared(bytes));
  Buffer many = buffer_of(std::vector<float>(static_cast<std::size_t>(kCommonCountMax) + 1, 1.0F));
  share_if_ones(many, ElementType::f32);
  EXPECT_FALSE(is_shared(many));
}

}  // namespace
}  // namespace sheaf::internal
