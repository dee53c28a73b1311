/// \file
/// Access to texts and binaries in the buffers of Arrow arrays.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "sheaf/extend/arrow_interface.h"

#include "arrow/arrow_values.h"

namespace sheaf::python {

/// Returns whether a format has texts or binaries: with offsets of 32 or 64 bits, or as views.
[[nodiscard]] inline bool is_text_format(std::string_view format) noexcept {
  return format == "u" || format == "U" || format == "vu" || format == "z" || format == "Z" ||
         format == "vz";
}

/// Returns an element of an array of views. Short texts are stored in the view itself, longer ones
/// in one of the buffers after the first two.
///
/// Pre: the element is not null.
[[nodiscard]] inline std::string_view viewed_text(const ArrowArray& array,
                                                  std::int64_t i) noexcept {
  constexpr std::int64_t kViewSize = 16;
  constexpr std::int32_t kShortMax = 12;
  const char* const view =
      static_cast<const char*>(array.buffers[1]) + (array.offset + i) * kViewSize;
  std::int32_t parts[4];  // size, the first bytes, number of the buffer, offset in it
  std::memcpy(parts, view, sizeof parts);
  const auto size = static_cast<std::size_t>(parts[0]);
  if (parts[0] <= kShortMax) return {view + sizeof parts[0], size};
  return {static_cast<const char*>(array.buffers[2 + parts[2]]) + parts[3], size};
}

/// Returns an element of an array of texts or binaries.
///
/// Pre:      is_text_format(format); the element is not null.
/// Lifetime: as long as the array.
[[nodiscard]] inline std::string_view text_at(std::string_view format, const ArrowArray& array,
                                              std::int64_t i) noexcept {
  if (format.starts_with('v')) return viewed_text(array, i);
  const bool is_large = format == "U" || format == "Z";
  const ArrowRange range = item_range(array, is_large, i);
  if (range.begin == range.end) return {};
  return {static_cast<const char*>(array.buffers[2]) + range.begin,
          static_cast<std::size_t>(range.end - range.begin)};
}

}  // namespace sheaf::python
