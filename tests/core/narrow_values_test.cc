#include "core/narrow_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/extend/simd.h"

#include "support/buffer_of.h"

namespace sheaf::internal {
namespace {

using testing::buffer_of;

template <typename T>
NarrowForm form_of(const std::vector<T>& values) {
  return narrow_form(buffer_of(values), element_type_of<T>);
}

/// Returns the bytes of `count` values from number `first` on.
template <typename T>
std::string widened(const NarrowValues& narrow, std::size_t first, std::size_t count) {
  std::vector<T> wide(count + 1);
  narrow.widen(static_cast<std::int64_t>(first), static_cast<std::int64_t>(count),
               reinterpret_cast<std::byte*>(wide.data()));
  return {reinterpret_cast<const char*>(wide.data()), count * sizeof(T)};
}

template <typename T>
std::string bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

/// Checks that all values come back, also in parts, and that each value takes `code_size` bytes.
template <typename T>
void expect_narrow(const std::vector<T>& values, std::int64_t code_size) {
  const Buffer buffer = buffer_of(values);
  for (const SimdLevel level : simd_levels()) {
    set_simd_level(level);
    const NarrowForm form = narrow_form(buffer, element_type_of<T>);
    EXPECT_EQ(form.code_size, code_size) << to_string(level);
    EXPECT_EQ(form.count, std::ssize(values));
    EXPECT_EQ(form.size_bytes(), std::ssize(values) * code_size);
    const NarrowValues narrow(buffer, form);
    EXPECT_GE(narrow.memory_bytes(), form.size_bytes());
    EXPECT_EQ(widened<T>(narrow, 0, values.size()), bytes_of<T>(values)) << to_string(level);
    for (std::size_t first = 0; first < values.size(); first += values.size() / 3 + 1) {
      const std::size_t count = (values.size() - first + 1) / 2;
      EXPECT_EQ(widened<T>(narrow, first, count),
                bytes_of<T>(std::span(values).subspan(first, count)));
    }
  }
  set_simd_level(simd_levels().back());
}

template <typename T>
class NarrowNumbers : public ::testing::Test {};
using Numbers = ::testing::Types<float, double, std::int32_t, std::int64_t, std::uint16_t>;
TYPED_TEST_SUITE(NarrowNumbers, Numbers);

TYPED_TEST(NarrowNumbers, UseTheBytesThatTheirRangeNeeds) {
  using T = TypeParam;
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  const auto two = [](double a, double b) {
    return std::vector<T>{static_cast<T>(a), static_cast<T>(b), static_cast<T>(a)};
  };
  expect_narrow(two(0, 255), 1);
  expect_narrow(two(7, 262), 1);
  expect_narrow(two(262, 7), 1);
  expect_narrow(two(0, 256), std::min<std::int64_t>(2, kSize));
  expect_narrow(two(0, 65535), std::min<std::int64_t>(2, kSize));
  if (kSize == 2) return;
  expect_narrow(two(1, 65536), 2);
  expect_narrow(two(0, 65536), 4);
  expect_narrow(two(-128, 127), 1);
  expect_narrow(two(-129, 127), 2);
  expect_narrow(two(-40'000, 25'535), 2);
  expect_narrow(two(-40'001, 25'535), 4);
  expect_narrow(two(4'000'000, 4'000'255), 1);
}

TEST(NarrowValues, EightByteTypesAreNarrowedToFourBytes) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  expect_narrow<std::int64_t>({0, kMost, 1}, 4);
  expect_narrow<std::int64_t>({0, kMost + 1, 1}, 8);
  expect_narrow<std::int64_t>({kLeast, kLeast + kMost, kLeast}, 4);
  expect_narrow<std::int64_t>({kLeast, std::numeric_limits<std::int64_t>::max(), 0}, 8);
  expect_narrow<double>({0.0, 4294967295.0, 1.0}, 4);
  expect_narrow<double>({0.0, 4294967296.0, 1.0}, 8);
}

TEST(NarrowValues, EqualValuesTakeNoBytes) {
  expect_narrow<float>(std::vector(3000, 0.1F), 0);
  expect_narrow<double>(std::vector(3, -0.0), 0);
  expect_narrow<double>(std::vector(3, std::numeric_limits<double>::quiet_NaN()), 0);
  expect_narrow<std::int64_t>(std::vector(3, std::numeric_limits<std::int64_t>::min()), 0);
  expect_narrow<std::uint16_t>(std::vector<std::uint16_t>(3, 65535), 0);
  expect_narrow<std::uint8_t>(std::vector<std::uint8_t>(3, 255), 0);
  expect_narrow<float>({7.F}, 0);
}

TEST(NarrowValues, OtherValuesAreNotNarrowed) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  expect_narrow<float>({0.F, 0.5F, 1.F}, 4);
  expect_narrow<float>({0.F, -0.F, 1.F}, 4);
  expect_narrow<float>({1.F, kInf, 2.F}, 4);
  expect_narrow<float>({1.F, -kInf, kNan}, 4);
  expect_narrow<float>({1.F, kNan, 2.F}, 4);
  expect_narrow<float>({0.F, std::numeric_limits<float>::denorm_min(), 2.F}, 4);
  expect_narrow<float>({-std::numeric_limits<float>::max(), 0.F, 2.F}, 4);
  expect_narrow<double>({0.0, -0.0, 1.0}, 8);
  expect_narrow<double>({0.0, 0x1p60, 1.0}, 8);
  expect_narrow<std::uint8_t>({1, 2, 3}, 1);
}

TEST(NarrowValues, OneDifferingValueAnywhereIsFound) {
  for (const std::size_t index : {0U, 1U, 1023U, 1024U, 2999U}) {
    std::vector<float> values(3000);
    std::iota(values.begin(), values.end(), 0.F);
    expect_narrow(values, 2);
    values[index] = 0.5F;
    expect_narrow(values, 4);
    values[index] = 70'000.F;
    expect_narrow(values, 4);
  }
}

TEST(NarrowValues, ASignallingNanRoundTrips) {
  const auto signalling = std::bit_cast<float>(std::uint32_t{0x7FA0'0001});
  const auto quiet = std::bit_cast<float>(std::uint32_t{0x7FC0'0001});
  // Compares bytes, because some instructions that copy a float make it quiet.
  for (const float last : {signalling, quiet}) {
    const Buffer buffer = buffer_of(std::vector{1.F, 2.F, last});
    const NarrowValues narrow(buffer, narrow_form(buffer, ElementType::f32));
    EXPECT_EQ(widened<float>(narrow, 0, 3), bytes_of(buffer.as<float>()));
  }
}

TEST(NarrowValues, AnEmptyListHasNoBytes) {
  const NarrowForm form = form_of(std::vector<float>());
  EXPECT_EQ(form.size_bytes(), 0);
  const NarrowValues narrow(Buffer(), form);
  EXPECT_EQ(narrow.memory_bytes(), 0);
  narrow.widen(0, 0, nullptr);
}

template <typename T>
void check_any(std::int64_t least, std::int64_t greatest) {
  const auto values = *rc::gen::container<std::vector<T>>(
      rc::gen::map(rc::gen::inRange<std::int64_t>(least, greatest),
                   [](std::int64_t value) { return static_cast<T>(value); }));
  const Buffer buffer = buffer_of(values);
  const NarrowValues narrow(buffer, narrow_form(buffer, element_type_of<T>));
  RC_ASSERT(widened<T>(narrow, 0, values.size()) == bytes_of<T>(values));
}

RC_GTEST_PROP(NarrowValues, RoundTrip, ()) {
  const auto least = *rc::gen::arbitrary<std::int32_t>();
  const auto width = *rc::gen::element<std::int64_t>(1, 255, 257, 65'536, 65'537, 10'000'000);
  check_any<float>(least, least + width);
  check_any<double>(least, least + width);
  check_any<std::int64_t>(least, least + width);
}

RC_GTEST_PROP(NarrowValues, AnyBitsRoundTrip, (const std::vector<std::uint32_t>& bits)) {
  std::vector<float> values(bits.size());
  std::memcpy(values.data(), bits.data(), bits.size() * sizeof(float));
  const Buffer buffer = buffer_of(bits);
  const NarrowValues narrow(buffer, narrow_form(buffer, ElementType::f32));
  RC_ASSERT(widened<std::uint32_t>(narrow, 0, bits.size()) == bytes_of<std::uint32_t>(bits));
}

std::vector<std::int64_t> read(const NarrowOffsets& offsets, std::int64_t count) {
  std::vector<std::int64_t> list;
  for (std::int64_t i = 0; i < count; ++i) list.push_back(offsets[i]);
  return list;
}

TEST(NarrowOffsets, RoundTrip) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  const struct {
    std::vector<std::int64_t> offsets;
    std::int64_t size_bytes;
  } cases[] = {
      {{0}, 0},
      {{0, 5}, 0},
      {{0, 1, 2, 3}, 0},
      {{0, 7, 14}, 0},
      {{0, 0, 0}, 0},
      {{0, 0, 1}, 12},
      {{0, 1, 3}, 12},
      {{0, 1, kMost}, 12},
      {{0, 1, kMost + 1}, 24},
      {{0, kMost + 1}, 0},
  };
  for (const auto& c : cases) {
    const Buffer buffer = buffer_of(c.offsets);
    const NarrowOffsets offsets(buffer);
    EXPECT_FALSE(offsets.empty());
    EXPECT_EQ(NarrowOffsets::size_bytes(buffer), c.size_bytes);
    EXPECT_EQ(offsets.memory_bytes() > 0, c.size_bytes > 0);
    EXPECT_EQ(read(offsets, std::ssize(c.offsets)), c.offsets);
    std::vector<std::int64_t> written(c.offsets.size() - 1, -1);
    offsets.write(1, std::ssize(written), 100, written.data());
    for (std::size_t i = 0; i < written.size(); ++i) EXPECT_EQ(written[i], c.offsets[i + 1] + 100);
  }
  EXPECT_TRUE(NarrowOffsets().empty());
  EXPECT_TRUE(NarrowOffsets(Buffer()).empty());
}

}  // namespace
}  // namespace sheaf::internal
