#include "reference/number_reference.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace sheaf::conformance {
namespace {

/// 0.DIGITS times ten to the `power`. The first and the last digit are not 0. Zero has no digits.
struct Decimal {
  std::string digits;
  std::int64_t power = 0;
};

Decimal decimal_of(const std::string& text) {
  Decimal decimal;
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::size_t point = std::min(text.find('.'), e);
  std::int64_t leading = 0;
  for (std::size_t i = 0; i < e; ++i) {
    if (text[i] < '0' || text[i] > '9') continue;
    if (i < point) ++decimal.power;
    decimal.digits += text[i];
  }
  while (!decimal.digits.empty() && decimal.digits[static_cast<std::size_t>(leading)] == '0') {
    if (++leading == static_cast<std::int64_t>(decimal.digits.size())) return {};
  }
  decimal.digits.erase(0, static_cast<std::size_t>(leading));
  while (!decimal.digits.empty() && decimal.digits.back() == '0') decimal.digits.pop_back();
  // Texts of tests have fewer digits than the largest number here, which strtoll() returns.
  constexpr std::int64_t kPowerMax = std::int64_t{1} << 60;
  const std::int64_t power = e < text.size() ? std::strtoll(text.c_str() + e + 1, nullptr, 10) : 0;
  decimal.power += std::clamp(power, -kPowerMax, kPowerMax) - leading;
  return decimal;
}

int compare(const Decimal& a, const Decimal& b) {
  if (a.digits.empty() || b.digits.empty()) {
    return static_cast<int>(b.digits.empty()) - static_cast<int>(a.digits.empty());
  }
  if (a.power != b.power) return a.power < b.power ? -1 : 1;
  return a.digits.compare(b.digits);
}

/// Returns the value of the bits of a positive number. After the largest number, returns its
/// would-be successor.
double half_value(ElementType type, unsigned bits) {
  const int fraction_bits = type == ElementType::f16 ? 10 : 7;
  const int bias = type == ElementType::f16 ? 15 : 127;
  const int exponent = static_cast<int>(bits >> fraction_bits);
  const int fraction = static_cast<int>(bits) & ((1 << fraction_bits) - 1);
  const int hidden = exponent == 0 ? 0 : 1 << fraction_bits;
  return std::ldexp(hidden + fraction, std::max(exponent, 1) - bias - fraction_bits);
}

/// Returns all digits of a double.
Decimal exact_decimal(double value) {
  char text[600];
  std::snprintf(text, sizeof text, "%.200f", value);
  return decimal_of(text);
}

/// Compares a double with a number. If the two are far apart, compares doubles; otherwise, compares
/// all digits.
int compare_with(double value, double nearest_to_wanted, const Decimal& wanted) {
  constexpr double kFar = 1e-9;
  if (value < nearest_to_wanted * (1 - kFar)) return -1;
  if (value > nearest_to_wanted * (1 + kFar)) return 1;
  return compare(exact_decimal(value), wanted);
}

Fit fit_half(const std::string& text, ElementType type, std::uint64_t& bits) {
  const unsigned infinity = type == ElementType::f16 ? 0x7c00 : 0x7f80;
  const Decimal wanted = decimal_of(text);
  const double about = std::abs(std::strtod(text.c_str(), nullptr));
  // Counts how many middles between two neighbours lie below the number.
  unsigned low = 0;
  unsigned high = infinity;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    const double between = (half_value(type, middle) + half_value(type, middle + 1)) / 2;
    const int order = compare_with(between, about, wanted);
    const bool is_below = order < 0 || (order == 0 && middle % 2 == 1);  // a tie goes to even
    if (is_below) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == infinity) return Fit::out_of_range;
  bits = low | (text[0] == '-' ? 0x8000U : 0U);
  const bool is_whole = text.find_first_of(".eE") == std::string::npos;
  const auto is_exact = [&] { return compare_with(half_value(type, low), about, wanted) == 0; };
  return is_whole && !is_exact() ? Fit::inexact : Fit::good;
}

Fit fit_whole(const std::string& text, ElementType type, std::uint64_t& bits) {
  if (text.find_first_of(".eE") != std::string::npos) return Fit::no_number;
  const char* const limits[][2] = {{"255", "0"},
                                   {"65535", "0"},
                                   {"2147483647", "2147483648"},
                                   {"9223372036854775807", "9223372036854775808"}};
  const int row = type == ElementType::u8    ? 0
                  : type == ElementType::u16 ? 1
                  : type == ElementType::i32 ? 2
                                             : 3;
  const bool is_negative = text[0] == '-';
  if (compare(decimal_of(text), decimal_of(limits[row][is_negative ? 1 : 0])) > 0) {
    return Fit::out_of_range;
  }
  bits = static_cast<std::uint64_t>(std::strtoll(text.c_str(), nullptr, 10));
  if (row < 3) bits &= row == 0 ? 0xffU : row == 1 ? 0xffffU : 0xffff'ffffU;
  return Fit::good;
}

}  // namespace

bool is_digit_by_digit(ElementType type) {
  return type != ElementType::f32 && type != ElementType::f64;
}

Fit fit_number(const std::string& text, ElementType type, std::uint64_t& bits) {
  const bool is_half = type == ElementType::f16 || type == ElementType::bf16;
  return is_half ? fit_half(text, type, bits) : fit_whole(text, type, bits);
}

}  // namespace sheaf::conformance
