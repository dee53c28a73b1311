#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <numeric>
#include <span>
#include <string_view>

#include "sheaf/extend/packer.h"

#include "packer/gather.h"
#include "packer/variable_rows.h"

// The layout `ragged`: samples back to back, with the offsets of the sequences and, if needed, of
// the samples.
//
// Limit: reading and writing V values (and V indices) once, plus 16 bytes of offset and length for
// each sequence, and 8 bytes for each sample if samples differ in size. A run of neighbouring
// sequences of a chunk is one memcpy. In file order, a whole minibatch is such a run.

namespace sheaf {
namespace {

using internal::RunCopier;
using internal::Sizes;

Buffer gathered_sequence_offsets(std::span<const SequenceView> views,
                                 std::pmr::memory_resource& memory) {
  Buffer offsets = internal::allocate(std::ssize(views) + 1, sizeof(std::int64_t), memory);
  std::int64_t* out = offsets.as_mutable<std::int64_t>().data();
  std::int64_t sample_count = 0;
  *out++ = 0;
  for (const SequenceView& view : views) *out++ = sample_count += view.sample_count;
  return offsets;
}

Buffer gathered_extents(const Stream& stream, std::span<const SequenceView> views,
                        const Sizes& sizes, std::pmr::memory_resource& memory) {
  const std::int64_t row_size =
      stream.sample_shape.rank() * static_cast<std::int64_t>(sizeof(std::int64_t));
  Buffer extents = internal::allocate(sizes.sample_count, row_size, memory);
  if (internal::is_opaque(stream)) {  // views from minibatches of other layouts have no extents
    std::int64_t* out = extents.as_mutable<std::int64_t>().data();
    for (const SequenceView& view : views) {
      for (std::int64_t t = 0; t < view.sample_count; ++t) {
        *out++ = view.sample_offsets[t + 1] - view.sample_offsets[t];
      }
    }
    return extents;
  }
  RunCopier copier(extents.mutable_data());
  for (const SequenceView& view : views) {
    copier.append(reinterpret_cast<const std::byte*>(view.extents), view.sample_count * row_size);
  }
  return extents;
}

StreamBatch pack_ragged_stream(const Stream& stream, std::span<const SequenceView> views,
                               const internal::StreamMemory& memory) {
  const bool is_sparse = stream.storage == Storage::sparse;
  const bool is_variable = !stream.sample_shape.is_fixed();
  const Sizes sizes = internal::measure(views);
  StreamBatch batch = internal::begin_batch(Layout::ragged, stream, views, sizes, memory);
  batch.sequence_offsets = gathered_sequence_offsets(views, memory);
  batch.values = internal::gather_values(stream, views, sizes, memory);
  if (is_sparse) batch.indices = internal::gather_indices(stream, views, sizes, memory);
  if (is_sparse || is_variable) {
    batch.row_offsets = internal::gather_row_offsets(views, sizes, memory);
  }
  if (is_variable) batch.extents = gathered_extents(stream, views, sizes, memory);
  return batch;
}

class RaggedPacker final : public Packer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override {
    return to_string(Layout::ragged);
  }

  void check(std::span<const Stream> /*streams*/) const override {}

  [[nodiscard]] Minibatch pack(const SequenceList& sequences,
                               std::pmr::memory_resource& memory) const override {
    return internal::pack_streams(sequences, memory, pack_ragged_stream);
  }

  [[nodiscard]] std::int64_t row_count(std::span<const std::int64_t> sample_counts) const override {
    return std::accumulate(sample_counts.begin(), sample_counts.end(), std::int64_t{0});
  }

  [[nodiscard]] bool takes_strides() const noexcept override { return true; }
  [[nodiscard]] bool takes_arrays() const noexcept override { return true; }
};

}  // namespace

std::unique_ptr<Packer> ragged_packer() { return std::make_unique<RaggedPacker>(); }

}  // namespace sheaf
