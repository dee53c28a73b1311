// Offsets of lists, texts and views: which values they need, and moved to where those were read.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sheaf::arrow {

/// Values from one to another: of a child, or bytes.
struct ValueRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  [[nodiscard]] std::int64_t size() const noexcept { return end - begin; }
};

/// Returns the first of `count` + 1 offsets that is below the one before, below 0 or above `limit`;
/// -1 where all are right. `width`: bytes of an offset, 4 or 8.
///
/// Pre: the offsets are aligned for their type, here and below.
[[nodiscard]] std::int64_t first_wrong_offset(const std::byte* offsets, std::int64_t width,
                                              std::int64_t count, std::int64_t limit) noexcept;

/// Returns offset `i`.
[[nodiscard]] std::int64_t offset_at(const std::byte* offsets, std::int64_t width,
                                     std::int64_t i) noexcept;

/// Writes `count` offsets, less `by`.
///
/// Pre: all offsets are `by` or more.
void move_offsets(const std::byte* offsets, std::int64_t width, std::int64_t count, std::int64_t by,
                  std::byte* to) noexcept;

/// Returns which values `count` lists need that have an offset and a size each. Lists that reach
/// beyond `limit` do not count.
[[nodiscard]] ValueRange range_of_list_views(const std::byte* offsets, const std::byte* sizes,
                                             std::int64_t width, std::int64_t count,
                                             std::int64_t limit) noexcept;

/// Writes the offsets of such lists, less `by`. Those of lists that do not count stay: they are
/// beyond the values that were read, too.
void move_list_views(const std::byte* offsets, const std::byte* sizes, std::int64_t width,
                     std::int64_t count, std::int64_t limit, std::int64_t by,
                     std::byte* to) noexcept;

/// Returns which bytes of each buffer the views need. `limits`: the sizes of the buffers. Views
/// that reach beyond a buffer, or name none, do not count.
[[nodiscard]] std::vector<ValueRange> ranges_of_views(const std::byte* views, std::int64_t count,
                                                      std::span<const std::int64_t> limits);

/// Writes the views, with offsets less the begins of `ranges`. Views that do not count stay.
void move_views(const std::byte* views, std::int64_t count, std::span<const std::int64_t> limits,
                std::span<const ValueRange> ranges, std::byte* to) noexcept;

}  // namespace sheaf::arrow
