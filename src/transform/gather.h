/// \file
/// Copies samples in another order.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sheaf/extend/transform.h"

namespace sheaf::internal {

/// Writes `input.range` of stream `to` of the output from samples of stream `from` of the input,
/// for streams of any kind. Sample i of the range is sample sample_of(i), counted from the start of
/// the sequence.
///
/// Pre: the input has all these samples.
template <typename SampleOf>
void gather(const TransformInput& input, TransformOutput& output, std::size_t from, std::size_t to,
            const SampleOf& sample_of) {
  const Stream& made = output.streams()[to];
  const SequenceView& view = input.views[from];
  const std::int64_t first = input.firsts[from];
  const std::int64_t count = input.range.count;
  const auto value_size = static_cast<std::size_t>(element_size(made.element_type));
  if (view.sample_offsets == nullptr) {
    const std::size_t size = static_cast<std::size_t>(made.sample_shape.size()) * value_size;
    std::byte* out = output.dense_bytes(to, count);
    for (std::int64_t i = 0; i < count; ++i, out += size) {
      std::memcpy(out, view.values + static_cast<std::size_t>(sample_of(i) - first) * size, size);
    }
    return;
  }
  const std::int64_t* const offsets = view.sample_offsets;
  const auto values_of = [&](std::int64_t i) {
    const std::int64_t sample = sample_of(i) - first;
    return SampleRange{offsets[sample] - offsets[0], offsets[sample + 1] - offsets[sample]};
  };
  std::int64_t value_count = 0;
  for (std::int64_t i = 0; i < count; ++i) value_count += values_of(i).count;

  std::byte* values = nullptr;
  std::byte* indices = nullptr;
  std::int64_t* ends = nullptr;
  const std::size_t index_size =
      made.storage == Storage::sparse ? static_cast<std::size_t>(element_size(made.index_type)) : 0;
  if (made.storage == Storage::sparse) {
    const TransformOutput::Sparse room = output.sparse(to, count, value_count);
    values = room.values;
    indices = room.indices;
    ends = room.sample_offsets;
  } else {
    const TransformOutput::Variable room = output.variable(to, count, value_count);
    const auto rank = static_cast<std::size_t>(made.sample_shape.rank());
    for (std::int64_t i = 0; i < count; ++i) {
      const std::size_t sample = static_cast<std::size_t>(sample_of(i) - first);
      std::memcpy(room.extents + static_cast<std::size_t>(i) * rank, view.extents + sample * rank,
                  rank * sizeof(std::int64_t));
    }
    values = room.values;
    ends = room.sample_offsets;
  }
  std::int64_t done = 0;
  ends[0] = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const SampleRange range = values_of(i);
    ends[i + 1] = done + range.count;
    if (range.count == 0) continue;  // a view without values may have null pointers
    const auto source = static_cast<std::size_t>(range.first);
    const auto entry = static_cast<std::size_t>(done);
    const auto size = static_cast<std::size_t>(range.count);
    std::memcpy(values + entry * value_size, view.values + source * value_size, size * value_size);
    if (index_size > 0) {
      std::memcpy(indices + entry * index_size, view.indices + source * index_size,
                  size * index_size);
    }
    done += range.count;
  }
}

}  // namespace sheaf::internal
