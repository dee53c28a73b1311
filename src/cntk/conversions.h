// Converts text to typed values: docs/config.md, "Values".

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sheaf::internal {

/// Accepts t true T True TRUE 1, f false F False FALSE 0. An empty text is false. Returns nothing
/// for any other text.
[[nodiscard]] std::optional<bool> bool_of(std::string_view text) noexcept;

/// Accepts an optional sign and decimal digits. Returns nothing for any other text, and for numbers
/// beyond 64 bits.
[[nodiscard]] std::optional<std::int64_t> integer_of(std::string_view text) noexcept;

/// Accepts an optional '+' and decimal digits. Returns nothing for any other text, and for numbers
/// beyond 64 bits.
[[nodiscard]] std::optional<std::uint64_t> unsigned_of(std::string_view text) noexcept;

/// Accepts the same as C's strtod(): decimal or hexadecimal numbers, inf, nan; also Windows' 1#INF.
/// Returns nothing for any other text, and for numbers that are too large.
[[nodiscard]] std::optional<double> number_of(std::string_view text) noexcept;

}  // namespace sheaf::internal
