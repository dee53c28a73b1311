#include "base/number.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

template <typename T>
struct Lexed {
  NumberCode code;
  std::int64_t size;
  T value;
};

template <typename T>
Lexed<T> lex(std::string_view text) {
  T value = -77;
  const char* first = text.data();
  const NumberResult result = lex_number(first, first + text.size(), value);
  return {result.code, result.next - first, value};
}

TEST(Number, ShortOnesDoNotWrapAround) {
  // As integers, these digits are slightly more than 2^64.
  for (const char* const text :
       {"18452.579101562500000", "18446.744073709551617", "18446.881835937500000"}) {
    const std::string padded = std::string(text) + std::string(32, ' ');
    double value = 0;
    if (lex_short_number(padded.data(), value) != nullptr) {
      EXPECT_EQ(value, std::strtod(text, nullptr)) << text;
    }
    EXPECT_EQ(lex<double>(text).value, std::strtod(text, nullptr)) << text;
  }
}

TEST(Number, TakesWhatTheGrammarHas) {
  struct Case {
    std::string_view text;
    double value;
    std::int64_t size;
  };
  const Case cases[] = {
      {"0", 0, 1},          // shortest
      {"-1", -1, 2},        // signs
      {"+1", 1, 2},         //
      {"007", 7, 3},        // leading zeros
      {"5.", 5, 2},         // no fraction
      {".5", 0.5, 2},       // no integer part
      {"-.5", -0.5, 3},     //
      {"5.e3", 5000, 4},    //
      {"5.5e3", 5500, 5},   // exponents
      {"5E+3", 5000, 4},    //
      {"5e-3", 0.005, 4},   //
      {"1.2.3", 1.2, 3},    // the caller sees that ".3" follows
      {"1-2", 1, 1},        // likewise "-2"
      {"1e5.5", 1e5, 3},    //
      {"0x10", 0, 1},       //
      {"0e400", 0, 5},      // zero at any power
      {"1e-400", 0, 6},     // below the smallest value: zero, not an error
      {"100.1", 100.1, 5},  // correctly rounded
      {"3.4028234e38", 3.4028234e38, 12},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(lex<double>(c.text).code, NumberCode::ok);
    EXPECT_EQ(lex<double>(c.text).value, c.value);
    EXPECT_EQ(lex<double>(c.text).size, c.size);
    EXPECT_EQ(lex<float>(c.text).value, static_cast<float>(c.value));
    EXPECT_EQ(lex<float>(c.text).size, c.size);
  }
  EXPECT_TRUE(std::signbit(lex<float>("-0").value));
  EXPECT_TRUE(std::signbit(lex<double>("-1e-400").value));
}

TEST(Number, RefusesWhatIsNoNumber) {
  for (const std::string_view text : {".", "-", "+", "-.", "e5", ".e5", "5e", "5e+", "5e-x", "inf",
                                      "nan", "-inf", "x", "--1", "+-1", "1e", "|", " 1"}) {
    SCOPED_TRACE(text);
    const std::string padded = std::string(text) + "|";  // a byte that may follow
    EXPECT_EQ(lex<float>(padded).code, NumberCode::not_a_number);
    EXPECT_EQ(lex<float>(padded).size, 0);
    EXPECT_EQ(lex<float>(padded).value, -77) << "untouched";
    EXPECT_EQ(lex<double>(padded).code, NumberCode::not_a_number);
  }
}

TEST(Number, RefusesWhatHasNoFiniteValue) {
  for (const std::string& text : {std::string("1e400"), std::string("-1e400"),
                                  std::string(320, '9'), std::string("1e999999999999999999999")}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(lex<double>(text).code, NumberCode::out_of_range);
    EXPECT_EQ(lex<double>(text).value, -77) << "untouched";
    EXPECT_EQ(lex<float>(text).code, NumberCode::out_of_range);
  }
  EXPECT_EQ(lex<float>("3.4028236e38").code, NumberCode::out_of_range);
  EXPECT_EQ(lex<float>("3.40282350e38").code, NumberCode::ok);
}

/// Returns whether a number consists of digits only, and the rounded value has other digits.
bool is_inexact(std::string text, double rounded) {
  if (text.front() == '-' || text.front() == '+') text.erase(0, 1);
  if (text.find_first_not_of("0123456789") != std::string::npos) return false;
  text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
  char digits[512];
  std::snprintf(digits, sizeof digits, "%.0f", std::fabs(rounded));
  return text != digits;
}

/// Compares one number with the correctly rounded conversion of the C library.
template <typename T>
void expect_rounded(const std::string& text) {
  T expected;
  if constexpr (std::is_same_v<T, float>) {
    expected = std::strtof(text.c_str(), nullptr);
  } else {
    expected = std::strtod(text.c_str(), nullptr);
  }
  const Lexed<T> found = lex<T>(text);
  if (std::isinf(expected)) {
    ASSERT_EQ(found.code, NumberCode::out_of_range) << text;
    return;
  }
  const bool expects_inexact = is_inexact(text, static_cast<double>(expected));
  ASSERT_EQ(found.code, expects_inexact ? NumberCode::inexact : NumberCode::ok) << text;
  ASSERT_EQ(found.size, static_cast<std::int64_t>(text.size())) << text;
  using Bits = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
  ASSERT_EQ(std::bit_cast<Bits>(found.value), std::bit_cast<Bits>(expected)) << text;
}

std::string printed(const char* format, int digits, double value) {
  char text[512];
  std::snprintf(text, sizeof text, format, digits, value);
  return text;
}

TEST(Number, IsRoundedCorrectlyForAnyDigits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const int digits = static_cast<int>(random() % 20);
    expect_rounded<double>(printed("%.*e", digits, value));
    expect_rounded<float>(printed("%.*e", digits, value));
    const double usual =
        static_cast<double>(static_cast<std::int64_t>(random() % 2'000'000'000) - 1'000'000'000) /
        static_cast<double>(1 + random() % 100'000);
    expect_rounded<float>(printed("%.*g", digits, usual));
    expect_rounded<double>(printed("%.*f", digits, usual));
  }
}

TEST(Number, IsRoundedCorrectlyHalfwayBetweenTwoFloats) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100'000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random()) & 0x7FFFFFFFU;
    const auto low = std::bit_cast<float>(bits);
    const auto high = std::bit_cast<float>(bits + 1);
    if (!std::isfinite(low) || !std::isfinite(high)) continue;
    const double middle = (static_cast<double>(low) + static_cast<double>(high)) / 2;
    expect_rounded<float>(printed("%.*e", 60, middle));
    for (const int digits : {7, 8, 9, 15, 16, 17}) {
      expect_rounded<float>(printed("%.*e", digits, middle));
      expect_rounded<float>(printed("%.*g", digits, middle));
    }
    expect_rounded<float>(printed("%.*e", 20, std::nextafter(middle, 0)));
    expect_rounded<float>(printed("%.*e", 20, std::nextafter(middle, 1e300)));
  }
}

TEST(Number, IsRoundedCorrectlyForWholeNumbers) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200'000; ++i) {
    const std::string text = std::to_string(random() >> (random() % 64));
    expect_rounded<float>(text);
    expect_rounded<double>(text);
    expect_rounded<float>("0." + text);
    expect_rounded<float>("000" + text);
    expect_rounded<float>("-" + text + "0000000000");
    expect_rounded<double>(text + "00000000000000000000");
  }
}

TEST(Number, WholeNumbersThatATypeLacksAreInexact) {
  constexpr NumberCode kOk = NumberCode::ok;
  constexpr NumberCode kInexact = NumberCode::inexact;
  struct Case {
    std::string_view text;
    NumberCode as_float;
    NumberCode as_double;
  };
  const Case cases[] = {
      {"0", kOk, kOk},                                   //
      {"00000000000000000000000000000000", kOk, kOk},    // more zeros than any mantissa has digits
      {"16777215", kOk, kOk},                            // 2^24 - 1
      {"16777216", kOk, kOk},                            // 2^24
      {"16777217", kInexact, kOk},                       // the first whole number not in float
      {"16777218", kOk, kOk},                            //
      {"16777219", kInexact, kOk},                       //
      {"33554433", kInexact, kOk},                       // not in the middle of two floats
      {"33554434", kInexact, kOk},                       // in the middle
      {"33554435", kInexact, kOk},                       //
      {"33554436", kOk, kOk},                            //
      {"99999999", kInexact, kOk},                       // 8 digits
      {"123456789", kInexact, kOk},                      // 9
      {"123456792", kOk, kOk},                           //
      {"10000000000", kOk, kOk},                         // 10^10, the largest power in float
      {"100000000000", kInexact, kOk},                   //
      {"562949953421312", kOk, kOk},                     // 15 digits: 2^49
      {"562949953421313", kInexact, kOk},                //
      {"1125899906842624", kOk, kOk},                    // 16: 2^50
      {"9007199254740991", kInexact, kOk},               // 2^53 - 1
      {"9007199254740992", kOk, kOk},                    // 2^53
      {"9007199254740993", kInexact, kInexact},          // the first not in double
      {"9007199254740994", kInexact, kOk},               //
      {"72057594037927936", kOk, kOk},                   // 17: 2^56
      {"72057594037927937", kInexact, kInexact},         //
      {"4611686018427387904", kOk, kOk},                 // 19: 2^62
      {"4611686018427387905", kInexact, kInexact},       //
      {"9999999999999999999", kInexact, kInexact},       //
      {"10000000000000000000", kInexact, kOk},           // 20
      {"18446744073709551615", kInexact, kInexact},      // 2^64 - 1
      {"18446744073709551616", kOk, kOk},                // 2^64
      {"18446744073709551617", kInexact, kInexact},      // wraps around to 1
      {"36893488147419103234", kInexact, kInexact},      // wraps around to 2
      {"147573952589676412928", kOk, kOk},               // 21: 2^67
      {"147573952589676412929", kInexact, kInexact},     //
      {"10000000000000000000000", kInexact, kOk},        // 10^22, the largest power in double
      {"100000000000000000000000", kInexact, kInexact},  //
      {"340282346638528859811704183484516925440", kOk, kOk},            // the largest float
      {"340282346638528859811704183484516925441", kInexact, kInexact},  //
      {"340282366920938463463374607431768211456", NumberCode::out_of_range, kOk},  // 2^128
  };
  for (const Case& c : cases) {
    for (const std::string_view front : {"", "-", "+", "0", "-000000000000000000000000"}) {
      const std::string text = std::string(front) + std::string(c.text);
      SCOPED_TRACE(text);
      EXPECT_EQ(lex<float>(text).code, c.as_float);
      EXPECT_EQ(lex<double>(text).code, c.as_double);
      EXPECT_EQ(lex<double>(text).size, std::ssize(text));
      EXPECT_EQ(lex<double>(text).value, std::strtod(text.c_str(), nullptr)) << "still rounded";
      // With a point or an exponent, these are decimals.
      for (const char* const behind : {".", ".0", "e0", "E+0"}) {
        EXPECT_EQ(lex<double>(text + behind).code, kOk) << behind;
        EXPECT_NE(lex<float>(text + behind).code, kInexact) << behind;
      }
    }
  }
  EXPECT_EQ(lex<float>("16777217").value, 16777216);
  EXPECT_EQ(lex<float>("16777217|").size, 8) << "the caller checks the next byte";
}

TEST(Number, TheLargestDoubleIsExact) {
  char digits[512];
  std::snprintf(digits, sizeof digits, "%.0f", std::numeric_limits<double>::max());
  std::string text = digits;
  EXPECT_EQ(lex<double>(text).code, NumberCode::ok);
  EXPECT_EQ(lex<double>("000" + text).code, NumberCode::ok);
  ++text.back();
  EXPECT_EQ(lex<double>(text).code, NumberCode::inexact);
}

/// Calls lex_number(), and also lex_short_number() if it accepts the text.
template <typename T>
Lexed<T> lex_both(const std::string& text) {
  const Lexed<T> found = [&] {
    T value{};
    const NumberResult result = lex_number(text.data(), text.data() + text.size(), value);
    return Lexed<T>{result.code, result.next - text.data(), value};
  }();
  const std::string padded = text + std::string(32, '|');
  T value{};
  // The caller checks the next byte, which may continue the number.
  if (lex_short_number(padded.data(), value) == padded.data() + text.size()) {
    EXPECT_EQ(found.code, NumberCode::ok) << text;
    EXPECT_EQ(std::memcmp(&value, &found.value, sizeof value), 0) << text;
  }
  return found;
}

TEST(Number, WholeTypesTakeWholeNumbersWithinTheirRange) {
  constexpr NumberCode kOk = NumberCode::ok;
  constexpr NumberCode kBeyond = NumberCode::out_of_range;
  const struct {
    std::string text;
    NumberCode u8, u16, i32, i64;
    std::int64_t value;
  } cases[] = {
      {"0", kOk, kOk, kOk, kOk, 0},                            // the smallest u8
      {"-0", kOk, kOk, kOk, kOk, 0},                           // the sign is dropped
      {"+7", kOk, kOk, kOk, kOk, 7},                           //
      {"007", kOk, kOk, kOk, kOk, 7},                          //
      {"-1", kBeyond, kBeyond, kOk, kOk, -1},                  //
      {"255", kOk, kOk, kOk, kOk, 255},                        // the largest u8
      {"256", kBeyond, kOk, kOk, kOk, 256},                    //
      {"65535", kBeyond, kOk, kOk, kOk, 65'535},               // the largest u16
      {"65536", kBeyond, kBeyond, kOk, kOk, 65'536},           //
      {"1234567", kBeyond, kBeyond, kOk, kOk, 1'234'567},      // as many digits as are read at once
      {"12345678", kBeyond, kBeyond, kOk, kOk, 12'345'678},    // and one more
      {"2147483647", kBeyond, kBeyond, kOk, kOk, 2147483647},  // the largest i32
      {"2147483648", kBeyond, kBeyond, kBeyond, kOk, 2147483648},
      {"-2147483648", kBeyond, kBeyond, kOk, kOk, -2147483648},
      {"-2147483649", kBeyond, kBeyond, kBeyond, kOk, -2147483649},
      {"123456789012345", kBeyond, kBeyond, kBeyond, kOk, 123456789012345},    // 15 digits
      {"1234567890123456", kBeyond, kBeyond, kBeyond, kOk, 1234567890123456},  // 16
      {"9007199254740993", kBeyond, kBeyond, kBeyond, kOk, 9007199254740993},  // no double
      {"9223372036854775807", kBeyond, kBeyond, kBeyond, kOk, 9223372036854775807},
      {"-9223372036854775808", kBeyond, kBeyond, kBeyond, kOk,
       std::numeric_limits<std::int64_t>::min()},
      {"9223372036854775808", kBeyond, kBeyond, kBeyond, kBeyond, 0},
      {"-9223372036854775809", kBeyond, kBeyond, kBeyond, kBeyond, 0},
      {"18446744073709551617", kBeyond, kBeyond, kBeyond, kBeyond, 0},  // wraps around to 1
      {"0000000000000000000000000000042", kOk, kOk, kOk, kOk, 42},
  };
  const auto check = [](const std::string& text, auto zero, NumberCode code, std::int64_t value) {
    const Lexed<decltype(zero)> found = lex_both<decltype(zero)>(text);
    EXPECT_EQ(found.code, code) << text;
    EXPECT_EQ(found.size, std::ssize(text)) << text;
    if (code == kOk) {
      EXPECT_EQ(std::int64_t{found.value}, value) << text;
    }
  };
  for (const auto& c : cases) {
    check(c.text, std::uint8_t{}, c.u8, c.value);
    check(c.text, std::uint16_t{}, c.u16, c.value);
    check(c.text, std::int32_t{}, c.i32, c.value);
    check(c.text, std::int64_t{}, c.i64, c.value);
  }
  EXPECT_EQ(lex_both<std::int64_t>("3.0").size, 1) << "the caller sees that \".0\" follows";
  EXPECT_EQ(lex_both<std::int64_t>("1e3").size, 1);
  for (const char* const text : {".5", "-", "+", "x", "--1", "e5"}) {
    EXPECT_EQ(lex_both<std::int64_t>(text).code, NumberCode::not_a_number) << text;
    EXPECT_EQ(lex_both<std::uint8_t>(text).size, 0) << text;
  }
}

/// Checks the middle between each two neighbours of T from `first` on, and the numbers just beside
/// it.
template <typename T>
void expect_middles_rounded_once(unsigned first, unsigned last, unsigned step) {
  for (unsigned bits = first; bits < last; bits += step) {
    const T low{static_cast<std::uint16_t>(bits)};
    const T high{static_cast<std::uint16_t>(bits + 1)};
    const double middle =
        (static_cast<double>(to_float(low)) + static_cast<double>(to_float(high))) / 2;
    // All digits of the middle fit into 150 digits after the first.
    const std::string exact = printed("%.*e", 150, middle);
    const std::string front = exact.substr(0, exact.find('e'));
    const std::string exponent = exact.substr(exact.find('e'));
    std::string below = front;
    const std::size_t digit = below.find_last_not_of("0.");
    --below[digit];
    for (std::size_t i = digit + 1; i < below.size(); ++i) {
      if (below[i] != '.') below[i] = '9';
    }
    const T even = bits % 2 == 0 ? low : high;
    ASSERT_EQ(lex_both<T>(exact).value, even) << exact;
    ASSERT_EQ(lex_both<T>(front + "0001" + exponent).value, high) << exact;
    ASSERT_EQ(lex_both<T>(below + exponent).value, low) << exact;
    ASSERT_EQ(lex_both<T>("-" + below + exponent).value.bits, low.bits | 0x8000) << exact;
  }
}

TEST(Number, NumbersOf16BitsAreRoundedOnce) {
  expect_middles_rounded_once<Float16>(0, 0x7bff, 7);
  expect_middles_rounded_once<BFloat16>(0, 0x7f7f, 11);
  expect_middles_rounded_once<Float16>(0x03fd, 0x0403, 1);  // around the smallest normal number
  expect_middles_rounded_once<BFloat16>(0x007d, 0x0083, 1);
}

TEST(Number, NumbersOf16BitsHaveTheirRangeAndTheirWholeNumbers) {
  constexpr NumberCode kOk = NumberCode::ok;
  constexpr NumberCode kInexact = NumberCode::inexact;
  constexpr NumberCode kBeyond = NumberCode::out_of_range;
  const struct {
    std::string text;
    NumberCode f16, bf16;
  } cases[] = {
      {"256", kOk, kOk},              // the last that bf16 has
      {"257", kOk, kInexact},         //
      {"257.0", kOk, kOk},            // a decimal
      {"2048", kOk, kOk},             // the last that f16 has
      {"2049", kInexact, kInexact},   //
      {"65504", kOk, kInexact},       // the largest f16
      {"65519", kInexact, kInexact},  // rounded to the largest f16
      {"65519.999999999999999999999999", kOk, kOk},
      {"65520", kBeyond, kInexact},     //
      {"65520.0", kBeyond, kOk},        // a tie, which goes to infinity
      {"65536", kBeyond, kOk},          //
      {"16777217", kBeyond, kInexact},  //
      {"9007199254740993", kBeyond, kInexact},
      {"18446744073709551616", kBeyond, kOk},                     // 2^64
      {"338953138925153547590470800371487866880", kBeyond, kOk},  // the largest bf16
      {"3.39617752923046e38", kBeyond, kOk},                      // less than half a step above it
      {"3.39617752923047e38", kBeyond, kBeyond},                  // more than half a step
      {"1e400", kBeyond, kBeyond},                                //
      {"1e-400", kOk, kOk},                                       // zero
      {"0000", kOk, kOk},                                         //
  };
  for (const auto& c : cases) {
    for (const std::string& text : {c.text, "-" + c.text}) {
      EXPECT_EQ(lex_both<Float16>(text).code, c.f16) << text;
      EXPECT_EQ(lex_both<BFloat16>(text).code, c.bf16) << text;
      EXPECT_EQ(lex_both<BFloat16>(text).size, std::ssize(text)) << text;
    }
  }
  EXPECT_EQ(lex_both<Float16>("2049").value, to_float16(2048)) << "the nearest";
  EXPECT_EQ(lex_both<BFloat16>("-0.1").value, to_bfloat16(-0.1));
  EXPECT_EQ(lex_both<Float16>("0." + std::string(500, '0') + "1e501").value, to_float16(1));
}

TEST(Number, AnIndexMayHaveAnyNumberOfDigits) {
  struct Case {
    std::string text;
    std::uint64_t index;
    std::ptrdiff_t size;
  };
  const Case cases[] = {
      {":", 0, 0},                          // no number
      {"7:", 7, 1},                         //
      {"1234567:", 1234567, 7},             // as many as are read at once
      {"12345678:", 12345678, 8},           // and one more
      {"0000000000000000000042 ", 42, 22},  //
      {"576460752303423487 ", 576460752303423487, 18},
      {"99999999999999999999 ", std::uint64_t{1} << 63, 20},  // beyond every type
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const std::string padded = c.text + std::string(16, '\n');
    std::uint64_t index = 99;
    EXPECT_EQ(lex_index(padded.data(), index) - padded.data(), c.size);
    EXPECT_EQ(index, c.index);
  }
}

}  // namespace
}  // namespace sheaf::internal
