// The class of an image, as text.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sheaf::internal {

/// The largest class id: class ids are delivered as i32.
inline constexpr std::int64_t kClassIdMax = std::int64_t{0x7fffffff};

/// A class id as it was read.
struct ClassId {
  enum class Problem : std::uint8_t { none, not_a_number, too_large };

  std::int64_t value = 0;  // where there is no problem
  Problem problem = Problem::none;
};

/// Parses a decimal class id. Blanks before and behind the digits are passed over, a CR too. No
/// sign is allowed. An id must be below `class_count`, or be at most kClassIdMax where the number
/// of classes is not known.
[[nodiscard]] ClassId parse_class_id(std::string_view text,
                                     std::optional<std::int64_t> class_count) noexcept;

/// Returns the text without the blanks and the CR that parse_class_id() passes over.
///
/// Lifetime: that of the text.
[[nodiscard]] std::string_view trimmed_class_id(std::string_view text) noexcept;

}  // namespace sheaf::internal
