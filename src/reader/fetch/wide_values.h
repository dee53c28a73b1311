/// \file
/// Sequences of narrow columns, as a packer takes them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

#include "reader/fetch/held_chunk.h"

namespace sheaf::internal {

/// Widens the sequences of a step. First add() each sequence, then widen(), then take the views.
/// The memory serves the next step after clear().
///
/// Threads: one call at a time.
class WideValues {
 public:
  /// Takes sequences of these streams.
  ///
  /// Lifetime: `streams` must outlive the values.
  explicit WideValues(std::span<const Stream> streams);

  /// Forgets all sequences.
  void clear() noexcept;

  /// Adds the samples of a range of a sequence. Returns a view of each stream, as view() does, but
  /// without values.
  ///
  /// Pre:      the chunk is narrow, and has the streams.
  /// Lifetime: of the views: until the next call. The chunk must live until widen().
  std::span<const SequenceView> add(const HeldChunk& chunk, std::int64_t sequence,
                                    const SampleRange& range);

  /// Returns the number of samples that the longest stream of the last sequence has as a whole.
  [[nodiscard]] std::int64_t whole_count() const noexcept { return whole_count_; }

  /// Widens all sequences.
  void widen();

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

  /// Returns one stream of sequence number i, in the order of add().
  ///
  /// Pre:      widen() was called.
  /// Lifetime: until clear().
  [[nodiscard]] const SequenceView& view(std::int64_t stream, std::int64_t i) const noexcept {
    return of_streams_[static_cast<std::size_t>(stream)].items[static_cast<std::size_t>(i)].view;
  }

 private:
  struct Item {
    const HeldChunk* chunk;
    HeldChunk::Place place;
    SequenceView view;
  };

  struct OfStream {
    std::int64_t value_size = 0;  // in bytes
    std::int64_t index_size = 0;  // likewise; 0: dense
    std::int64_t sample_count = 0;
    std::int64_t value_count = 0;
    std::vector<Item> items = {};  // [sequence]
    Buffer values = {};
    Buffer indices = {};
    Buffer sample_offsets = {};
  };

  std::vector<OfStream> of_streams_;
  std::vector<SequenceView> views_;  // of the last sequence
  std::int64_t size_ = 0;
  std::int64_t whole_count_ = 0;
};

}  // namespace sheaf::internal
