#include "format/sheaf/decimal_packing.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::container {
namespace {

template <typename T>
std::vector<std::byte> bits_of_values(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Returns values as a parser of text makes them, with a number of digits and of decimal places.
template <typename T>
std::vector<T> decimals(std::int64_t count, int digits, int fraction, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i) {
    std::string text = random() % 2 == 0 ? "-" : "";
    for (int k = 0; k < digits; ++k) {
      if (k == digits - fraction) text += k == 0 ? "0." : ".";
      text += static_cast<char>('0' + random() % 10);
    }
    T value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    values.push_back(value == 0 ? T{0} : value);  // no -0
  }
  return values;
}

// Packs and unpacks values and compares all bits. Returns the packed size, or nothing if decimals
// do not fit.
template <typename T>
std::optional<std::int64_t> round_trip(const std::vector<T>& values,
                                       std::int64_t size_max = std::int64_t{1} << 40) {
  const std::optional<Buffer> packed = pack_decimals(std::span<const T>(values), size_max);
  if (!packed) return std::nullopt;
  EXPECT_LE(packed->size_bytes(), size_max);
  std::vector<T> back(values.size(), T{99});
  const std::span bytes(packed->data(), static_cast<std::size_t>(packed->size_bytes()));
  EXPECT_TRUE(unpack_decimals(bytes, std::span<T>(back)));
  EXPECT_EQ(bits_of_values(back), bits_of_values(values));
  return packed->size_bytes();
}

TEST(DecimalPacking, DecimalValuesRoundTripExactly) {
  std::uint64_t seed = 0;
  for (const std::int64_t count : {1, 2, 255, 256, 257, 1023, 1024, 1025, 5000}) {
    for (int digits = 1; digits <= 15; ++digits) {
      for (int fraction = 0; fraction <= digits; ++fraction) {
        SCOPED_TRACE(count);
        SCOPED_TRACE(digits * 100 + fraction);
        EXPECT_TRUE(round_trip(decimals<double>(count, digits, fraction, ++seed)).has_value());
        if (digits <= 7) round_trip(decimals<float>(count, digits, fraction, ++seed));
      }
    }
  }
}

TEST(DecimalPacking, ADigitTakesLittleMoreThanAThirdOfAByte) {
  // Five digits and a sign take 18 bits.
  EXPECT_LT(*round_trip(decimals<double>(100'000, 5, 4, 1)), 100'000 * 18 / 8 + 2000);
  EXPECT_LT(*round_trip(decimals<float>(100'000, 5, 4, 1)), 100'000 * 18 / 8 + 2000);
}

template <typename T>
void check_exceptions() {
  using Limits = std::numeric_limits<T>;
  const T special[] = {-T{0},
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN(),
                       -Limits::quiet_NaN(),
                       Limits::max(),
                       Limits::lowest(),
                       Limits::min(),
                       Limits::denorm_min(),
                       T{1} / 3,
                       T{2251799813685248},
                       static_cast<T>(std::sqrt(2.0))};
  for (const T value : special) {
    for (const std::size_t location : {0U, 1U, 7U, 8U, 1023U, 1024U, 1999U, 2000U}) {
      SCOPED_TRACE(location);
      std::vector<T> values = decimals<T>(2001, 4, 2, 7);  // 2000: a group of one
      const std::int64_t before = *round_trip(values);
      values[location] = value;
      const std::int64_t size = *round_trip(values);
      EXPECT_LE(size, before + 18 + 2 + std::int64_t{sizeof(T)});  // two heads, a position, bits
    }
  }
  // Every value of a vector is an exception, or every value but one.
  std::vector<T> values = decimals<T>(3000, 4, 2, 7);
  for (std::size_t i = 1024; i < 2048; ++i) values[i] = T{1} / 3;
  EXPECT_TRUE(round_trip(values).has_value());
  values[2047] = T{12};
  EXPECT_TRUE(round_trip(values).has_value());
}

TEST(DecimalPacking, OtherValuesAreExceptions) {
  check_exceptions<float>();
  check_exceptions<double>();
}

TEST(DecimalPacking, ManyExceptionsPreventPacking) {
  std::mt19937_64 random(3);
  std::vector<double> values;
  values.reserve(4000);
  for (int i = 0; i < 4000; ++i) values.push_back(std::bit_cast<double>(random() >> 2));
  EXPECT_EQ(pack_decimals(std::span<const double>(values), 1 << 30).has_value(), false);
}

TEST(DecimalPacking, TheSizeLimitIsKept) {
  const std::vector<double> values = decimals<double>(5000, 6, 3, 9);
  const std::int64_t size = *round_trip(values);
  EXPECT_EQ(round_trip(values, size), size);
  EXPECT_EQ(round_trip(values, size - 1), std::nullopt);
  EXPECT_EQ(round_trip(values, 0), std::nullopt);
}

TEST(DecimalPacking, InvalidBytesAreRefused) {
  std::vector<double> values = decimals<double>(1100, 6, 3, 9);
  values[5] = 1.0 / 3;
  values[700] = 1.0 / 7;
  const std::optional<Buffer> packed = pack_decimals(std::span<const double>(values), 1 << 20);
  ASSERT_TRUE(packed.has_value());
  const std::vector<std::byte> bytes(packed->data(), packed->data() + packed->size_bytes());
  std::vector<double> back(values.size());
  const auto is_read = [&](const std::vector<std::byte>& other) {
    return unpack_decimals(other, std::span<double>(back));
  };
  EXPECT_TRUE(is_read(bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_FALSE(is_read({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}))
        << size;
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(is_read(longer));

  const auto changed = [&](std::size_t at, std::uint8_t value) {
    std::vector<std::byte> other = bytes;
    other[at] = static_cast<std::byte>(value);
    return other;
  };
  EXPECT_FALSE(is_read(changed(0, 19)));  // the exponent
  EXPECT_TRUE(is_read(changed(0, 18)));
  EXPECT_FALSE(is_read(changed(1, 1)));  // the number of exceptions
  EXPECT_FALSE(is_read(changed(1, 3)));
  EXPECT_FALSE(is_read(changed(8, 255)));
  // The second exception has no distance, or lies after the last value. Both distances are packed
  // as 8 bytes of the least distance, one byte of the width, and the bits.
  const std::size_t highs_size = 9 + (2 * 64 + 7) / 8;
  std::size_t distances = 0;
  for (std::size_t at = 9; at + 9 < bytes.size() && distances == 0; ++at) {
    if (bytes[at] == std::byte{5} && bytes[at + 8] == std::byte{10}) distances = at;
  }
  ASSERT_GT(distances, 0U);
  ASSERT_LT(distances, bytes.size() - highs_size / 2);
  EXPECT_FALSE(is_read(changed(distances, 255)));      // 255 and 945: after the last value
  EXPECT_FALSE(is_read(changed(distances + 7, 255)));  // far beyond the end
  EXPECT_TRUE(is_read(changed(distances, 6)));
}

}  // namespace
}  // namespace sheaf::container
