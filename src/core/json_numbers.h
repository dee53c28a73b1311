// Reads whole numbers from JSON of unknown origin.
//
// The JSON library converts any number to the requested type. A fraction or a large number then
// becomes a meaningless value.

#pragma once

#include <cstdint>

#include <nlohmann/json.hpp>

#include "sheaf/error.h"

namespace sheaf::internal {

/// Returns a signed whole number of 64 bits.
///
/// Throws: ConfigError if the value is not a whole number.
[[nodiscard]] inline std::int64_t whole_of(const nlohmann::ordered_json& value) {
  if (!value.is_number_integer()) throw ConfigError("a value is no whole number");
  return value.get<std::int64_t>();
}

/// Returns an unsigned whole number of 64 bits.
///
/// Throws: ConfigError if the value is not a whole number.
[[nodiscard]] inline std::uint64_t bits_of_json(const nlohmann::ordered_json& value) {
  if (!value.is_number_integer()) throw ConfigError("a value is no whole number");
  return value.get<std::uint64_t>();
}

/// The largest count in our JSON. A double holds it exactly, and sums of many counts do not
/// overflow.
inline constexpr std::int64_t kJsonCountMax = std::int64_t{1} << 53;

/// Returns a count.
///
/// Throws: ConfigError if the value is not a whole number, or is out of range.
[[nodiscard]] inline std::int64_t count_of(const nlohmann::ordered_json& value) {
  const std::int64_t count = whole_of(value);
  if (count < 0 || count > kJsonCountMax) throw ConfigError("a count is out of range");
  return count;
}

}  // namespace sheaf::internal
