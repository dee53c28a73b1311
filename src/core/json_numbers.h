// Whole numbers in JSON that comes from outside.
//
// The JSON library turns any number into the type that is asked for, and a fraction or a large
// number into something without a meaning.

#pragma once

#include <cstdint>

#include <nlohmann/json.hpp>

#include "sheaf/error.h"

namespace sheaf::internal {

/// Returns a whole number of 64 bits.
///
/// Throws: ConfigError where the value is no whole number.
[[nodiscard]] inline std::int64_t whole_of(const nlohmann::ordered_json& value) {
  if (!value.is_number_integer()) throw ConfigError("a value is no whole number");
  return value.get<std::int64_t>();
}

/// Returns a whole number of 64 bits without a sign.
///
/// Throws: ConfigError where the value is no whole number.
[[nodiscard]] inline std::uint64_t bits_of_json(const nlohmann::ordered_json& value) {
  if (!value.is_number_integer()) throw ConfigError("a value is no whole number");
  return value.get<std::uint64_t>();
}

/// The largest count that JSON of ours can have: a double holds it exactly, and sums of many do not
/// overflow.
inline constexpr std::int64_t kJsonCountMax = std::int64_t{1} << 53;

/// Returns a count.
///
/// Throws: ConfigError where the value is no whole number, or out of range.
[[nodiscard]] inline std::int64_t count_of(const nlohmann::ordered_json& value) {
  const std::int64_t count = whole_of(value);
  if (count < 0 || count > kJsonCountMax) throw ConfigError("a count is out of range");
  return count;
}

}  // namespace sheaf::internal
