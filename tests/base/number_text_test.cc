#include "base/number_text.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/number.h"

namespace sheaf {
namespace {

template <typename T>
std::string text_of(T value) {
  std::array<char, kNumberTextRoom> text;
  return {text.data(), write_number(text.data(), value)};
}

/// Returns the digits without zeros at the ends, and the exponent of the first digit.
std::pair<std::string, int> digits_of(std::string_view text) {
  std::string digits;
  int point = 0;
  bool is_fraction = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == 'e') {
      point += std::atoi(std::string(text.substr(i + 1)).c_str());
      break;
    }
    if (c == '.') is_fraction = true;
    if (c < '0' || c > '9') continue;
    if (!digits.empty() || c != '0') {
      digits += c;
      point += is_fraction ? 0 : 1;
    } else if (is_fraction) {
      --point;
    }
  }
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
  return {digits, digits.empty() ? 0 : point};
}

/// Compares with the standard library, which has other rules for exponents.
template <typename T>
bool is_right(T value) {
  const std::string text = text_of(value);
  std::array<char, 64> buffer;
  const bool is_whole = std::fabs(static_cast<double>(value)) < 1e16 && std::trunc(value) == value;
  char* const end =
      is_whole
          ? std::to_chars(buffer.begin(), buffer.end(), static_cast<std::int64_t>(value)).ptr
          : std::to_chars(buffer.begin(), buffer.end(), value, std::chars_format::scientific).ptr;
  const std::string_view expected(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  T back{};
  const std::from_chars_result read = std::from_chars(text.data(), text.data() + text.size(), back);
  const bool is_equal = read.ptr == text.data() + text.size() && back == value &&
                        std::signbit(back) == std::signbit(value) &&
                        digits_of(text) == digits_of(expected) &&
                        std::ssize(text) <= kNumberTextMax;
  EXPECT_TRUE(is_equal) << text << " for " << expected;
  return is_equal;
}

template <typename T>
struct Case {
  T value;
  const char* text;
};

const Case<double> kDoubles[] = {
    {0.0, "0"},                                            //
    {-0.0, "-0"},                                          // keeps its sign
    {1.0, "1"},                                            //
    {-12.0, "-12"},                                        //
    {0.5, "0.5"},                                          // a power of two
    {0.1, "0.1"},                                          //
    {-0.125, "-0.125"},                                    //
    {3.14159, "3.14159"},                                  // a point inside
    {123456.789, "123456.789"},                            //
    {12345678.5, "12345678.5"},                            // after eight digits
    {123456789.5, "123456789.5"},                          // after nine
    {0.30000000000000004, "0.30000000000000004"},          // seventeen digits
    {1.7976931348623157e308, "1.7976931348623157e308"},    // the largest
    {2.2250738585072014e-308, "2.2250738585072014e-308"},  // the smallest normal one
    {4.9e-324, "5e-324"},                                  // the smallest
    {1e15, "1000000000000000"},                            // no exponent ...
    {9999999999999998.0, "9999999999999998"},              // ... below 1e16
    {1e16, "1e16"},                                        // an exponent from there on
    {12345678901234567000.0, "1.2345678901234567e19"},     //
    {9007199254740993.0, "9007199254740992"},              // all digits of integers
    {1e22, "1e22"},                                        //
    {1e23, "1e23"},                                        // the tie goes to even
    {0.0001, "0.0001"},                                    // the last without ...
    {0.00012345, "0.00012345"},                            //
    {0.00001, "1e-5"},                                     // ... an exponent
    {-0.000099999, "-9.9999e-5"},                          //
    {2759394162962439.5, "2759394162962439.5"},            // sixteen in front
    {0.1 + 0.7, "0.7999999999999999"},                     //
    {9.5367431640625e-07, "9.5367431640625e-7"},           // 2^-20
    {5e-27, "5e-27"},                                      // too small for 128 bits
};

const Case<float> kFloats[] = {
    {0.1F, "0.1"},                              //
    {0.3F, "0.3"},                              //
    {1.0F / 3, "0.33333334"},                   //
    {16777216.0F, "16777216"},                  //
    {4294967296.0F, "4294967296"},              // all digits of integers
    {8388607.5F, "8388607.5"},                  // the largest fraction
    {3.4028235e38F, "3.4028235e38"},            // the largest
    {-3.4028235e38F, "-3.4028235e38"},          //
    {1.17549435e-38F, "1.1754944e-38"},         // the smallest normal one
    {1.4e-45F, "1e-45"},                        // the smallest
    {0.00006103515625F, "6.1035156e-5"},        // 2^-14
    {9.999999e-5F, "9.999999e-5"},              //
    {3.7e-9F, "3.7e-9"},                        // needs more than 64 bits
    {1e-18F, "1e-18"},                          //
    {1e-25F, "1e-25"},                          // more than 128
    {9999999198822400.0F, "9999999198822400"},  // the largest below 1e16
};

TEST(NumberText, HasTheFewestDigitsThatReadBackTheSame) {
  for (const auto& [value, text] : kDoubles) {
    EXPECT_EQ(text_of(value), text);
    is_right(value);
  }
  for (const auto& [value, text] : kFloats) {
    EXPECT_EQ(text_of(value), text);
    is_right(value);
  }
}

// Tests numbers where intervals are uneven, and where the number of digits changes.
TEST(NumberText, IsRightAroundPowersOfTwoAndOfTen) {
  const auto check_around = [](auto value) {
    using T = decltype(value);
    T below = value;
    T above = value;
    for (int i = 0; i < 3; ++i) {
      if (std::isfinite(above)) is_right(above);
      is_right(below);
      below = std::nextafter(below, T{0});
      above = std::nextafter(above, std::numeric_limits<T>::infinity());
    }
  };
  for (int power = -1074; power < 1024; ++power) check_around(std::ldexp(1.0, power));
  for (int power = -149; power < 128; ++power) check_around(std::ldexp(1.0F, power));
  for (int power = -320; power < 309; ++power)
    check_around(std::strtod(("1e" + std::to_string(power)).c_str(), nullptr));
  for (int power = -44; power < 39; ++power)
    check_around(std::strtof(("1e" + std::to_string(power)).c_str(), nullptr));
  check_around(std::numeric_limits<double>::max());
  check_around(std::numeric_limits<float>::max());
}

TEST(NumberText, IsRightForNumbersOfAllSizes) {
  std::uint64_t state = 1;
  const auto next = [&state] {  // splitmix64
    std::uint64_t z = state += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  };
  for (int i = 0; i < 100'000; ++i) {
    const auto any = std::bit_cast<double>(next());
    if (std::isfinite(any)) {
      ASSERT_TRUE(is_right(any));
    }
    const auto any_f32 = std::bit_cast<float>(static_cast<std::uint32_t>(next()));
    if (std::isfinite(any_f32)) {
      ASSERT_TRUE(is_right(any_f32));
    }
    const int power = static_cast<int>(next() % 110);
    ASSERT_TRUE(is_right(std::ldexp(static_cast<double>(next() >> 11), -power)));
    ASSERT_TRUE(is_right(std::ldexp(static_cast<float>(next() >> 40), -power)));
    const double decimal = static_cast<double>(next() % 2'000'000) / std::pow(10.0, power % 12);
    ASSERT_TRUE(is_right(decimal));
    ASSERT_TRUE(is_right(static_cast<float>(decimal)));
  }
}

RC_GTEST_PROP(NumberText, WritesIntegersInFull, (std::uint64_t value, int shift)) {
  const std::uint64_t integer = value >> (static_cast<unsigned>(shift) % 64);
  RC_ASSERT(text_of(integer) == std::to_string(integer));
}

/// Checks all 16-bit numbers: each text reads back equal, and no text with fewer digits does.
template <typename T>
void check_all_halves() {
  for (unsigned bits = 0; bits < 0x8000; ++bits) {
    const T value{static_cast<std::uint16_t>(bits)};
    const auto number = static_cast<double>(to_float(value));
    if (!std::isfinite(number)) continue;
    const std::string text = text_of(value);
    ASSERT_LE(text.size(), static_cast<std::size_t>(kNumberTextMax)) << text;
    T back{};
    const internal::NumberResult read =
        internal::lex_number(text.data(), text.data() + text.size(), back);
    ASSERT_EQ(read.code, internal::NumberCode::ok) << text;
    ASSERT_EQ(back, value) << text;
    const T negative{static_cast<std::uint16_t>(bits | 0x8000)};
    ASSERT_EQ(text_of(negative), "-" + text);
    const auto [digits, point] = digits_of(text);
    const bool is_whole = number < 1e16 && std::trunc(number) == number;
    if (is_whole || digits.size() < 2) continue;
    // The nearest texts below and above with one digit fewer.
    const std::uint64_t shorter = std::stoull(digits.substr(0, digits.size() - 1));
    for (const std::uint64_t other : {shorter, shorter + 1}) {
      const std::string tried =
          std::to_string(other) + "e" + std::to_string(point - static_cast<int>(digits.size()) + 1);
      T found{};
      static_cast<void>(internal::lex_number(tried.data(), tried.data() + tried.size(), found));
      ASSERT_NE(found, value) << text << " and " << tried;
    }
  }
}

TEST(NumberText, HasTheFewestDigitsOfNumbersOf16Bits) {
  check_all_halves<Float16>();
  check_all_halves<BFloat16>();
  EXPECT_EQ(text_of(to_float16(0.1)), "0.1");
  EXPECT_EQ(text_of(Float16{0x2e67}), "0.10004");
  EXPECT_EQ(text_of(Float16{1}), "6e-8");
  EXPECT_EQ(text_of(to_float16(65'504)), "65504");
  EXPECT_EQ(text_of(to_bfloat16(3.14159)), "3.14");
  EXPECT_EQ(text_of(BFloat16{0x7f7f}), "3.39e38");
  EXPECT_EQ(text_of(BFloat16{1}), "9e-41");
  EXPECT_EQ(text_of(BFloat16{0x8000}), "-0");
}

TEST(NumberText, WritesTheEndsOfIntegers) {
  std::uint64_t power = 1;
  for (int digits = 0; digits < 20; ++digits, power *= 10) {
    for (const std::uint64_t value : {power - 1, power, power + 1}) {
      EXPECT_EQ(text_of(value), std::to_string(value));
    }
  }
  EXPECT_EQ(text_of(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(text_of(std::int64_t{-1}), "-1");
  EXPECT_EQ(text_of(std::numeric_limits<std::int64_t>::max()), "9223372036854775807");
  EXPECT_EQ(text_of(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
}

TEST(NumberText, WritesNothingBeyondItsRoom) {
  for (const double value :
       {1.0, -1.7976931348623157e308, -2759394162962439.5, -0.00012345678901234567}) {
    std::array<char, kNumberTextRoom + 8> text;
    text.fill('#');
    write_number(text.data(), value);
    for (std::size_t i = kNumberTextRoom; i < text.size(); ++i) EXPECT_EQ(text[i], '#') << value;
  }
}

}  // namespace
}  // namespace sheaf
