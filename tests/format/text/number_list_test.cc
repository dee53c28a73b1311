#include "format/text/number_list.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/simd.h"

#include "base/each_simd_level.h"
#include "base/number.h"
#include "base/text_scan.h"
#include "format/text/field_kernels.h"

namespace sheaf::internal {
namespace {

// The oracle checks byte by byte whether a text has the grammar of RFC 8259.

std::size_t leading_digits(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

/// Returns the size of the number at the front, or 0 if there is none.
std::size_t json_number_size(std::string_view text) {
  std::size_t size = text.starts_with('-') ? 1 : 0;
  const std::size_t whole = leading_digits(text.substr(size));
  if (whole == 0 || (whole > 1 && text[size] == '0')) return 0;
  size += whole;
  if (text.substr(size).starts_with('.')) {
    const std::size_t places = leading_digits(text.substr(size + 1));
    if (places == 0) return 0;
    size += 1 + places;
  }
  if (size < text.size() && (text[size] == 'e' || text[size] == 'E')) {
    std::size_t exponent = size + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    const std::size_t digits = leading_digits(text.substr(exponent));
    if (digits == 0) return 0;
    size = exponent + digits;
  }
  return size;
}

template <typename T>
struct ExpectedList {
  bool is_list = false;
  std::size_t size = 0;  // with the "]"
  std::vector<T> values;
};

template <typename T>
ExpectedList<T> expected_list(std::string_view text) {
  ExpectedList<T> expected;
  const auto blanks = [&](std::size_t at) {
    while (at < text.size() && is_blank(text[at])) ++at;
    return at;
  };
  std::size_t at = blanks(0);
  if (text.substr(at).starts_with(']')) return {true, at + 1, {}};
  for (;;) {
    const std::size_t size = json_number_size(text.substr(at));
    T value{};
    const char* const first = text.data() + at;
    if (size == 0 || lex_number(first, first + size, value).code != NumberCode::ok ||
        lex_number(first, first + size, value).next != first + size) {
      return {};
    }
    expected.values.push_back(value);
    at = blanks(at + size);
    if (text.substr(at).starts_with(']')) break;
    if (!text.substr(at).starts_with(',')) return {};
    at = blanks(at + 1);
  }
  expected.is_list = true;
  expected.size = at + 1;
  return expected;
}

/// Checks what a function makes of a list. `text` follows the "[".
template <typename T, typename Read>
void check_type(std::string_view text, const Read& read) {
  constexpr std::size_t kPadding = kKernelPadding;
  constexpr T kGuard{77};
  const std::string padded =
      std::string(kPadding, '7') + std::string(text) + "\n" + std::string(kPadding, '7');
  const char* const begin = padded.data() + kPadding;
  const ExpectedList<T> expected = expected_list<T>(text);
  const auto count = std::ssize(expected.values);
  const std::int64_t limit = expected.is_list ? count : std::ssize(text);
  std::vector<T> values(static_cast<std::size_t>(limit) + 8, kGuard);
  ValueField<T> field{.values = values.data(), .limit = limit};
  const char* const end = read(begin, field);
  ASSERT_EQ(end != nullptr, expected.is_list) << text;
  for (std::size_t i = static_cast<std::size_t>(limit); i < values.size(); ++i) {
    ASSERT_EQ(values[i], kGuard) << "written beyond the limit: " << text;
  }
  if (!expected.is_list) return;
  EXPECT_EQ(end - begin, static_cast<std::ptrdiff_t>(expected.size)) << text;
  ASSERT_EQ(field.count, count) << text;
  if (count == 0) return;
  EXPECT_EQ(std::memcmp(values.data(), expected.values.data(), sizeof(T) * expected.values.size()),
            0)
      << text;
  // One value too many.
  ValueField<T> small{.values = values.data(), .limit = count - 1};
  EXPECT_EQ(read(begin, small), nullptr) << text;
  EXPECT_EQ(small.count, count - 1) << text;
}

void check_list(std::string_view text) {
  const FieldKernels& kernels = field_kernels();
  check_type<float>(text, kernels.list<float>());
  check_type<double>(text, kernels.list<double>());
  check_type<std::int32_t>(text, kernels.list<std::int32_t>());
  check_type<std::int64_t>(text, kernels.list<std::int64_t>());
}

class NumberListTest : public EachSimdLevel {};

TEST_P(NumberListTest, ReadsExactlyTheListsOfJson) {
  for (const char* const text :
       {"]", " ]", "1]", "1,2]", " 1 , 2\t, 3 ]", "-1,-0,0]", "0.5,-0.25e1,1E2,1e+2,1e-2]",
        "16777217]", "16777216,1]", "2147483647,-2147483648]", "2147483648]", "123456789012]",
        "9223372036854775807,-9223372036854775808]", "9223372036854775808]", "1e999]", "1e-999]",
        "0.34558418,-1.0732969,0.10000000149011612]", "0.50000002980232239]", "100000000,1]"}) {
    check_list(text);
  }
  for (const char* const text :
       {"",     ",]",     "1,]",  ",1]",   "1,,2]", "1 2]", "01]",  "-01]",  "00]",
        "1.]",  ".5]",    "-.5]", "-]",    "+1]",   "1e]",  "1e+]", "1.e5]", "1.5.5]",
        "1-2]", "--1]",   "nan]", "true]", "null]", "[1]]", "1",    "1,",    "1\r]",
        "1;2]", "\"1\"]", "1}",   "0x1]",  "1 ,]",  "1, ]", " ,1]", "1e5.5]"}) {
    check_list(text);
  }
}

TEST_P(NumberListTest, ReadsEveryShortText) {
  constexpr std::string_view kAlphabet = "01-.e, ]";
  constexpr int kSize = 4;
  for (int number = 0; number < 1 << (3 * kSize); ++number) {
    std::string text;
    for (int i = 0; i < kSize; ++i) {
      text += kAlphabet[static_cast<std::size_t>((number >> (3 * i)) & 7)];
    }
    check_list(text + "]");
    check_list("10, 2" + text + "3]");
  }
}

std::string random_json_number(std::mt19937& random) {
  switch (random() % 6) {
    case 0:
      return std::to_string(random() % 10);
    case 1:
      return std::to_string(random() % 30'000);
    case 2:
      return "-" + std::to_string(random() % 1000) + "." + std::to_string(random() % 100'000'000);
    case 3:
      return "0." + std::to_string(random()) + std::to_string(random());
    case 4:
      return std::to_string(random() % 1000) + "e-" + std::to_string(random() % 9);
    default:
      return std::to_string(static_cast<std::int32_t>(random()));
  }
}

/// A list of up to `count_max` numbers. In most lists all numbers have one form.
std::string random_json_list(std::mt19937& random, std::size_t count_max) {
  constexpr std::string_view kCommas[] = {",", ", ", " , ", "\t,"};
  const std::string_view comma = kCommas[random() % 4];
  std::string text;
  std::mt19937 form = random;
  const bool has_one_form = random() % 4 != 0;
  const std::size_t count = random() % count_max;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += comma;
    if (has_one_form) {
      text += std::to_string(random() % (i % 2 == 0 ? 100 : 100'000'000));
    } else {
      text += random_json_number(form);
    }
  }
  return text + "]";
}

TEST_P(NumberListTest, ReadsLongLists) {
  std::mt19937 random(3);
  for (int i = 0; i < 400; ++i) check_list(random_json_list(random, i % 10 == 0 ? 3000 : 60));
}

TEST_P(NumberListTest, RefusesDamagedLists) {
  constexpr std::string_view kBytes = "0159-+.eE, ]\t\n\r[{\"x\x80";
  std::mt19937 random(4);
  for (int i = 0; i < 4000; ++i) {
    std::string text = random_json_list(random, 80);
    text[random() % text.size()] = kBytes[random() % kBytes.size()];
    if (random() % 3 == 0) text.insert(random() % text.size(), 1, kBytes[random() % kBytes.size()]);
    check_list(text);
  }
}

INSTANTIATE_TEST_SUITE_P(All, NumberListTest,
                         ::testing::Values(SimdLevel::baseline, SimdLevel::avx2, SimdLevel::avx512),
                         [](const auto& each) { return std::string(to_string(each.param)); });

TEST(ReadNumberList, ReadsTheOtherTypes) {
  for (const char* const text : {"0,1,255]", "256]", "-1]", "1.5]", "65535,3]", "65536]"}) {
    check_type<std::uint8_t>(text, read_number_list<std::uint8_t>);
    check_type<std::uint16_t>(text, read_number_list<std::uint16_t>);
  }
}

TEST(ReadJsonNumber, EndsAfterTheNumber) {
  for (const std::string_view number : {"0", "-17", "1.5", "1e5", "123456789", "0.1234567890123"}) {
    for (const std::string_view after : {",", "]", "}", " ", "\n"}) {
      const std::string text =
          std::string(number) + std::string(after) + std::string(kKernelPadding, '7');
      double value = 0;
      EXPECT_EQ(read_json_number(text.data(), value), text.data() + number.size()) << text;
      EXPECT_EQ(value, std::stod(std::string(number)));
    }
  }
}

}  // namespace
}  // namespace sheaf::internal
