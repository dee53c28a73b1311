#include "format/sheaf/batch_columns.h"

#include <algorithm>
#include <cstring>

#include "format/sheaf/column_arrays.h"

namespace sheaf::container {
namespace {

void append_bytes(Buffer& into, std::int64_t& at, const std::byte* from, std::int64_t size) {
  if (size == 0) return;
  std::memcpy(into.mutable_data() + at, from, static_cast<std::size_t>(size));
  at += size;
}

std::int64_t capacity_of(const auto& values) noexcept {
  return static_cast<std::int64_t>(values.capacity() * sizeof(values[0]));
}

// Appends the number of entries, or the extents, of each sample of a sequence.
void append_counts(const Stream& stream, const SequenceView& view, BatchColumn& into) {
  const bool is_sparse = stream.storage == Storage::sparse;
  const std::int64_t rank = is_sparse ? 1 : stream.sample_shape.rank();
  if (!is_sparse && view.extents != nullptr) {
    into.counts.insert(into.counts.end(), view.extents, view.extents + view.sample_count * rank);
    return;
  }
  for (std::int64_t i = 0; i < view.sample_count; ++i) {
    into.counts.push_back(view.sample_offsets[i + 1] - view.sample_offsets[i]);
  }
}

}  // namespace

std::int64_t BatchColumn::memory_bytes() const noexcept {
  return capacity_of(presence) + capacity_of(lengths) + capacity_of(counts) +
         capacity_of(samples_before) + capacity_of(values_before) + indices.capacity_bytes() +
         values.capacity_bytes();
}

std::int64_t EncodedBatch::memory_bytes() const noexcept {
  std::int64_t size =
      capacity_of(keys) + capacity_of(contents) + capacity_of(sample_counts) + capacity_of(costs);
  for (const BatchColumn& column : columns) size += column.memory_bytes();
  return size;
}

BatchColumn gather_stream(const Stream& stream, std::span<const SequenceView> views,
                          std::span<std::int64_t> contents) {
  const bool is_sparse = stream.storage == Storage::sparse;
  const bool has_counts = is_sparse || !stream.sample_shape.is_fixed();
  const std::int64_t value_size = element_size(stream.element_type);
  const std::int64_t index_size = is_sparse ? element_size(stream.index_type) : 0;
  BatchColumn column;
  std::int64_t sample_count = 0;
  std::int64_t value_count = 0;
  bool lacks_any = false;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const SequenceView& view = views[i];
    lacks_any = lacks_any || !view.is_present;
    sample_count += view.sample_count;
    value_count += view.value_count;
    column.lengths.push_back(view.sample_count);
    column.samples_before.push_back(sample_count);
    column.values_before.push_back(value_count);
    contents[i] += content_size(stream, view.sample_count, view.value_count);
  }
  if (lacks_any) {
    for (const SequenceView& view : views) column.presence.push_back(view.is_present ? 1 : 0);
  }
  column.values.resize(value_count * value_size);
  column.indices.resize(value_count * index_size);
  std::int64_t values_at = 0;
  std::int64_t indices_at = 0;
  for (const SequenceView& view : views) {
    append_bytes(column.values, values_at, view.values, view.value_count * value_size);
    if (is_sparse) {
      append_bytes(column.indices, indices_at, view.indices, view.value_count * index_size);
    }
    if (has_counts) append_counts(stream, view, column);
  }
  return column;
}

BatchColumn gather_keys(std::span<const std::string> texts, std::span<std::int64_t> contents) {
  BatchColumn column;
  std::int64_t size = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    size += std::ssize(texts[i]);
    column.lengths.push_back(std::ssize(texts[i]));
    column.samples_before.push_back(static_cast<std::int64_t>(i) + 1);
    column.values_before.push_back(size);
    contents[i] += kLengthSize + std::ssize(texts[i]);
  }
  column.values.resize(size);
  std::int64_t at = 0;
  for (const std::string& text : texts) {
    append_bytes(column.values, at, reinterpret_cast<const std::byte*>(text.data()),
                 std::ssize(text));
  }
  return column;
}

}  // namespace sheaf::container
