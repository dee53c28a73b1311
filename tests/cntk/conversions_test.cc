#include "cntk/conversions.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

TEST(Conversions, ConvertBools) {
  for (const std::string_view text : {"t", "true", "T", "True", "TRUE", "1"}) {
    EXPECT_EQ(bool_of(text), true) << text;
  }
  for (const std::string_view text : {"f", "false", "F", "False", "FALSE", "0", ""}) {
    EXPECT_EQ(bool_of(text), false) << text;
  }
  for (const std::string_view text : {"yes", "none", "auto", "tRue", "2", "true "}) {
    EXPECT_EQ(bool_of(text), std::nullopt) << text;
  }
}

TEST(Conversions, ConvertIntegers) {
  struct Case {
    std::string_view text;
    std::int64_t expected;
  };
  const Case cases[] = {
      {"0", 0},
      {"010", 10},  // not octal
      {"-3", -3},
      {"+3", 3},
      {"9223372036854775807", std::numeric_limits<std::int64_t>::max()},
      {"-9223372036854775808", std::numeric_limits<std::int64_t>::min()},
  };
  for (const Case& each : cases) EXPECT_EQ(integer_of(each.text), each.expected) << each.text;
  for (const std::string_view text :
       {"", "1.0", "1e3", "0x10", "9223372036854775808", "+-3", "--3", "+", "1 ", " 1", "a"}) {
    EXPECT_EQ(integer_of(text), std::nullopt) << text;
  }
}

TEST(Conversions, ConvertUnsignedIntegers) {
  EXPECT_EQ(unsigned_of("0"), 0U);
  EXPECT_EQ(unsigned_of("+010"), 10U);
  EXPECT_EQ(unsigned_of("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  for (const std::string_view text :
       {"", "+", "-3", "-0", "++1", "1.0", "0x10", "18446744073709551616", "1 ", " 1"}) {
    EXPECT_EQ(unsigned_of(text), std::nullopt) << text;
  }
}

TEST(Conversions, ConvertNumbers) {
  struct Case {
    std::string_view text;
    double expected;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const Case cases[] = {
      {"0", 0},
      {"-1.5", -1.5},
      {"+.5", 0.5},
      {"1e3", 1000},
      {"1.", 1},
      {"0x10", 16},
      {"0X1.8p1", 3},
      {"-0x1", -1},
      {"inf", infinity},
      {"-INF", -infinity},
      {"Infinity", infinity},
      {"1#INF", infinity},
      {"-1#INF", -infinity},
      {"0.1", 0.1},
      {"1e-400", 0},
  };
  for (const Case& each : cases) EXPECT_EQ(number_of(each.text), each.expected) << each.text;
  EXPECT_TRUE(std::isnan(number_of("nan").value_or(0)));
  for (const std::string_view text : {"", "-", "+", ".", "1x", "0x", "0x-1", "--1", "+-1", "1e999",
                                      "e5", "1 ", " 1", "1#IND", "infx", "1,5"}) {
    EXPECT_EQ(number_of(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace sheaf::internal
