// Which buffers and children arrays of a type have.

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
  lists,         // validity, offsets of `width` bytes; a child. Maps, too
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

/// Returns the layout of arrays of a type, by the type's format as in the C data interface; nothing
/// where there is no such type.
[[nodiscard]] std::optional<Layout> layout_of(std::string_view format);

/// Returns how many buffers of an array stand in a record batch, without the bytes of views.
/// `has_old_validity`: whether unions and arrays of runs have a buffer of validity, as before
/// version V5. Such a buffer says nothing.
[[nodiscard]] int buffer_count(const Layout& layout, bool has_old_validity) noexcept;

/// Returns how many children an array has; nothing where any number may be.
[[nodiscard]] std::optional<int> child_count(const Layout& layout) noexcept;

}  // namespace sheaf::arrow
