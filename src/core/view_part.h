/// \file
/// Parts of views, for callers that take many parts of one stream.

#pragma once

#include <algorithm>
#include <cstdint>

#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// The data of a stream that part_of_view() needs, looked up once.
struct SampleSizes {
  std::int64_t value_count = 0;  // of a sample; 0 if the shape is variable
  std::int64_t value_bytes = 0;
  std::int64_t index_bytes = 0;
  std::int64_t rank = 0;

  SampleSizes() noexcept = default;
  explicit SampleSizes(const Stream& stream) noexcept
      : value_count(stream.sample_shape.is_fixed() ? stream.sample_shape.size() : 0),
        value_bytes(element_size(stream.element_type)),
        index_bytes(element_size(stream.index_type)),
        rank(stream.sample_shape.rank()) {}
};

/// Returns sheaf::part_of_view().
[[nodiscard]] inline SequenceView part_of_view(const SequenceView& view, const SampleSizes& sizes,
                                               const SampleRange& range) noexcept {
  SequenceView result = view;
  if (range.first == 0 && range.count >= view.sample_count) return result;  // the usual case
  const std::int64_t first = std::min(range.first, view.sample_count);
  result.sample_count = std::min(range.count, view.sample_count - first);
  if (view.sample_count == 0) return result;

  if (view.sample_offsets == nullptr) {
    result.value_count = result.sample_count * sizes.value_count;
    const std::int64_t stride = sizes.value_count * sizes.value_bytes;
    result.values += first * (view.sample_stride != 0 ? view.sample_stride : stride);
    return result;
  }
  result.sample_offsets += first;
  const std::int64_t first_value = result.sample_offsets[0] - view.sample_offsets[0];
  result.value_count = result.sample_offsets[result.sample_count] - result.sample_offsets[0];
  result.values += first_value * sizes.value_bytes;
  if (result.indices != nullptr) result.indices += first_value * sizes.index_bytes;
  if (result.extents != nullptr) result.extents += first * sizes.rank;
  return result;
}

}  // namespace sheaf::internal
