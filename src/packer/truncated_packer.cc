#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>

#include "sheaf/error.h"
#include "sheaf/extend/packer.h"

#include "base/text.h"
#include "packer/gather.h"
#include "packer/packed_rows.h"
#include "packer/padding.h"
#include "packer/variable_rows.h"

// The layout `truncated`: pieces of sequences in the slots that the sequencer assigned. A piece
// begins at the end of the previous piece in its slot. If a slot has fewer samples than steps, the
// rest is a gap.

namespace sheaf {
namespace {

[[noreturn]] void throw_unequal(const SequenceList& sequences, std::int64_t i, const Stream& stream,
                                const SequenceView& view) {
  const SequenceSlice& slice = sequences.slices()[static_cast<std::size_t>(i)];
  throw ConfigError(formatted(
      "packing: sequence {} has {} samples, but {} of samples {} to {} in stream \"{}\": "
      "`truncated` takes sequences that are equally long in every stream; leave the stream out, or "
      "pack whole sequences",
      internal::key_of(sequences, i), slice.sequence_sample_count, view.sample_count, slice.first,
      slice.first + slice.count - 1, stream.name));
}

void check_lengths(const SequenceList& sequences) {
  if (std::ssize(sequences.slices()) != sequences.size() ||
      std::ssize(sequences.slots()) != sequences.size()) {
    throw ConfigError(
        "packing: `truncated` takes sequences that an order with a truncation_length has cut");
  }
  for (std::int64_t s = 0; s < std::ssize(*sequences.streams()); ++s) {
    const std::span<const SequenceView> views = sequences.views(s);
    for (std::int64_t i = 0; i < sequences.size(); ++i) {
      const SequenceView& view = views[static_cast<std::size_t>(i)];
      if (!view.is_present) continue;
      if (view.sample_count == sequences.slices()[static_cast<std::size_t>(i)].count) continue;
      throw_unequal(sequences, i, (*sequences.streams())[static_cast<std::size_t>(s)], view);
    }
  }
}

class TruncatedPacker final : public Packer {
 public:
  TruncatedPacker(std::int64_t slot_count, std::int64_t length, const Padding& padding)
      : slot_count_(slot_count),
        length_(length),
        padding_(padding),
        name_(std::string(to_string(Layout::truncated)) + internal::padding_name(padding)) {
    internal::check_padding(Layout::truncated, padding);
    if (slot_count >= 1 && length >= 1) return;
    throw ConfigError(
        formatted("packing: `truncated` needs a slot and a step at least: got {} and {}",
                  slot_count, length));
  }

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }

  void check(std::span<const Stream> streams) const override {
    internal::check_shapes(Layout::truncated, streams);
    internal::check_pad_values(padding_, streams);
  }

  [[nodiscard]] Minibatch pack(const SequenceList& sequences,
                               std::pmr::memory_resource& memory) const override {
    check(*sequences.streams());
    if (sequences.size() > 0) check_lengths(sequences);
    internal::check_equal_shapes(Layout::truncated, sequences);
    return internal::pack_streams(sequences, memory,
                                  [&](const Stream& stream, std::span<const SequenceView> views,
                                      std::pmr::memory_resource& from) {
                                    return pack_stream(stream, views, sequences, from);
                                  });
  }

  [[nodiscard]] std::int64_t row_count(std::span<const std::int64_t>) const override {
    return internal::most_product(slot_count_, length_);
  }

  [[nodiscard]] bool takes_strides() const noexcept override { return true; }

 private:
  [[nodiscard]] StreamBatch pack_stream(const Stream& stream, std::span<const SequenceView> views,
                                        const SequenceList& sequences,
                                        std::pmr::memory_resource& memory) const {
    const internal::Sizes sizes = internal::measure(views);
    StreamBatch batch = internal::begin_batch(Layout::truncated, stream, views, sizes, memory);
    batch.slot_count = slot_count_;
    batch.sample_count_max = length_;
    assign_slots(sequences, batch, memory);
    internal::pack_in_rows(stream, views, sizes, batch.row_count(),
                           internal::fill_of(padding_, stream), batch, memory);
    return batch;
  }

  // A piece takes the same room if its stream is absent, so all streams have the same layout.
  //
  // Pre: slots are ascending, as assigned by the sequencer.
  void assign_slots(const SequenceList& sequences, StreamBatch& batch,
                    std::pmr::memory_resource& memory) const {
    const std::span<const std::int64_t> slots = sequences.slots();
    batch.slots = internal::allocate(batch.sequence_count, sizeof(std::int64_t), memory);
    batch.begins = internal::allocate(batch.sequence_count, sizeof(std::int64_t), memory);
    std::ranges::copy(slots, batch.slots.as_mutable<std::int64_t>().begin());
    std::int64_t* const begins = batch.begins.as_mutable<std::int64_t>().data();
    std::int64_t step = 0;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (i == 0 || slots[i] != slots[i - 1]) step = 0;
      begins[i] = step;
      step += sequences.slices()[i].count;
      if (slots[i] < 0 || slots[i] >= slot_count_ || step > length_) {
        throw InternalError(formatted("packing: slot {}, step {} of {} slots with {} steps",
                                      slots[i], step, slot_count_, length_));
      }
    }
  }

  std::int64_t slot_count_;
  std::int64_t length_;
  Padding padding_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Packer> truncated_packer(std::int64_t slot_count, std::int64_t length,
                                         const Padding& padding) {
  return std::make_unique<TruncatedPacker>(slot_count, length, padding);
}

}  // namespace sheaf
