#include "format/arrow/offset_checks.h"

#include <algorithm>
#include <cstring>

#include "base/unaligned.h"
#include "format/arrow/arrow_layout.h"

namespace sheaf::arrow {
namespace {

using internal::load;

template <typename T>
std::int64_t first_wrong(const T* offsets, std::int64_t count, std::int64_t limit) noexcept {
  // Most offsets are right, so first check them in a loop without branches, which takes several at
  // a time.
  bool is_right = offsets[0] >= 0 && std::int64_t{offsets[count]} <= limit;
  for (std::int64_t i = 0; i < count; ++i) is_right &= offsets[i] <= offsets[i + 1];
  if (is_right) return -1;
  std::int64_t before = 0;
  for (std::int64_t i = 0; i <= count; ++i) {
    const auto offset = std::int64_t{offsets[i]};
    if (offset < before || offset > limit) return i;
    before = offset;
  }
  return -1;
}

template <typename T>
void move_all(const T* offsets, std::int64_t count, std::int64_t by, T* to) noexcept {
  for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(offsets[i] - by);
}

bool is_within(std::int64_t offset, std::int64_t size, std::int64_t limit) noexcept {
  return offset >= 0 && size >= 0 && offset <= limit && size <= limit - offset;
}

void widen(ValueRange& range, std::int64_t begin, std::int64_t end) noexcept {
  if (begin == end) return;
  const bool is_first = range.size() == 0;
  range.begin = is_first ? begin : std::min(range.begin, begin);
  range.end = is_first ? end : std::max(range.end, end);
}

// A view of a text of more than 12 bytes, which lies in a buffer. Shorter texts lie in the view
// itself.
struct LongView {
  static constexpr std::int32_t kInlineMax = 12;

  LongView(const std::byte* views, std::int64_t i) noexcept
      : size(load<std::int32_t>(views + i * kViewBytes)),
        buffer(load<std::int32_t>(views + i * kViewBytes, 2)),
        offset(load<std::int32_t>(views + i * kViewBytes, 3)) {}

  [[nodiscard]] bool counts(std::span<const std::int64_t> limits) const noexcept {
    return size > kInlineMax && buffer >= 0 && buffer < std::ssize(limits) &&
           is_within(offset, size, limits[static_cast<std::size_t>(buffer)]);
  }

  std::int32_t size;
  std::int32_t buffer;
  std::int32_t offset;
};

}  // namespace

std::int64_t first_wrong_offset(const std::byte* offsets, std::int64_t width, std::int64_t count,
                                std::int64_t limit) noexcept {
  if (width == 4) return first_wrong(reinterpret_cast<const std::int32_t*>(offsets), count, limit);
  return first_wrong(reinterpret_cast<const std::int64_t*>(offsets), count, limit);
}

std::int64_t offset_at(const std::byte* offsets, std::int64_t width, std::int64_t i) noexcept {
  if (width == 4) return load<std::int32_t>(offsets, i);
  return load<std::int64_t>(offsets, i);
}

void move_offsets(const std::byte* offsets, std::int64_t width, std::int64_t count, std::int64_t by,
                  std::byte* to) noexcept {
  if (width == 4) {
    move_all(reinterpret_cast<const std::int32_t*>(offsets), count, by,
             reinterpret_cast<std::int32_t*>(to));
  } else {
    move_all(reinterpret_cast<const std::int64_t*>(offsets), count, by,
             reinterpret_cast<std::int64_t*>(to));
  }
}

ValueRange range_of_list_views(const std::byte* offsets, const std::byte* sizes, std::int64_t width,
                               std::int64_t count, std::int64_t limit) noexcept {
  ValueRange range;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t offset = offset_at(offsets, width, i);
    const std::int64_t size = offset_at(sizes, width, i);
    if (is_within(offset, size, limit)) widen(range, offset, offset + size);
  }
  return range;
}

// The offset of an empty list means nothing, and may lie before the other offsets.
void move_list_views(const std::byte* offsets, const std::byte* sizes, std::int64_t width,
                     std::int64_t count, std::int64_t limit, std::int64_t by,
                     std::byte* to) noexcept {
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t offset = offset_at(offsets, width, i);
    const std::int64_t size = offset_at(sizes, width, i);
    if (is_within(offset, size, limit)) offset = size == 0 ? 0 : offset - by;
    std::memcpy(to + i * width, &offset, static_cast<std::size_t>(width));
  }
}

std::vector<ValueRange> ranges_of_views(const std::byte* views, std::int64_t count,
                                        std::span<const std::int64_t> limits) {
  std::vector<ValueRange> ranges(limits.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const LongView view(views, i);
    if (!view.counts(limits)) continue;
    widen(ranges[static_cast<std::size_t>(view.buffer)], view.offset,
          std::int64_t{view.offset} + view.size);
  }
  return ranges;
}

void move_views(const std::byte* views, std::int64_t count, std::span<const std::int64_t> limits,
                std::span<const ValueRange> ranges, std::byte* to) noexcept {
  if (count == 0) return;
  std::memcpy(to, views, static_cast<std::size_t>(count * kViewBytes));
  for (std::int64_t i = 0; i < count; ++i) {
    const LongView view(views, i);
    if (!view.counts(limits)) continue;
    const ValueRange& range = ranges[static_cast<std::size_t>(view.buffer)];
    const auto moved = static_cast<std::int32_t>(view.offset - range.begin);
    std::memcpy(to + i * kViewBytes + 12, &moved, sizeof moved);
  }
}

}  // namespace sheaf::arrow
