// Text as typed values: docs/config.md, "Values".

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sheaf::internal {

/// t true T True TRUE 1, f false F False FALSE 0; nothing is false. None: it is something else.
[[nodiscard]] std::optional<bool> bool_of(std::string_view text) noexcept;

/// A sign or none, and decimal digits. None: it is something else, or needs more than 64 bits.
[[nodiscard]] std::optional<std::int64_t> integer_of(std::string_view text) noexcept;

/// What C's strtod() takes: decimal or hexadecimal, inf, nan; and Windows' 1#INF. None: it is
/// something else, or too large.
[[nodiscard]] std::optional<double> number_of(std::string_view text) noexcept;

}  // namespace sheaf::internal
