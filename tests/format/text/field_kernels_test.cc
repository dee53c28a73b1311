#include "format/text/field_kernels.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/simd.h"

#include "base/each_simd_level.h"
#include "base/number.h"
#include "base/text_scan.h"

namespace sheaf::internal {
namespace {

class FieldKernelsTest : public EachSimdLevel {};

/// A field between bytes that must not be taken as part of the field.
class Padded {
 public:
  explicit Padded(std::string_view field)
      : text_(std::string(kKernelPadding, '7') + std::string(field) + "\n" +
              std::string(kKernelPadding, '7')),
        end_(text_.data() + kKernelPadding + field.size()) {}

  [[nodiscard]] const char* begin() const { return text_.data() + kKernelPadding; }
  [[nodiscard]] const char* end() const { return end_; }

 private:
  std::string text_;
  const char* end_;
};

bool ends_token(const char* p) { return is_blank(*p) || *p == '|' || is_control(*p); }

/// Returns whether the tokens at `p` begin with `values` and then end at `left`.
template <typename T>
::testing::AssertionResult are_values(const Padded& field, const char* left,
                                      const std::vector<T>& values) {
  const char* p = skip_blanks(field.begin(), field.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value = 0;
    const NumberResult result = lex_number(p, field.end() + 1, value);
    if (result.code != NumberCode::ok || !ends_token(result.next)) {
      return ::testing::AssertionFailure() << "token " << i << " is no number, but was taken";
    }
    if (std::memcmp(&value, &values[i], sizeof value) != 0) {
      return ::testing::AssertionFailure()
             << "token " << i << ", " << std::string(p, result.next) << ", became " << values[i];
    }
    p = skip_blanks(result.next, field.end());
  }
  if (skip_blanks(left, field.end()) != p) {
    return ::testing::AssertionFailure() << "left at " << left - field.begin() << ", not at "
                                         << p - field.begin() << ", after " << values.size();
  }
  return ::testing::AssertionSuccess();
}

template <typename T>
void check_values(std::string_view text, std::int64_t limit, std::int64_t at_least) {
  const Padded field(text);
  std::vector<T> values(static_cast<std::size_t>(limit) + 1, T{-99});
  ValueField<T> taken{values.data(), limit};
  const char* const left = field_kernels().values<T>()(field.begin(), taken);
  ASSERT_LE(taken.count, limit) << text;
  if (simd_level() != SimdLevel::baseline) {
    EXPECT_GE(taken.count, at_least) << text;
  }
  EXPECT_EQ(values.back(), T{-99}) << "written beyond the limit: " << text;
  values.resize(static_cast<std::size_t>(taken.count));
  EXPECT_TRUE(are_values(field, left, values)) << text;
}

/// Checks that the kernel's pairs are the first of these index-value pairs.
template <typename T, typename Index>
void check_pairs(std::string_view text, std::int64_t dim, std::int64_t at_least) {
  const Padded field(text);
  const auto limit = static_cast<std::int64_t>(text.size() / 4 + 1);
  std::vector<T> values(static_cast<std::size_t>(limit));
  std::vector<Index> indices(static_cast<std::size_t>(limit));
  PairField<T, Index> taken{values.data(), indices.data(), dim, limit};
  const char* const left = field_kernels().pairs<T, Index>()(field.begin(), taken);
  if (simd_level() != SimdLevel::baseline) {
    EXPECT_GE(taken.count, at_least) << text;
  }
  const char* p = skip_blanks(field.begin(), field.end());
  bool is_sorted = true;
  for (std::int64_t i = 0; i < taken.count; ++i) {
    const auto n = static_cast<std::size_t>(i);
    std::uint64_t index = 0;
    const char* const colon = lex_index(p, index);
    ASSERT_TRUE(colon != p && *colon == ':') << text << ": pair " << i;
    T value = 0;
    const NumberResult result = lex_number(colon + 1, field.end() + 1, value);
    ASSERT_EQ(result.code, NumberCode::ok) << text << ": pair " << i;
    ASSERT_TRUE(ends_token(result.next)) << text << ": pair " << i;
    ASSERT_LT(index, static_cast<std::uint64_t>(dim)) << text;
    EXPECT_EQ(static_cast<std::uint64_t>(indices[n]), index) << text;
    EXPECT_EQ(std::memcmp(&value, &values[n], sizeof value), 0) << text << ": pair " << i;
    if (i > 0) is_sorted = is_sorted && indices[n - 1] < indices[n];
    p = skip_blanks(result.next, field.end());
  }
  EXPECT_EQ(taken.is_sorted, is_sorted) << text;
  EXPECT_EQ(skip_blanks(left, field.end()), p) << text;
}

void check_both(std::string_view text, std::int64_t limit, std::int64_t at_least) {
  check_values<float>(text, limit, at_least);
  check_values<double>(text, limit, at_least);
}

std::string repeated(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST_P(FieldKernelsTest, ParsePlainNumbers) {
  check_both(" 1 2 3", 10, 3);
  check_both(" 0.125 -0.5 -17.25 1234567.5 -0 -0.0 .5 -.5 5. 007", 20, 10);
  check_both(" 1.5\t2.5 \t 3.5  4.5  ", 20, 4);
  check_both("9 8 7 6 5 4 3 2 1 0", 10, 10);
  check_both(" 9007199254740991. 0.00000000000001 999999999999.99", 9, 3);
  check_values<double>(" 9007199254740991 0.00000000000001 999999999999.99", 9, 3);
  check_both(repeated(" 255 0 7 42", 60), 1000, 240);
  check_both(repeated(" 0", 3000), 5000, 3000);
  check_both(repeated(" -0.913484", 1000), 1000, 1000);
}

TEST_P(FieldKernelsTest, RoundHalvesCorrectly) {
  // Halfway between two floats, and beside the middle.
  check_both(repeated(" 16777217.0 16777219. 33554436 33554435.0 0.50000002980232239", 3), 20, 15);
  check_both(" 9007199254740993. 9007199254740992 9007199254740991.5 0.1 0.2 0.3 0.4 0.5", 9, 8);
}

/// Returns whether T can represent the whole number of these digits.
template <typename T>
bool has_whole(const std::string& digits) {
  T value = 0;
  return lex_number(digits.data(), digits.data() + digits.size(), value).code == NumberCode::ok;
}

template <typename T>
void check_whole(const std::string& digits, int before, std::string_view with) {
  SCOPED_TRACE(digits + " behind " + std::to_string(before));
  const std::int64_t count = has_whole<T>(digits) ? before + 10 : before;
  const std::string text = repeated(with, before) + " " + digits + " 1 2 3" + repeated(" 0.5", 6);
  check_values<T>(text, 100, count);
  const std::string pairs = repeated(" 7:0.5", before) + " 8:" + digits + repeated(" 9:1", 9);
  check_pairs<T, std::int32_t>(pairs, 100, count);
  check_pairs<T, std::int64_t>(pairs, 100, count);
}

TEST_P(FieldKernelsTest, StopAtWholeNumbersThatTheTypeCannotHold) {
  for (const char* const digits : {"9999999",
                                   "16777215",
                                   "16777216",
                                   "16777217",
                                   "16777218",
                                   "33554434",
                                   "33554436",
                                   "99999999",
                                   "123456789",
                                   "123456792",
                                   "562949953421312",
                                   "562949953421313",
                                   "1125899906842624",
                                   "9007199254740991",
                                   "9007199254740992",
                                   "9007199254740993",
                                   "72057594037927936",
                                   "72057594037927937",
                                   "4611686018427387904",
                                   "4611686018427387905",
                                   "18446744073709551615",
                                   "18446744073709551616",
                                   "147573952589676412928",
                                   "147573952589676412929",
                                   "0016777216",
                                   "0016777217",
                                   "000000000016777217"}) {
    for (int before = 0; before < 20; ++before) {
      for (const std::string_view with : {" 0.5", " 5", " 1234567.890625"}) {
        check_whole<float>(digits, before, with);
        check_whole<double>(digits, before, with);
        check_whole<float>("-" + std::string(digits), before, with);
        check_whole<double>("-" + std::string(digits), before, with);
      }
    }
  }
  // With a decimal point, numbers are rounded.
  check_both(repeated(" 16777217. 16777217.0 -16777217.00 9007199254740993.0 1.6777217e7", 4), 99,
             20);
}

TEST_P(FieldKernelsTest, ParseExponentsAndLongNumbers) {
  check_both(" 1e5 -2.5e-05 +3 0.1234567890123456789 1 2 3 4 5", 20, 9);
  check_both(" 123456789012345678901234567890. 1e-400 2", 20, 3);
}

TEST_P(FieldKernelsTest, StopAtInvalidNumbers) {
  for (const std::string_view wrong :
       {"-",    ".",        "-.",    "+",     "1-2", "--1",      "1.2.3", "..1",
        "x",    "1x",       "1e",    "1e400", "inf", "nan",      "0x10",  "1,5",
        "12:3", "\xC3\xA9", "1\x7F", "1.-",   "5..", "999e99999"}) {
    for (int before = 0; before < 20; ++before) {
      const std::string text = repeated(" 0.5", before) + " " + std::string(wrong) + " 1 2 3";
      check_both(text, 100, before);
      check_both(repeated(" 5", before) + " " + std::string(wrong) + " 1 2 3", 100, before);
    }
  }
}

TEST_P(FieldKernelsTest, StopAtTheEndOfTheField) {
  check_both(" 1 2 3|y 4 5", 10, 3);
  check_both(repeated(" 12", 40) + " |y 4 5", 100, 40);
  check_both(repeated(" 12", 40) + "\r", 100, 40);
  check_both(" 1 2\x01 3", 10, 2);
  check_both("", 10, 0);
  check_both("   ", 10, 0);
  check_both("|x 1", 10, 0);
}

TEST_P(FieldKernelsTest, StopAtTheLimit) {
  for (int limit = 0; limit < 80; ++limit) {
    check_both(repeated(" 7", 80), limit, limit);
    check_both(repeated(" -0.25", 80), limit, limit);
  }
}

TEST_P(FieldKernelsTest, ParsePairs) {
  const auto check = [](std::string_view text, std::int64_t dim, std::int64_t at_least) {
    check_pairs<float, std::int32_t>(text, dim, at_least);
    check_pairs<float, std::int64_t>(text, dim, at_least);
    check_pairs<double, std::int32_t>(text, dim, at_least);
    check_pairs<double, std::int64_t>(text, dim, at_least);
  };
  check(" 0:1 5:0.25 99:-3.5", 100, 3);
  check(repeated(" 12345678:0.123456", 50), 20'000'000, 50);
  check(repeated(" 3:1 2:1", 20), 100, 40);
  check(" 5:1 6:1e-5 7:0.12345678901234567890 8:1", 100, 4);
  check(" 123:1\t 00124:1 \t", 1000, 2);
  check(" 2147483646:1 1:1", 2'147'483'647, 0);  // more digits than the kernel takes at once
  check(" 1:1 2:2 :3 4:4 5:5 6:6 7:7 8:8 9:9", 10, 0);
  for (const std::string_view wrong :
       {"5", ":5", "5:", "5::1", "5: 1", "5 :1", "1:2:3", "100:1", "999999999:1", "-1:1", "+1:1",
        "1.0:2", "1:x", "1:1-2", "5;1", "x:1", "1:", ":", "99999999999999999999:1"}) {
    for (int before = 0; before < 20; ++before) {
      check(repeated(" 7:0.5", before) + " " + std::string(wrong) + " 1:1 2:2", 100,
            before / 8 * 8);
    }
  }
}

/// Returns the digits of the float nearest to a whole number below 2^63.
std::string nearest_float(const std::string& digits) {
  return std::to_string(static_cast<std::uint64_t>(std::strtof(digits.c_str(), nullptr)));
}

/// Returns a token of a random kind.
std::string random_token(std::mt19937_64& random) {
  const auto digits = [&](std::uint64_t most) {
    std::string text;
    for (std::uint64_t i = 0; i < 1 + random() % most; ++i) {
      text += static_cast<char>('0' + random() % 10);
    }
    return text;
  };
  std::string token = random() % 4 == 0 ? "-" : "";
  switch (random() % 40) {
    case 0:
      return token + digits(30) + "." + digits(30);
    case 1:
      return token + digits(4) + "." + digits(4) + "e" + std::to_string(random() % 60);
    case 2: {
      token += digits(8);
      token[random() % token.size()] = static_cast<char>(random() % 256);
      return token;
    }
    case 3:
      return token;
    default:
      break;
  }
  const std::string whole = digits(1 + random() % 9);
  if (random() % 3 != 0) return token + whole + "." + digits(1 + random() % 9);
  return token + (random() % 64 == 0 ? whole : nearest_float(whole));
}

TEST_P(FieldKernelsTest, AgreeWithParsingOneByOne) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string values;
    std::string pairs;
    const std::uint64_t count = random() % 100;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::string blank = random() % 20 == 0 ? " \t" : " ";
      const std::string token = random_token(random);
      values += blank + token;
      pairs += blank + std::to_string(random() % 1000 * (random() % 3000)) + ":" + token;
    }
    check_both(values, random() % 5 == 0 ? static_cast<std::int64_t>(count / 2) : 100, 0);
    check_pairs<float, std::int32_t>(pairs, 1'000'000, 0);
    check_pairs<double, std::int64_t>(pairs, 3'000'000, 0);
  }
}

/// Compares many plain numbers, formatted in several ways, with strtof and strtod.
TEST_P(FieldKernelsTest, RoundAsTheStandardLibraryDoes) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    std::vector<float> floats;
    std::vector<double> doubles;
    for (int i = 0; i < 64; ++i) {
      std::string token = std::to_string(random() % 10'000'000'000'000'000ULL >> (random() % 50));
      const std::uint64_t point = random() % (token.size() + 1);
      if (token.size() < 16 && random() % 8 != 0) {
        token.insert(point, 1, '.');
      } else {
        token = nearest_float(token);  // a kernel for floats leaves other whole numbers to its
                                       // caller
      }
      text += " " + token;
      floats.push_back(std::strtof(token.c_str(), nullptr));
      doubles.push_back(std::strtod(token.c_str(), nullptr));
    }
    const Padded field(text);
    std::array<float, 64> float_values{};
    std::array<double, 64> double_values{};
    ValueField<float> float_field{float_values.data(), 64};
    ValueField<double> double_field{double_values.data(), 64};
    field_kernels().values<float>()(field.begin(), float_field);
    field_kernels().values<double>()(field.begin(), double_field);
    if (simd_level() == SimdLevel::baseline) continue;
    ASSERT_EQ(float_field.count, 64);
    ASSERT_EQ(double_field.count, 64);
    ASSERT_EQ(std::memcmp(float_values.data(), floats.data(), sizeof float_values), 0) << text;
    ASSERT_EQ(std::memcmp(double_values.data(), doubles.data(), sizeof double_values), 0) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(AllLevels, FieldKernelsTest,
                         ::testing::Values(SimdLevel::baseline, SimdLevel::avx2, SimdLevel::avx512),
                         [](const auto& level) { return std::string(to_string(level.param)); });

}  // namespace
}  // namespace sheaf::internal
