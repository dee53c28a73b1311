#include "packer/packed_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <numeric>

#include "packer/variable_rows.h"

// Limit: writing the bytes of all array rows once, and reading the bytes of all samples once,
// sample by sample, because neighbouring samples of a sequence lie one step, or slot_count rows,
// apart.

namespace sheaf::internal {
namespace {

constexpr std::int64_t kInt64Size = sizeof(std::int64_t);

/// Calls f(view, sample, row) for every sample.
template <typename F>
void for_each_sample(std::span<const SequenceView> views, const StreamBatch& batch, const F& f) {
  for (std::int64_t i = 0; i < std::ssize(views); ++i) {
    const SequenceView& view = views[static_cast<std::size_t>(i)];
    if (view.sample_count == 0) continue;
    std::int64_t row = batch.row(i, 0);
    for (std::int64_t t = 0; t < view.sample_count; ++t, row += batch.slot_count) f(view, t, row);
  }
}

/// Pre: the batch has its mask.
Buffer packed_values(const Stream& stream, std::span<const SequenceView> views,
                     const StreamBatch& batch, std::int64_t row_count, const PadFill& fill,
                     std::pmr::memory_resource& memory) {
  const std::int64_t sample_size = batch.row_shape.size() * element_size(stream.element_type);
  Buffer values = allocate(row_count, sample_size, memory);
  if (values.empty()) return values;
  std::byte* const out = values.mutable_data();
  const auto size = static_cast<std::size_t>(sample_size);
  if (batch.sample_count < row_count) {
    const std::uint8_t* const mask = batch.mask.as<std::uint8_t>().data();
    for (std::int64_t row = 0; row < row_count; ++row) {
      if (mask[row] == 0) fill.fill(out + row * sample_size, sample_size);
    }
  }
  for_each_sample(views, batch, [&](const SequenceView& view, std::int64_t t, std::int64_t row) {
    const std::int64_t stride = view.sample_stride != 0 ? view.sample_stride : sample_size;
    std::memcpy(out + row * sample_size, view.values + t * stride, size);
  });
  return values;
}

/// Returns the row offsets in CSR form over T x P array rows, which is CNTK's CSC over columns. A
/// gap has no values.
Buffer packed_row_offsets(std::span<const SequenceView> views, const StreamBatch& batch,
                          std::int64_t row_count, std::pmr::memory_resource& memory) {
  Buffer row_offsets = allocate(row_count + 1, kInt64Size, memory);
  std::int64_t* const out = row_offsets.as_mutable<std::int64_t>().data();
  std::fill_n(out, row_count + 1, std::int64_t{0});
  for_each_sample(views, batch, [out](const SequenceView& view, std::int64_t t, std::int64_t row) {
    out[row + 1] = view.sample_offsets[t + 1] - view.sample_offsets[t];
  });
  std::partial_sum(out, out + row_count + 1, out);
  return row_offsets;
}

/// Returns the values or the indices of a sparse stream, or the bytes of an opaque stream, in the
/// order of the array rows. The entries of a sample keep their order.
///
/// Pre: the batch has its row_offsets.
Buffer packed_entries(const std::byte* SequenceView::*from, std::int64_t entry_size,
                      std::span<const SequenceView> views, const StreamBatch& batch,
                      const Sizes& sizes, std::pmr::memory_resource& memory) {
  Buffer entries = allocate(sizes.value_count, entry_size, memory);
  const std::int64_t* const offsets = batch.row_offsets.as<std::int64_t>().data();
  std::byte* const out = entries.mutable_data();
  for_each_sample(views, batch, [&](const SequenceView& view, std::int64_t t, std::int64_t row) {
    const std::int64_t first = view.sample_offsets[t] - view.sample_offsets[0];
    const std::int64_t count = offsets[row + 1] - offsets[row];
    if (count == 0) return;
    std::memcpy(out + offsets[row] * entry_size, view.*from + first * entry_size,
                static_cast<std::size_t>(count * entry_size));
  });
  return entries;
}

}  // namespace

Buffer packed_mask(std::span<const SequenceView> views, const StreamBatch& batch,
                   std::int64_t row_count, std::pmr::memory_resource& memory) {
  Buffer mask = allocate(row_count, sizeof(std::uint8_t), memory);
  if (row_count == 0) return mask;
  std::uint8_t* const out = mask.as_mutable<std::uint8_t>().data();
  const bool has_gaps = batch.sample_count < row_count;
  std::memset(out, has_gaps ? 0 : 1, static_cast<std::size_t>(row_count));
  if (has_gaps) {
    for_each_sample(views, batch,
                    [out](const SequenceView&, std::int64_t, std::int64_t row) { out[row] = 1; });
  }
  return mask;
}

void pack_in_rows(const Stream& stream, std::span<const SequenceView> views, const Sizes& sizes,
                  std::int64_t row_count, const PadFill& fill, StreamBatch& batch,
                  std::pmr::memory_resource& memory) {
  batch.mask = packed_mask(views, batch, row_count, memory);
  if (!has_row_offsets(stream)) {
    batch.values = packed_values(stream, views, batch, row_count, fill, memory);
    if (is_variable(stream)) batch.extents = row_extents(stream, views, batch, row_count, memory);
    return;
  }
  batch.row_offsets = packed_row_offsets(views, batch, row_count, memory);
  batch.values = packed_entries(&SequenceView::values, element_size(stream.element_type), views,
                                batch, sizes, memory);
  if (stream.storage == Storage::dense) return;
  batch.indices = packed_entries(&SequenceView::indices, element_size(stream.index_type), views,
                                 batch, sizes, memory);
}

}  // namespace sheaf::internal
