#include "cntk/conversions.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <system_error>

#include "base/number.h"

namespace sheaf::internal {
namespace {

/// Returns the value of digits behind "0x". They may have a point and an exponent to base 2.
std::optional<double> hexadecimal_of(std::string_view digits) noexcept {
  double value = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, value, std::chars_format::hex);
  const bool is_signed = digits.starts_with('-');
  if (error != std::errc() || end != last || is_signed) return std::nullopt;
  return value;
}

std::optional<double> unsigned_number_of(std::string_view text) noexcept {
  if (text.starts_with("0x") || text.starts_with("0X")) return hexadecimal_of(text.substr(2));
  if (text == "1#INF") return std::numeric_limits<double>::infinity();
  const char first = text.empty() ? '\0' : text.front();
  if ((first < '0' || first > '9') && first != '.') {  // inf, infinity, nan, nan(...)
    double value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (first == '-' || error != std::errc() || end != last) return std::nullopt;
    return value;
  }
  double value = 0;
  const char* const last = text.data() + text.size();
  const NumberResult result = lex_number(text.data(), last, value);
  const bool has_value = result.code == NumberCode::ok || result.code == NumberCode::inexact;
  if (!has_value || result.next != last) return std::nullopt;
  return value;
}

}  // namespace

std::optional<bool> bool_of(std::string_view text) noexcept {
  constexpr std::array<std::string_view, 6> kTrue = {"t", "true", "T", "True", "TRUE", "1"};
  constexpr std::array<std::string_view, 7> kFalse = {"f", "false", "F", "False", "FALSE", "0", ""};
  if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  return std::nullopt;
}

std::optional<std::int64_t> integer_of(std::string_view text) noexcept {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> unsigned_of(std::string_view text) noexcept {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::uint64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last) return std::nullopt;
  return value;
}

std::optional<double> number_of(std::string_view text) noexcept {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const std::optional<double> value = unsigned_number_of(text);
  if (!value) return std::nullopt;
  return is_negative ? -*value : *value;
}

}  // namespace sheaf::internal
