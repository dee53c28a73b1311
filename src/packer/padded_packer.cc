#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>

#include "sheaf/extend/packer.h"

#include "packer/gather.h"
#include "packer/variable_rows.h"

// Sequences as rows of a rectangle [N, T], each with its samples first and padding after them.
//
// Limit: the bytes of N x T samples, written once; those of S samples, read once. A stream whose
// sequences are equally long has no padding, and comes down to one memcpy for each run of
// neighbours. Sparse and opaque streams have no values in their padding: V values and V indices are
// moved, and N x T row offsets written. Of variable streams, each sample is copied by itself.

namespace sheaf {
namespace {

using internal::RunCopier;
using internal::Sizes;

Buffer padded_mask(std::span<const SequenceView> views, std::int64_t sample_count,
                   std::int64_t sample_count_max, std::pmr::memory_resource& memory) {
  const std::int64_t row_count = internal::product(std::ssize(views), sample_count_max);
  Buffer mask = internal::allocate(row_count, sizeof(std::uint8_t), memory);
  if (row_count == 0) return mask;
  std::uint8_t* out = mask.as_mutable<std::uint8_t>().data();
  if (sample_count == row_count) {  // no padding
    std::memset(out, 1, static_cast<std::size_t>(row_count));
    return mask;
  }
  for (const SequenceView& view : views) {
    std::uint8_t* const end = std::fill_n(out, view.sample_count, std::uint8_t{1});
    std::fill(end, out + sample_count_max, std::uint8_t{0});
    out += sample_count_max;
  }
  return mask;
}

Buffer padded_values(const Stream& stream, std::span<const SequenceView> views, const Sizes& sizes,
                     std::pmr::memory_resource& memory) {
  const std::int64_t sample_size = internal::sample_size_bytes(stream);
  const std::int64_t row_count = internal::product(std::ssize(views), sizes.sample_count_max);
  Buffer values = internal::allocate(row_count, sample_size, memory);
  RunCopier copier(values.mutable_data());
  for (const SequenceView& view : views) {
    copier.append(view.values, view.sample_count * sample_size);
    copier.append_zeros((sizes.sample_count_max - view.sample_count) * sample_size);
  }
  return values;
}

/// Samples of variable shape, each in the corner of a row that all of them fit in.
Buffer padded_variable_values(const Stream& stream, std::span<const SequenceView> views,
                              const Shape& row_shape, std::int64_t sample_count_max,
                              std::pmr::memory_resource& memory) {
  const std::int64_t value_size = element_size(stream.element_type);
  const std::int64_t rank = row_shape.rank();
  const std::int64_t row_size = internal::product(row_shape.size(), value_size);
  const std::int64_t row_count = internal::product(std::ssize(views), sample_count_max);
  Buffer values = internal::allocate(row_count, row_size, memory);
  if (values.empty()) return values;
  std::byte* row = values.mutable_data();
  for (const SequenceView& view : views) {
    for (std::int64_t t = 0; t < view.sample_count; ++t, row += row_size) {
      const std::int64_t first = view.sample_offsets[t] - view.sample_offsets[0];
      internal::copy_to_corner(view.values + first * value_size,
                               {view.extents + t * rank, static_cast<std::size_t>(rank)},
                               value_size, row_shape.extents(), row);
    }
    const std::int64_t padding_size = (sample_count_max - view.sample_count) * row_size;
    if (padding_size > 0) std::memset(row, 0, static_cast<std::size_t>(padding_size));
    row += padding_size;
  }
  return values;
}

/// CSR over N x T rows; a padding row ends where it begins.
Buffer padded_row_offsets(std::span<const SequenceView> views, std::int64_t sample_count_max,
                          std::pmr::memory_resource& memory) {
  const std::int64_t row_count = internal::product(std::ssize(views), sample_count_max);
  Buffer row_offsets = internal::allocate(row_count + 1, sizeof(std::int64_t), memory);
  std::int64_t* out = row_offsets.as_mutable<std::int64_t>().data();
  *out++ = 0;
  std::int64_t value_count = 0;
  for (const SequenceView& view : views) {
    internal::write_sample_ends(view, value_count, out);
    value_count += view.value_count;
    std::fill(out + view.sample_count, out + sample_count_max, value_count);
    out += sample_count_max;
  }
  return row_offsets;
}

StreamBatch pack_padded_stream(const Stream& stream, std::span<const SequenceView> views,
                               std::pmr::memory_resource& memory) {
  const Sizes sizes = internal::measure(views);
  StreamBatch batch = internal::begin_batch(Layout::padded, stream, views, sizes, memory);
  batch.mask = padded_mask(views, sizes.sample_count, sizes.sample_count_max, memory);
  if (internal::has_row_offsets(stream)) {
    batch.values = internal::gather_values(stream, views, sizes, memory);
    if (stream.storage == Storage::sparse) {
      batch.indices = internal::gather_indices(stream, views, sizes, memory);
    }
    batch.row_offsets = padded_row_offsets(views, sizes.sample_count_max, memory);
  } else if (internal::is_variable(stream)) {
    batch.values = padded_variable_values(stream, views, batch.row_shape, sizes.sample_count_max,
                                          memory);
    batch.extents = internal::row_extents(stream, views, batch, batch.row_count(), memory);
  } else {
    batch.values = padded_values(stream, views, sizes, memory);
  }
  return batch;
}

class PaddedPacker final : public Packer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override {
    return to_string(Layout::padded);
  }

  void check(std::span<const Stream> streams) const override {
    internal::check_shapes(Layout::padded, streams);
  }

  [[nodiscard]] Minibatch pack(const SequenceList& sequences,
                               std::pmr::memory_resource& memory) const override {
    check(*sequences.streams());
    return internal::pack_streams(sequences, memory, pack_padded_stream);
  }
};

}  // namespace

std::unique_ptr<Packer> padded_packer() { return std::make_unique<PaddedPacker>(); }

}  // namespace sheaf
