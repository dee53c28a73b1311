#include "format/sheaf/packing_kernel.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sheaf/extend/simd.h"

namespace sheaf::container {
namespace {

/// Calls `body` with the kernel of each instruction set of this machine.
template <typename Body>
void with_each_kernel(const Body& body) {
  for (const SimdLevel level : simd_levels()) {
    SCOPED_TRACE(std::string(to_string(level)));
    set_simd_level(level);
    body(packing_kernel());
  }
  set_simd_level(simd_levels().back());
}

TEST(PackingKernel, EveryWidthIsUnpackedBitByBit) {
  std::mt19937_64 random(1);
  with_each_kernel([&](const PackingKernel& kernel) {
    for (unsigned width = 1; width <= 57; ++width) {
      for (const std::int64_t count : {1, 7, 8, 9, 1023, 1024}) {
        std::vector<std::byte> bits(
            static_cast<std::size_t>((count * width + 7) / 8 + kReadBehind));
        for (std::byte& each : bits) each = static_cast<std::byte>(random());
        const std::uint64_t base = random();
        std::vector<std::uint64_t> numbers(static_cast<std::size_t>((count + 7) / 8 * 8));
        kernel.unpack({bits.data(), count, width, base}, numbers.data());
        for (std::int64_t i = 0; i < count; ++i) {
          std::uint64_t expected = 0;
          for (std::int64_t bit = 0; bit < width; ++bit) {
            const std::int64_t at = i * width + bit;
            const auto byte =
                std::to_integer<std::uint64_t>(bits[static_cast<std::size_t>(at / 8)]);
            expected |= ((byte >> (at % 8)) & 1) << bit;
          }
          ASSERT_EQ(numbers[static_cast<std::size_t>(i)], base + expected) << width << " " << i;
        }
      }
    }
  });
}

template <typename T>
auto bits_of(T value) {
  return std::bit_cast<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(value);
}

template <typename T>
void check_products(const PackingKernel& kernel, std::vector<T> values, double power) {
  std::vector<std::uint64_t> integers(values.size());
  std::vector<std::uint8_t> are_others(values.size(), 7);
  std::vector<T> back(values.size());
  const auto count = std::ssize(values);
  std::int64_t other_count = 0;
  if constexpr (sizeof(T) == 4) {
    other_count =
        kernel.multiply_f32(values.data(), count, power, integers.data(), are_others.data());
    kernel.divide_f32(integers.data(), count, power, back.data());
  } else {
    other_count =
        kernel.multiply_f64(values.data(), count, power, integers.data(), are_others.data());
    kernel.divide_f64(integers.data(), count, power, back.data());
  }
  std::int64_t expected_count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double integer = std::nearbyint(static_cast<double>(values[i]) * power);
    const bool is_small = std::abs(integer) < kIntegerMax;
    // The integer 0 has no sign, so -0 does not fit.
    const T quotient = static_cast<T>((integer + 0.0) / power);
    const bool is_same = is_small && bits_of(quotient) == bits_of(values[i]);
    ASSERT_EQ(are_others[i], is_same ? 0 : 1) << values[i];
    expected_count += is_same ? 0 : 1;
    if (!is_small) continue;
    ASSERT_EQ(static_cast<std::int64_t>(integers[i]), static_cast<std::int64_t>(integer));
    const T plain = static_cast<T>(static_cast<double>(static_cast<std::int64_t>(integer)) / power);
    ASSERT_EQ(bits_of(back[i]), bits_of(plain)) << values[i];
  }
  EXPECT_EQ(other_count, expected_count);
}

template <typename T>
std::vector<T> values_to_multiply(std::size_t count) {
  using Limits = std::numeric_limits<T>;
  const std::array<T, 12> special = {T{0},
                                     -T{0},
                                     Limits::infinity(),
                                     -Limits::infinity(),
                                     Limits::quiet_NaN(),
                                     Limits::max(),
                                     Limits::lowest(),
                                     Limits::denorm_min(),
                                     static_cast<T>(2251799813685247.0),
                                     static_cast<T>(2251799813685248.0),
                                     static_cast<T>(-2251799813685248.0),
                                     T{1} / 3};
  std::mt19937_64 random(3);
  std::vector<T> values;
  for (std::size_t i = 0; i < count; ++i) {
    const auto digits = static_cast<std::int64_t>(random() % 2'000'001) - 1'000'000;
    values.push_back(i % 5 == 4 ? special[i / 5 % special.size()]
                                : static_cast<T>(static_cast<double>(digits) / 1000));
  }
  return values;
}

TEST(PackingKernel, ProductsAndQuotientsMatchDoubleArithmetic) {
  with_each_kernel([&](const PackingKernel& kernel) {
    for (const double power : {1.0, 10.0, 1e3, 1e5, 1e18}) {
      for (const std::size_t count : {1U, 3U, 4U, 5U, 7U, 8U, 9U, 300U}) {
        check_products(kernel, values_to_multiply<float>(count), power);
        check_products(kernel, values_to_multiply<double>(count), power);
      }
    }
  });
}

TEST(PackingKernel, TheHashIsXxh3) {
  std::mt19937_64 random(5);
  std::vector<std::uint8_t> bytes(100'001);
  for (std::uint8_t& each : bytes) each = static_cast<std::uint8_t>(random());
  with_each_kernel([&](const PackingKernel& kernel) {
    for (std::size_t size = 0; size < 1200; ++size) {
      ASSERT_EQ(kernel.hash(bytes.data() + 1, size), XXH3_64bits(bytes.data() + 1, size)) << size;
    }
    EXPECT_EQ(kernel.hash(bytes.data(), bytes.size()), XXH3_64bits(bytes.data(), bytes.size()));
  });
}

}  // namespace
}  // namespace sheaf::container
