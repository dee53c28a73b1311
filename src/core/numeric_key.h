// Parses numeric keys.

#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

#include "sheaf/types.h"

namespace sheaf::internal {

/// Texts for the error about a key that is not a number.
inline constexpr std::string_view kNumericKeyExpected = "a key that is a number from 0 to 2^64-1";
inline constexpr std::string_view kTextKeysHint = "keys=text (--keys text) takes any key";

/// Returns the key for a decimal number from 0 to 2^64-1; nothing for any other text.
[[nodiscard]] inline std::optional<SequenceKey> numeric_key_of(std::string_view text) noexcept {
  SequenceKey key;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, key.low);
  if (error != std::errc() || stop != end) return std::nullopt;
  return key;
}

}  // namespace sheaf::internal
