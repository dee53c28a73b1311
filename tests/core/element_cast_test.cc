#include "core/element_cast.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/types.h"

namespace sheaf::internal {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Returns `values` in unaligned memory.
template <typename T>
std::string shifted(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T) + 1, '\0');
  if (!values.empty()) std::memcpy(bytes.data() + 1, values.data(), values.size() * sizeof(T));
  return bytes;
}

template <typename From, typename To>
std::vector<To> cast(const std::vector<From>& values, std::int64_t* out_of_range) {
  const std::string from = shifted(values);
  std::string to = shifted(std::vector<To>(values.size()));
  *out_of_range = cast_elements(
      element_type_of<From>, reinterpret_cast<const std::byte*>(from.data() + 1),
      element_type_of<To>, reinterpret_cast<std::byte*>(to.data() + 1), std::ssize(values));
  std::vector<To> result(values.size());
  if (!values.empty()) std::memcpy(result.data(), to.data() + 1, values.size() * sizeof(To));
  return result;
}

struct NarrowCase {
  double value;
  float expected;
  std::int64_t out_of_range;
};

const NarrowCase kNarrowCases[] = {
    {0.0, 0.0F, 0},                                                 // zero
    {-0.0, -0.0F, 0},                                               // keeps its sign
    {0.1, 0.1F, 0},                                                 // the nearest f32
    {1 + 0x1p-24, 1.0F, 0},                                         // a tie goes to even: below ...
    {1 + 0x3p-24, 1 + 0x2p-23F, 0},                                 // ... and above
    {1 + 0x1p-24 + 0x1p-52, 1 + 0x1p-23F, 0},                       // just more than a tie
    {0x1p-149, 0x1p-149F, 0},                                       // the smallest denormal
    {0x1p-150, 0.0F, 0},                                            // a tie with 0
    {-0x1.8p-150, -0x1p-149F, 0},                                   // more than a tie
    {-1e-300, -0.0F, 0},                                            // only the sign is left
    {0x1.fffffep127, std::numeric_limits<float>::max(), 0},         // the largest f32
    {0x1.fffffefffffffp127, std::numeric_limits<float>::max(), 0},  // the last that rounds down
    {0x1.ffffffp127, kInfinity, 1},                                 // the first that rounds up
    {-0x1.ffffffp127, -kInfinity, 1},                               // its negative
    {std::numeric_limits<double>::max(), kInfinity, 1},             // the largest f64
    {std::numeric_limits<double>::infinity(), kInfinity, 0},        // infinite already
    {-std::numeric_limits<double>::infinity(), -kInfinity, 0},      // its negative
};

TEST(ElementCast, RoundsF64ToTheNearestF32) {
  for (const NarrowCase& one : kNarrowCases) {
    SCOPED_TRACE(one.value);
    std::int64_t out_of_range = -1;
    const std::vector<float> result = cast<double, float>({one.value}, &out_of_range);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(result[0]), std::bit_cast<std::uint32_t>(one.expected));
    EXPECT_EQ(out_of_range, one.out_of_range);
  }
}

TEST(ElementCast, CountsOverflowsInRunsOfAnyLength) {
  std::vector<double> values;
  std::vector<float> expected;
  std::int64_t expected_count = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    const NarrowCase& one = kNarrowCases[i % std::size(kNarrowCases)];
    values.push_back(one.value);
    expected.push_back(one.expected);
    expected_count += one.out_of_range;
    std::int64_t out_of_range = -1;
    EXPECT_EQ((cast<double, float>(values, &out_of_range)), expected);
    EXPECT_EQ(out_of_range, expected_count);
  }
  EXPECT_EQ(expected_count, 18);
}

TEST(ElementCast, KeepsNanWithoutCountingIt) {
  std::int64_t out_of_range = -1;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(cast<double, float>({nan}, &out_of_range)[0]));
  EXPECT_EQ(out_of_range, 0);
  EXPECT_TRUE(std::isnan(cast<float, double>({std::nanf("")}, &out_of_range)[0]));
  EXPECT_EQ(out_of_range, 0);
}

RC_GTEST_PROP(ElementCast, F32RoundTripsThroughF64, (const std::vector<std::uint32_t>& bits)) {
  std::vector<float> values;
  for (const std::uint32_t one : bits) {
    const auto value = std::bit_cast<float>(one);
    if (!std::isnan(value)) values.push_back(value);
  }
  std::int64_t out_of_range = -1;
  const std::vector<double> wide = cast<float, double>(values, &out_of_range);
  RC_ASSERT(out_of_range == 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    RC_ASSERT(wide[i] == static_cast<double>(values[i]));
  }
  const std::vector<float> back = cast<double, float>(wide, &out_of_range);
  RC_ASSERT(out_of_range == 0);
  const bool is_same =
      values.empty() || std::memcmp(back.data(), values.data(), values.size() * sizeof(float)) == 0;
  RC_ASSERT(is_same);
}

TEST(ElementCast, CastingToTheSameTypeCopies) {
  std::int64_t out_of_range = -1;
  EXPECT_EQ((cast<std::int32_t, std::int32_t>({1, -2, 3}, &out_of_range)),
            (std::vector<std::int32_t>{1, -2, 3}));
  EXPECT_EQ(out_of_range, 0);
  EXPECT_EQ((cast<double, double>({1e300}, &out_of_range)), std::vector<double>{1e300});
  EXPECT_EQ(out_of_range, 0);
  EXPECT_TRUE((cast<float, double>({}, &out_of_range)).empty());
}

TEST(ElementCast, NumberTypesCastToEachOther) {
  EXPECT_TRUE(can_cast(ElementType::f32, ElementType::f64));
  EXPECT_TRUE(can_cast(ElementType::bf16, ElementType::u16));
  EXPECT_TRUE(can_cast(ElementType::bytes, ElementType::bytes));
  EXPECT_FALSE(can_cast(ElementType::bytes, ElementType::u8));
  EXPECT_FALSE(can_cast(ElementType::u8, ElementType::bytes));
  EXPECT_TRUE(casts_by_rounding(ElementType::f32, ElementType::bf16));
  EXPECT_FALSE(casts_by_rounding(ElementType::i32, ElementType::f32));
  EXPECT_FALSE(casts_by_rounding(ElementType::f32, ElementType::u8));
}

TEST(ElementCast, CountsNumbersThatTheTypeCannotHold) {
  std::int64_t lost = -1;
  EXPECT_EQ((cast<std::int64_t, Float16>({65'504, 2048}, &lost)),
            (std::vector<Float16>{{0x7bff}, {0x6800}}));
  EXPECT_EQ(lost, 0);
  static_cast<void>(cast<std::int64_t, Float16>({2049, 65'520, 1}, &lost));
  EXPECT_EQ(lost, 2);
  EXPECT_EQ((cast<float, BFloat16>({1.00390625F, kInfinity, 3e38F}, &lost)),
            (std::vector<BFloat16>{{0x3f80}, {0x7f80}, {0x7f62}}));
  EXPECT_EQ(lost, 0) << "an infinite value was infinite before";
  static_cast<void>(cast<float, Float16>({65'519, 65'520, -1e30F}, &lost));
  EXPECT_EQ(lost, 2);
  EXPECT_EQ((cast<BFloat16, std::int32_t>({{0xc0a0}}, &lost)), std::vector<std::int32_t>{-5});
  EXPECT_EQ(lost, 0);
  const std::string values = shifted(std::vector<Float16>{{0x3c00}, {0x3800}, {0x7e00}});
  const auto* const bytes = reinterpret_cast<const std::byte*>(values.data() + 1);
  EXPECT_EQ(first_lost(ElementType::f16, bytes, ElementType::u16, 3), 1);
  EXPECT_EQ(first_lost(ElementType::f16, bytes, ElementType::u16, 1), 1);
  EXPECT_EQ(first_lost(ElementType::f16, bytes, ElementType::bf16, 3), 3);
}

}  // namespace
}  // namespace sheaf::internal
