#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/packer.h"

#include "base/text.h"
#include "packer/best_fit.h"
#include "packer/first_fit.h"
#include "packer/gather.h"
#include "packer/packed_rows.h"
#include "packer/padded_stream.h"
#include "packer/padding.h"
#include "packer/variable_rows.h"

// CNTK's layout: P slots of T steps lie side by side, and short sequences follow each other in a
// slot. Array row t * P + s is step t of slot s, so one step of all slots is contiguous in memory.
// As in CNTK, T is the length of the longest sequence in the stream. With row_samples, T is
// row_samples, and best fit fills the slots. A stream with Stream::keeps_together always has the
// layout `padded`: its samples are pieces of one object, which must not be spread over slots.
//
// Limit: writing the bytes of T x P samples once, and reading the bytes of S samples once, sample
// by sample. If all sequences have one sample, or one slot has all sequences, and there are no
// gaps, then the array rows are in the order of the sequences, and each run of neighbours is one
// memcpy.

namespace sheaf {
namespace {

using internal::BestFit;
using internal::FirstFit;
using internal::PadFill;
using internal::Sizes;

constexpr std::int64_t kInt64Size = sizeof(std::int64_t);
constexpr std::int64_t kRowSamplesMax = 1'000'000'000;  // so that row counts fit 64 bits

/// Assigns slots by first fit. A sequence without samples takes no room.
void assign_first_fit(StreamBatch& batch) {
  std::int64_t* slot = batch.slots.as_mutable<std::int64_t>().data();
  std::int64_t* begin = batch.begins.as_mutable<std::int64_t>().data();
  FirstFit first_fit(batch.sample_count_max);
  for (const std::int64_t length : batch.lengths.as<std::int64_t>()) {
    FirstFit::Start start;
    if (length > 0) start = first_fit.add(length);
    *slot++ = start.slot;
    *begin++ = start.begin;
  }
  batch.slot_count = first_fit.slot_count();
}

/// Assigns slots by best fit. In a slot, sequences follow each other in the order of the minibatch,
/// not in the order of assignment.
void assign_best_fit(StreamBatch& batch) {
  const BestFit fit = internal::best_fit(batch.lengths.as<std::int64_t>(), batch.sample_count_max);
  std::ranges::copy(fit.slots, batch.slots.as_mutable<std::int64_t>().begin());
  std::int64_t* begin = batch.begins.as_mutable<std::int64_t>().data();
  std::vector<std::int64_t> ends(static_cast<std::size_t>(fit.slot_count));
  for (std::size_t i = 0; i < fit.slots.size(); ++i) {
    const std::int64_t length = batch.lengths.as<std::int64_t>()[i];
    if (length == 0) {
      begin[i] = 0;
      continue;
    }
    std::int64_t& end = ends[static_cast<std::size_t>(fit.slots[i])];
    begin[i] = end;
    end += length;
  }
  batch.slot_count = fit.slot_count;
}

StreamBatch pack_packed_stream(const Stream& stream, std::span<const SequenceView> views,
                               std::int64_t row_samples, const PadFill& fill,
                               const internal::StreamMemory& memory) {
  const Sizes sizes = internal::measure(views);
  if (stream.keeps_together) {
    return internal::pack_padded_stream(stream, views, sizes,
                                        {.length = sizes.sample_count_max, .fill = fill}, memory);
  }
  StreamBatch batch = internal::begin_batch(Layout::packed, stream, views, sizes, memory);
  batch.slots = internal::allocate(batch.sequence_count, kInt64Size, memory);
  batch.begins = internal::allocate(batch.sequence_count, kInt64Size, memory);
  if (row_samples > 0) {
    batch.sample_count_max = row_samples;
    assign_best_fit(batch);
  } else {
    assign_first_fit(batch);
  }
  const std::int64_t row_count = internal::product(batch.slot_count, batch.sample_count_max);
  const bool has_gaps = batch.sample_count < row_count;
  const bool is_in_order = batch.slot_count <= 1 || batch.sample_count_max <= 1;
  if (has_gaps || !is_in_order) {
    internal::pack_in_rows(stream, views, sizes, row_count, fill, batch, memory);
    return batch;
  }
  batch.mask = internal::packed_mask(views, batch, row_count, memory);
  batch.values = internal::gather_values(stream, views, sizes, memory);
  if (stream.storage == Storage::sparse) {
    batch.indices = internal::gather_indices(stream, views, sizes, memory);
  }
  if (internal::has_row_offsets(stream)) {
    batch.row_offsets = internal::gather_row_offsets(views, sizes, memory);
  } else if (internal::is_variable(stream)) {
    batch.extents = internal::row_extents(stream, views, batch, row_count, memory);
  }
  return batch;
}

class PackedPacker final : public Packer {
 public:
  PackedPacker(std::optional<std::int64_t> row_samples, const Padding& padding)
      : row_samples_(row_samples.value_or(0)), padding_(padding), name_(to_string(Layout::packed)) {
    internal::check_padding(Layout::packed, padding);
    if (row_samples && (*row_samples < 1 || *row_samples > kRowSamplesMax)) {
      throw ConfigError(
          formatted("row_samples must be 1 to {}: got {}", kRowSamplesMax, *row_samples));
    }
    if (row_samples) name_ += formatted("/{}", *row_samples);
    name_ += internal::padding_name(padding);
  }

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }

  void check(std::span<const Stream> streams) const override {
    internal::check_shapes(Layout::packed, streams);
    internal::check_pad_values(padding_, streams);
  }

  [[nodiscard]] Minibatch pack(const SequenceList& sequences,
                               std::pmr::memory_resource& memory) const override {
    check(*sequences.streams());
    if (row_samples_ > 0) {
      internal::check_row_length(sequences, row_samples_, "row_samples",
                                 internal::FixedLengthStreams::apart);
    }
    internal::check_equal_shapes(Layout::packed, sequences);
    return internal::pack_streams(sequences, memory,
                                  [&](const Stream& stream, std::span<const SequenceView> views,
                                      const internal::StreamMemory& from) {
                                    return pack_packed_stream(stream, views, row_samples_,
                                                              internal::fill_of(padding_, stream),
                                                              from);
                                  });
  }

  [[nodiscard]] std::int64_t row_count(std::span<const std::int64_t> sample_counts) const override {
    if (row_samples_ > 0) return row_count_of_best_fit(sample_counts);
    const auto longest = std::ranges::max_element(sample_counts);
    if (longest == sample_counts.end()) return 0;
    FirstFit first_fit(*longest);
    for (const std::int64_t count : sample_counts) {
      if (count > 0) first_fit.add(count);
    }
    return internal::most_product(first_fit.slot_count(), *longest);
  }

  [[nodiscard]] std::int64_t stream_row_count(
      const Stream& stream, std::span<const std::int64_t> sample_counts) const override {
    return stream.keeps_together ? Packer::row_count(sample_counts) : row_count(sample_counts);
  }

  [[nodiscard]] bool takes_strides() const noexcept override { return true; }

 private:
  // A sequence that is too long counts as one slot here. Only packing finds out whether the
  // sequence is an error, or a hole that is left out.
  [[nodiscard]] std::int64_t row_count_of_best_fit(
      std::span<const std::int64_t> sample_counts) const {
    std::vector<std::int64_t> lengths(sample_counts.begin(), sample_counts.end());
    for (std::int64_t& length : lengths) length = std::min(length, row_samples_);
    return internal::best_fit(lengths, row_samples_).slot_count * row_samples_;
  }

  std::int64_t row_samples_;  // 0: T is the length of the longest sequence
  Padding padding_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Packer> packed_packer(std::optional<std::int64_t> row_samples,
                                      const Padding& padding) {
  return std::make_unique<PackedPacker>(row_samples, padding);
}

}  // namespace sheaf
