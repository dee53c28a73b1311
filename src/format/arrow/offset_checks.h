// Checks the offsets of lists, texts and views, finds the values they need, and moves them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sheaf::arrow {

/// A range of a child's values, or of bytes.
struct ValueRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  [[nodiscard]] std::int64_t size() const noexcept { return end - begin; }
};

/// Returns the first of `count` + 1 offsets that is below its predecessor, below 0 or above
/// `limit`. Returns -1 if all are right. `width` is 4 or 8, the bytes of an offset.
///
/// Pre: the offsets are aligned for their type. The same holds for the next functions.
[[nodiscard]] std::int64_t first_wrong_offset(const std::byte* offsets, std::int64_t width,
                                              std::int64_t count, std::int64_t limit) noexcept;

/// Returns offset `i`.
[[nodiscard]] std::int64_t offset_at(const std::byte* offsets, std::int64_t width,
                                     std::int64_t i) noexcept;

/// Writes `count` offsets, reduced by `by`.
///
/// Pre: no offset is below `by`.
void move_offsets(const std::byte* offsets, std::int64_t width, std::int64_t count, std::int64_t by,
                  std::byte* to) noexcept;

/// Returns the values that `count` lists need. Each list has an offset and a size. Ignores lists
/// that reach past `limit`.
[[nodiscard]] ValueRange range_of_list_views(const std::byte* offsets, const std::byte* sizes,
                                             std::int64_t width, std::int64_t count,
                                             std::int64_t limit) noexcept;

/// Writes the offsets of such lists, reduced by `by`. Leaves the offsets of ignored lists
/// unchanged, since they also lie past the values that were read.
void move_list_views(const std::byte* offsets, const std::byte* sizes, std::int64_t width,
                     std::int64_t count, std::int64_t limit, std::int64_t by,
                     std::byte* to) noexcept;

/// Returns the bytes of each buffer that the views need. `limits` are the sizes of the buffers.
/// Ignores views that reach past a buffer, or that name none.
[[nodiscard]] std::vector<ValueRange> ranges_of_views(const std::byte* views, std::int64_t count,
                                                      std::span<const std::int64_t> limits);

/// Writes the views, with offsets reduced by the begins of `ranges`. Leaves ignored views
/// unchanged.
void move_views(const std::byte* views, std::int64_t count, std::span<const std::int64_t> limits,
                std::span<const ValueRange> ranges, std::byte* to) noexcept;

}  // namespace sheaf::arrow
