// Texts and binaries of Arrow arrays.

#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "sheaf/extend/arrow_interface.h"

#include "format/columns/arrow_values.h"

namespace sheaf::columns {

/// An array of texts or binaries, in any of the six formats. The offsets of each text are checked.
class TextValues {
 public:
  /// Lifetime: the array must outlive the TextValues.
  TextValues(std::string_view format, const ArrowArray& array) noexcept
      : array_(array),
        is_view_(format.starts_with('v')),
        is_large_(format == "U" || format == "Z"),
        end_(is_view_ || array.length == 0 ? 0
                                           : item_range(array, is_large_, array.length - 1).end) {}

  /// Returns whether the texts lie in one buffer, one after the other, except for nulls.
  [[nodiscard]] bool is_contiguous() const noexcept { return !is_view_; }

  /// Returns the range of a text in the buffer, or nothing if its offsets are wrong.
  ///
  /// Pre: is_contiguous(); 0 <= i < the length, as for the next functions.
  [[nodiscard]] std::optional<ArrowRange> range(std::int64_t i) const noexcept {
    const ArrowRange found = item_range(array_, is_large_, i);
    if (found.begin < 0 || found.end < found.begin || found.end > end_) return std::nullopt;
    return found;
  }

  /// Returns the size of a text in bytes, or nothing if its offsets are wrong. Reads no byte of the
  /// text.
  [[nodiscard]] std::optional<std::int64_t> size(std::int64_t i) const noexcept {
    if (is_view_) {
      const View view = view_at(i);
      return is_good(view) ? std::optional<std::int64_t>(view.size) : std::nullopt;
    }
    const auto found = range(i);
    return found ? std::optional(found->end - found->begin) : std::nullopt;
  }

  /// Returns a text, or nothing if its offsets are wrong.
  ///
  /// Pre: the buffers have the bytes.
  [[nodiscard]] std::optional<std::string_view> text(std::int64_t i) const noexcept {
    if (is_view_) {
      const View view = view_at(i);
      if (!is_good(view)) return std::nullopt;
      const auto size = static_cast<std::size_t>(view.size);
      if (view.size <= kShortMax) return std::string_view(location_of(i) + sizeof view.size, size);
      return std::string_view(
          static_cast<const char*>(array_.buffers[kFirstData + view.buffer]) + view.offset, size);
    }
    const auto found = range(i);
    if (!found) return std::nullopt;
    if (found->begin == found->end) return std::string_view();
    return std::string_view(bytes() + found->begin,
                            static_cast<std::size_t>(found->end - found->begin));
  }

  /// Returns the buffer that ranges refer to.
  ///
  /// Pre: is_contiguous().
  [[nodiscard]] const char* bytes() const noexcept {
    return static_cast<const char*>(array_.buffers[2]);
  }

 private:
  static constexpr std::int64_t kViewSize = 16;
  static constexpr std::int32_t kShortMax = 12;  // such texts lie in the view itself
  static constexpr std::int64_t kFirstData = 2;  // the buffers before it hold validity and views

  struct View {
    std::int32_t size;
    std::int32_t first_bytes;
    std::int32_t buffer;
    std::int32_t offset;
  };

  [[nodiscard]] const char* location_of(std::int64_t i) const noexcept {
    return static_cast<const char*>(array_.buffers[1]) + (array_.offset + i) * kViewSize;
  }

  [[nodiscard]] View view_at(std::int64_t i) const noexcept {
    View view{};
    std::memcpy(&view, location_of(i), sizeof view);
    return view;
  }

  // The last buffer holds the sizes of the data buffers.
  [[nodiscard]] bool is_good(const View& view) const noexcept {
    if (view.size < 0) return false;
    if (view.size <= kShortMax) return true;
    const std::int64_t data_buffers = array_.n_buffers - kFirstData - 1;
    if (view.buffer < 0 || view.buffer >= data_buffers || view.offset < 0) return false;
    std::int64_t size = 0;
    std::memcpy(&size,
                static_cast<const char*>(array_.buffers[array_.n_buffers - 1]) +
                    view.buffer * std::int64_t{sizeof size},
                sizeof size);
    return view.offset <= size && view.size <= size - view.offset;
  }

  const ArrowArray& array_;
  bool is_view_;
  bool is_large_;
  std::int64_t end_;  // end of the bytes of the texts
};

}  // namespace sheaf::columns
