#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>

#include "sheaf/extend/packer.h"

#include "packer/gather.h"

// Sequences as rows of a rectangle [N, T], each with its samples first and padding after them.
//
// Limit: the bytes of N x T samples, written once; those of S samples, read once. A stream whose
// sequences are equally long has no padding, and comes down to one memcpy for each run of
// neighbours. Sparse streams have no values in their padding: V values and V indices are moved, and
// N x T row offsets written.

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
  StreamBatch batch = internal::begin_batch(Layout::padded, views, sizes, memory);
  batch.mask = padded_mask(views, sizes.sample_count, sizes.sample_count_max, memory);
  if (stream.storage == Storage::dense) {
    batch.values = padded_values(stream, views, sizes, memory);
  } else {
    batch.values = internal::gather_values(stream, views, sizes, memory);
    batch.indices = internal::gather_indices(stream, views, sizes, memory);
    batch.row_offsets = padded_row_offsets(views, sizes.sample_count_max, memory);
  }
  return batch;
}

class PaddedPacker final : public Packer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override {
    return to_string(Layout::padded);
  }

  void check(std::span<const Stream> streams) const override {
    internal::check_fixed_shapes(Layout::padded, streams);
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
