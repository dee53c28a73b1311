#include "base/number.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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
  // As integers their digits are 2^64 and a little more.
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
      {"1-2", 1, 1},        // and that "-2" does
      {"1e5.5", 1e5, 3},    //
      {"0x10", 0, 1},       //
      {"0e400", 0, 5},      // zero at any power
      {"1e-400", 0, 6},     // below the least value: zero, not an error
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
    const std::string padded = std::string(text) + "|";  // what may follow
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

/// Whether a number is digits alone, and others than those of the value that it is rounded to.
bool is_inexact(std::string text, double rounded) {
  if (text.front() == '-' || text.front() == '+') text.erase(0, 1);
  if (text.find_first_not_of("0123456789") != std::string::npos) return false;
  text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
  char digits[512];
  std::snprintf(digits, sizeof digits, "%.0f", std::fabs(rounded));
  return text != digits;
}

/// Hold one number against the C library's correctly rounded conversion.
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
      {"16777217", kInexact, kOk},                       // the first that a float lacks
      {"16777218", kOk, kOk},                            //
      {"16777219", kInexact, kOk},                       //
      {"33554433", kInexact, kOk},                       // not in the middle of two floats
      {"33554434", kInexact, kOk},                       // in the middle
      {"33554435", kInexact, kOk},                       //
      {"33554436", kOk, kOk},                            //
      {"99999999", kInexact, kOk},                       // 8 digits
      {"123456789", kInexact, kOk},                      // 9
      {"123456792", kOk, kOk},                           //
      {"10000000000", kOk, kOk},                         // 10^10, the last power that a float has
      {"100000000000", kInexact, kOk},                   //
      {"562949953421312", kOk, kOk},                     // 15 digits: 2^49
      {"562949953421313", kInexact, kOk},                //
      {"1125899906842624", kOk, kOk},                    // 16: 2^50
      {"9007199254740991", kInexact, kOk},               // 2^53 - 1
      {"9007199254740992", kOk, kOk},                    // 2^53
      {"9007199254740993", kInexact, kInexact},          // the first that a double lacks
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
      {"10000000000000000000000", kInexact, kOk},        // 10^22, the last that a double has
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
      // With a point or an exponent these are decimals.
      for (const char* const behind : {".", ".0", "e0", "E+0"}) {
        EXPECT_EQ(lex<double>(text + behind).code, kOk) << behind;
        EXPECT_NE(lex<float>(text + behind).code, kInexact) << behind;
      }
    }
  }
  EXPECT_EQ(lex<float>("16777217").value, 16777216);
  EXPECT_EQ(lex<float>("16777217|").size, 8) << "the caller looks at what follows";
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

TEST(Number, AnIndexMayHaveAnyNumberOfDigits) {
  struct Case {
    std::string text;
    std::uint64_t index;
    std::ptrdiff_t size;
  };
  const Case cases[] = {
      {":", 0, 0},                          // none
      {"7:", 7, 1},                         //
      {"1234567:", 1234567, 7},             // as many as one look takes in
      {"12345678:", 12345678, 8},           // and one more
      {"0000000000000000000042 ", 42, 22},  //
      {"576460752303423487 ", 576460752303423487, 18},
      {"99999999999999999999 ", std::uint64_t{1} << 63, 20},  // beyond all
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
