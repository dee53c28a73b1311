#include "core/narrow_kernel.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/simd.h"

namespace sheaf::internal {
namespace {

/// What a kernel makes of some values.
struct Result {
  bool is_narrow = false;
  NarrowRange range;
  std::vector<std::byte> codes;
  std::string values;  // from the codes
};

template <typename T>
Result result_of(const std::vector<T>& values, SimdLevel level) {
  set_simd_level(level);
  const NarrowKernel& kernel = narrow_kernel();
  const auto* const bytes = reinterpret_cast<const std::byte*>(values.data());
  const auto count = std::ssize(values);
  Result result;
  result.is_narrow = kernel.find_range(bytes, count, element_type_of<T>, result.range);
  set_simd_level(simd_levels().back());
  if (!result.is_narrow) return result;
  const NarrowForm form = {.type = element_type_of<T>,
                           .count = count,
                           .code_size = code_size_for(result.range),
                           .base = result.range.least};
  result.codes.resize(static_cast<std::size_t>(form.size_bytes()));
  kernel.encode(bytes, form, result.codes.data());
  std::vector<T> back(values.size());
  kernel.decode(result.codes.data(), count, form, reinterpret_cast<std::byte*>(back.data()));
  result.values.assign(reinterpret_cast<const char*>(back.data()), back.size() * sizeof(T));
  return result;
}

/// Checks that the kernels of all instruction sets give the same bytes, and the values again.
template <typename T>
void expect_equal(const std::vector<T>& values, bool is_narrow) {
  const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  const Result baseline = result_of(values, SimdLevel::baseline);
  EXPECT_EQ(baseline.is_narrow, is_narrow);
  for (const SimdLevel level : simd_levels()) {
    const Result result = result_of(values, level);
    EXPECT_EQ(result.is_narrow, is_narrow) << to_string(level) << ", " << values.size();
    if (!is_narrow) continue;
    EXPECT_EQ(result.range.least, baseline.range.least) << to_string(level);
    EXPECT_EQ(result.range.greatest, baseline.range.greatest) << to_string(level);
    EXPECT_EQ(result.codes, baseline.codes) << to_string(level) << ", " << values.size();
    EXPECT_EQ(result.values, bytes) << to_string(level) << ", " << values.size();
  }
}

template <typename T>
std::vector<T> numbers(std::size_t count, std::int64_t least, std::int64_t width) {
  std::mt19937_64 random(count + static_cast<std::size_t>(width));
  std::vector<T> values;
  for (std::size_t i = 0; i < count; ++i) {
    const auto more = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(width + 1));
    values.push_back(static_cast<T>(least + more));
  }
  values.front() = static_cast<T>(least);
  values.back() = static_cast<T>(least + width);
  return values;
}

template <typename T>
class NarrowKernels : public ::testing::Test {};
using Types = ::testing::Types<float, double, std::int32_t, std::int64_t, std::uint16_t>;
TYPED_TEST_SUITE(NarrowKernels, Types);

// 1,024 values are checked together.
TYPED_TEST(NarrowKernels, AreEqualForAnyNumberOfValues) {
  for (std::size_t count = 1; count < 140; ++count) {
    expect_equal(numbers<TypeParam>(count, 3, count == 1 ? 0 : 200), true);
  }
  for (const std::size_t count : {1023U, 1024U, 1025U, 2047U, 2048U, 2049U, 5000U}) {
    expect_equal(numbers<TypeParam>(count, 7, 255), true);
    expect_equal(numbers<TypeParam>(count, 7, 256), sizeof(TypeParam) > 2);
    expect_equal(numbers<TypeParam>(count, 0, 65'535), sizeof(TypeParam) > 2);
  }
}

TYPED_TEST(NarrowKernels, FindOneWrongValueAnywhere) {
  if constexpr (std::is_floating_point_v<TypeParam>) {
    for (const TypeParam wrong : {TypeParam(0.5), TypeParam(-0.0), TypeParam(1e30),
                                  std::numeric_limits<TypeParam>::infinity(),
                                  std::numeric_limits<TypeParam>::quiet_NaN()}) {
      for (const std::size_t at : {0U, 1U, 31U, 32U, 63U, 1023U, 1024U, 1499U}) {
        auto values = numbers<TypeParam>(1500, 0, 100);
        values[at] = wrong;
        expect_equal(values, false);
      }
    }
  } else {
    for (const std::size_t at : {0U, 1U, 31U, 32U, 63U, 1023U, 1024U, 1499U}) {
      auto values = numbers<TypeParam>(1500, 0, 100);
      values[at] = std::numeric_limits<TypeParam>::max();
      expect_equal(values, false);
    }
  }
}

/// Checks values with neighbouring bits. Adding a large number to them may round, overflow, or
/// give NaN.
template <typename T, typename Bits>
void expect_equal_near(T value) {
  std::vector<T> values;
  for (Bits i = 0; i < 70; ++i) {
    values.push_back(std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(value) + i % 7)));
  }
  expect_equal(values, result_of(values, SimdLevel::baseline).is_narrow);
}

TYPED_TEST(NarrowKernels, AreEqualForUnusualNumbers) {
  using T = TypeParam;
  if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    for (const T value : {T(0), T(0.5), T(1e9), Limits::denorm_min(), Limits::min(), Limits::max(),
                          Limits::infinity(), Limits::quiet_NaN(), T(1 / Limits::epsilon()),
                          T(1.5 / Limits::epsilon()), T(4 / Limits::epsilon())}) {
      expect_equal_near<T, Bits>(value);
      expect_equal_near<T, Bits>(-value);
    }
  } else {
    expect_equal<T>({std::numeric_limits<T>::min(), std::numeric_limits<T>::max()}, false);
  }
}

TEST(NarrowKernel, NegativeNumbersHaveSmallCodes) {
  expect_equal(numbers<float>(300, -100, 255), true);
  expect_equal(numbers<double>(300, -40'000, 65'535), true);
  expect_equal(numbers<std::int32_t>(300, std::numeric_limits<std::int32_t>::min(), 255), true);
  expect_equal(numbers<std::int64_t>(300, std::numeric_limits<std::int64_t>::min(), 65'536), true);
}

TEST(NarrowKernel, CodesTakeTheBytesOfTheRange) {
  EXPECT_EQ(code_size_for({.least = 5, .greatest = 5}), 1);
  EXPECT_EQ(code_size_for({.least = -1, .greatest = 254}), 1);
  EXPECT_EQ(code_size_for({.least = -1, .greatest = 255}), 2);
  EXPECT_EQ(code_size_for({.least = 0, .greatest = 65'535}), 2);
  EXPECT_EQ(code_size_for({.least = 0, .greatest = 65'536}), 4);
  EXPECT_EQ(code_size_for({.least = 0, .greatest = 0xFFFF'FFFF}), 4);
  EXPECT_EQ(code_size_for({.least = 0, .greatest = 0x1'0000'0000}), 8);
  EXPECT_EQ(code_size_for({.least = std::numeric_limits<std::int64_t>::min(),
                           .greatest = std::numeric_limits<std::int64_t>::max()}),
            8);
}

}  // namespace
}  // namespace sheaf::internal
