#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>

#include "sheaf/packer.h"

#include "packer/first_fit.h"
#include "packer/gather.h"
#include "packer/packed_rows.h"

// CNTK's layout: P sequences advance side by side, T steps long, and short ones follow each other
// in a slot. Row t * P + s is step t of slot s, so a step of all slots is one run of memory.
//
// Limit: the bytes of T x P samples, written once, and those of S samples, read once, a sample at a
// time. Where all have one sample, or only one sequence has any, the rows are in the order of the
// sequences and none is a gap: then it is one memcpy for each run of neighbours.

namespace sheaf {
namespace {

using internal::FirstFit;
using internal::Sizes;

constexpr std::int64_t kInt64Size = sizeof(std::int64_t);

/// Give each sequence its place; one without samples takes none.
void place_sequences(std::span<const SequenceView> views, StreamBatch& batch,
                     std::pmr::memory_resource& memory) {
  batch.slots = internal::allocate(batch.sequence_count, kInt64Size, memory);
  batch.begins = internal::allocate(batch.sequence_count, kInt64Size, memory);
  std::int64_t* slot = batch.slots.as_mutable<std::int64_t>().data();
  std::int64_t* begin = batch.begins.as_mutable<std::int64_t>().data();
  FirstFit first_fit(batch.sample_count_max);
  for (const SequenceView& view : views) {
    FirstFit::Place place;
    if (view.sample_count > 0) place = first_fit.add(view.sample_count);
    *slot++ = place.slot;
    *begin++ = place.begin;
  }
  batch.slot_count = first_fit.slot_count();
}

StreamBatch pack_stream(const Stream& stream, std::span<const SequenceView> views,
                        std::pmr::memory_resource& memory) {
  const Sizes sizes = internal::measure(views);
  StreamBatch batch = internal::begin_batch(Layout::packed, views, sizes, memory);
  place_sequences(views, batch, memory);
  const std::int64_t row_count = internal::product(batch.slot_count, batch.sample_count_max);
  const bool is_in_order = batch.slot_count <= 1 || batch.sample_count_max <= 1;
  if (!is_in_order) {
    internal::pack_in_rows(stream, views, sizes, row_count, batch, memory);
    return batch;
  }
  batch.mask = internal::packed_mask(views, batch, row_count, memory);
  batch.values = internal::gather_values(stream, views, sizes, memory);
  if (stream.storage == Storage::sparse) {
    batch.indices = internal::gather_indices(stream, views, sizes, memory);
    batch.row_offsets = internal::gather_row_offsets(views, sizes, memory);
  }
  return batch;
}

class PackedPacker final : public Packer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override {
    return to_string(Layout::packed);
  }

  void check(std::span<const Stream> streams) const override {
    internal::check_fixed_shapes(Layout::packed, streams);
  }

  [[nodiscard]] Minibatch pack(const SequenceList& sequences,
                               std::pmr::memory_resource& memory) const override {
    check(*sequences.streams());
    return internal::pack_streams(sequences, memory, pack_stream);
  }

  [[nodiscard]] std::int64_t row_count(std::span<const std::int64_t> sample_counts) const override {
    const auto longest = std::ranges::max_element(sample_counts);
    if (longest == sample_counts.end()) return 0;
    FirstFit first_fit(*longest);
    for (const std::int64_t count : sample_counts) {
      if (count > 0) first_fit.add(count);
    }
    return first_fit.slot_count() * *longest;
  }
};

}  // namespace

std::unique_ptr<Packer> packed_packer() { return std::make_unique<PackedPacker>(); }

}  // namespace sheaf
