#include "packer/padded_stream.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "packer/gather.h"
#include "packer/variable_rows.h"

// Limit: writing the bytes of N x T samples once, and reading the bytes of S samples once. If all
// sequences of a stream have the same length, there is no padding, and each run of neighbours is
// one memcpy. Sparse and opaque streams have no values in their padding: V values and V indices are
// copied, and N x T row offsets are written. In variable streams, each sample is copied on its own.

namespace sheaf::internal {
namespace {

Buffer padded_mask(std::span<const SequenceView> views, const StreamBatch& batch,
                   std::pmr::memory_resource& memory) {
  const std::int64_t row_count = product(std::ssize(views), batch.sample_count_max);
  Buffer mask = allocate(row_count, sizeof(std::uint8_t), memory);
  if (row_count == 0) return mask;
  std::uint8_t* out = mask.as_mutable<std::uint8_t>().data();
  if (batch.sample_count == row_count) {  // no padding
    std::memset(out, 1, static_cast<std::size_t>(row_count));
    return mask;
  }
  for (const SequenceView& view : views) {
    std::uint8_t* const end = out + batch.sample_count_max;
    if (batch.pad_side == PadSide::left) {
      std::fill_n(std::fill_n(out, batch.sample_count_max - view.sample_count, std::uint8_t{0}),
                  view.sample_count, std::uint8_t{1});
    } else {
      std::fill(std::fill_n(out, view.sample_count, std::uint8_t{1}), end, std::uint8_t{0});
    }
    out = end;
  }
  return mask;
}

Buffer padded_values(const Stream& stream, std::span<const SequenceView> views,
                     const StreamBatch& batch, const Sizes& sizes, const PadFill& fill,
                     const StreamMemory& memory) {
  const std::int64_t sample_size = sample_size_bytes(stream);
  const std::int64_t row_count = product(std::ssize(views), batch.sample_count_max);
  // Whether there is no padding. Without sequences, the size of T samples may overflow.
  const bool is_full = row_count > 0 && batch.sample_count == row_count;
  if (is_full && memory.offered.values != nullptr) {
    return gather_values(stream, views, sizes, memory);
  }
  Buffer values = allocate(row_count, sample_size, memory);
  if (is_full && !sizes.has_strides &&
      copy_few_bytes_each(views, &SequenceView::values, batch.sample_count_max * sample_size,
                          values.mutable_data())) {
    return values;
  }
  const bool is_left = batch.pad_side == PadSide::left;
  RunCopier copier(values.mutable_data());
  for (const SequenceView& view : views) {
    const std::int64_t padding_size = (batch.sample_count_max - view.sample_count) * sample_size;
    if (is_left) copier.append_padding(fill, padding_size);
    append_samples(view, sample_size, copier);
    if (!is_left) copier.append_padding(fill, padding_size);
  }
  return values;
}

/// Returns samples of variable shape, each at the corner of an array row that is large enough for
/// all of them.
Buffer padded_variable_values(const Stream& stream, std::span<const SequenceView> views,
                              const StreamBatch& batch, const PadFill& fill,
                              std::pmr::memory_resource& memory) {
  const std::int64_t value_size = element_size(stream.element_type);
  const std::int64_t rank = batch.row_shape.rank();
  const std::int64_t row_size = product(batch.row_shape.size(), value_size);
  const std::int64_t row_count = product(std::ssize(views), batch.sample_count_max);
  Buffer values = allocate(row_count, row_size, memory);
  if (values.empty()) return values;
  const bool is_left = batch.pad_side == PadSide::left;
  std::byte* row = values.mutable_data();
  for (const SequenceView& view : views) {
    const std::int64_t padding_size = (batch.sample_count_max - view.sample_count) * row_size;
    std::byte* const end = row + batch.sample_count_max * row_size;
    if (is_left) {
      fill.fill(row, padding_size);
      row += padding_size;
    }
    for (std::int64_t t = 0; t < view.sample_count; ++t, row += row_size) {
      const std::int64_t first = view.sample_offsets[t] - view.sample_offsets[0];
      copy_to_corner(view.values + first * value_size,
                     {view.extents + t * rank, static_cast<std::size_t>(rank)}, value_size,
                     batch.row_shape.extents(), fill, row);
    }
    if (!is_left) fill.fill(row, padding_size);
    row = end;
  }
  return values;
}

/// Returns the row offsets in CSR form over N x T array rows. A row of padding has no values.
Buffer padded_row_offsets(std::span<const SequenceView> views, const StreamBatch& batch,
                          const Sizes& sizes, std::pmr::memory_resource& memory) {
  const std::int64_t sample_count_max = batch.sample_count_max;
  const std::int64_t row_count = product(std::ssize(views), sample_count_max);
  Buffer row_offsets = allocate(row_count + 1, sizeof(std::int64_t), memory);
  const bool is_left = batch.pad_side == PadSide::left;
  std::int64_t* out = row_offsets.as_mutable<std::int64_t>().data();
  if (sizes.has_equal_values && sizes.has_one_each(row_count)) {
    write_even_row_offsets(row_count, views.front().value_count, out);
    return row_offsets;
  }
  *out++ = 0;
  std::int64_t value_count = 0;
  for (const SequenceView& view : views) {
    std::int64_t* const end = out + sample_count_max;
    if (is_left) out = std::fill_n(out, sample_count_max - view.sample_count, value_count);
    write_sample_ends(view, value_count, out);
    value_count += view.value_count;
    std::fill(out + view.sample_count, end, value_count);
    out = end;
  }
  return row_offsets;
}

}  // namespace

StreamBatch pack_padded_stream(const Stream& stream, std::span<const SequenceView> views,
                               const Sizes& sizes, const PaddedRows& rows,
                               const StreamMemory& memory) {
  StreamBatch batch = begin_batch(Layout::padded, stream, views, sizes, memory);
  batch.sample_count_max = rows.length;
  batch.pad_side = rows.pad_side;
  batch.mask = padded_mask(views, batch, memory);
  if (has_row_offsets(stream)) {
    batch.values = gather_values(stream, views, sizes, memory);
    if (stream.storage == Storage::sparse) {
      batch.indices = gather_indices(stream, views, sizes, memory);
    }
    batch.row_offsets = padded_row_offsets(views, batch, sizes, memory);
    return batch;
  }
  if (is_variable(stream)) {
    batch.values = padded_variable_values(stream, views, batch, rows.fill, memory);
    batch.extents = row_extents(stream, views, batch, batch.row_count(), memory);
  } else {
    batch.values = padded_values(stream, views, batch, sizes, rows.fill, memory);
  }
  return batch;
}

}  // namespace sheaf::internal
