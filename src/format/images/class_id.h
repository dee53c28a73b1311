// Parses the class of an image.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sheaf::internal {

/// The largest class id: class ids are delivered as i32.
inline constexpr std::int64_t kClassIdMax = std::int64_t{0x7fffffff};

/// The result of parsing a class id.
struct ClassId {
  enum class Problem : std::uint8_t { none, not_a_number, too_large };

  std::int64_t value = 0;  // if there is no problem
  Problem problem = Problem::none;
};

/// Parses a decimal class id. Ignores blanks and a CR before and after the digits. Signs are not
/// allowed. An id must be below `class_count`, or at most kClassIdMax if the number of classes is
/// not known.
[[nodiscard]] ClassId parse_class_id(std::string_view text,
                                     std::optional<std::int64_t> class_count) noexcept;

/// Returns the text without the blanks and the CR that parse_class_id() ignores.
///
/// Lifetime: that of the text.
[[nodiscard]] std::string_view trimmed_class_id(std::string_view text) noexcept;

}  // namespace sheaf::internal
