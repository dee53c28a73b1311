// The buffers and children of arrays, by type.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sheaf::arrow {

enum class LayoutKind : std::uint8_t {
  nulls,         // nothing
  bits,          // validity, bits
  fixed,         // validity, values of `width` bytes
  texts,         // validity, offsets of `width` bytes, bytes
  views,         // validity, views, any number of buffers of bytes
  lists,         // validity, offsets of `width` bytes; a child. Also maps
  list_views,    // validity, offsets and sizes of `width` bytes; a child
  fixed_lists,   // validity; a child with `width` values for each list
  structs,       // validity; children
  sparse_union,  // types; children
  dense_union,   // types, offsets; children
  run_ends,      // nothing; two children: where runs end, and their values
};

struct Layout {
  LayoutKind kind = LayoutKind::nulls;
  std::int64_t width = 0;

  friend bool operator==(const Layout&, const Layout&) = default;
};

inline constexpr std::int64_t kViewBytes = 16;

/// Returns the layout of arrays of a type. `format` is the type's format in the C data interface.
/// Returns nothing if there is no such type.
[[nodiscard]] std::optional<Layout> layout_of(std::string_view format);

/// Returns the number of an array's buffers in a record batch, without the bytes of views.
/// `has_old_validity` says whether unions and arrays of runs have a validity buffer, as before
/// version V5. That buffer means nothing.
[[nodiscard]] int buffer_count(const Layout& layout, bool has_old_validity) noexcept;

/// Returns the number of an array's children, or nothing if any number is allowed.
[[nodiscard]] std::optional<int> child_count(const Layout& layout) noexcept;

}  // namespace sheaf::arrow
