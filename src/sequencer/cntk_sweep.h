/// \file
/// The order of one sweep as CNTK 2.x shuffles it.

#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "sheaf/extend/counts.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// How far a sequence may move.
struct Window {
  enum class Unit : std::uint8_t { chunks, samples };
  Unit unit = Unit::chunks;
  std::int64_t size = 1;  // at least 1
};

/// The numbers from 0 to count - 1, shuffled: each in turn changes places with any. Not uniform,
/// but CNTK's.
[[nodiscard]] std::vector<std::int64_t> cntk_shuffled(std::int64_t count, std::uint64_t seed);

/// A sweep, in two steps. First the chunks are shuffled: *rank* r holds chunk(r). Then the
/// sequences: the chunks in their new order, one after the other, give *slots*; every sequence
/// remembers the rank it came from, its *home*. Slot after slot changes places with a random one of
/// the window of its rank, where both sequences stay within the windows of their new ranks. Slots
/// in order are the order of delivery.
///
/// Slots are settled as far as they are asked for, and forgotten when later ones are: memory is 8
/// bytes for each slot of a window.
///
/// Threads: one call at a time.
class CntkSweep {
 public:
  /// A sequence by its home and its number within the chunk.
  struct Sequence {
    std::int64_t home = 0;
    std::int64_t number = 0;
  };

  /// Pre:  the sizes outlive the sweep; window.size is at least 1.
  /// Cost: the chunks.
  CntkSweep(std::span<const ChunkCounts> chunks, Window window, std::uint64_t seed);

  [[nodiscard]] std::int64_t chunk_count() const noexcept { return std::ssize(order_); }
  [[nodiscard]] std::int64_t sequence_count() const noexcept { return first_slots_.back(); }

  /// What a rank holds, and where its window begins and ends.
  ///
  /// Pre: 0 <= rank < chunk_count().
  [[nodiscard]] ChunkIndex chunk(std::int64_t rank) const noexcept {
    return ChunkIndex{order_[static_cast<std::size_t>(rank)]};
  }
  [[nodiscard]] std::int64_t window_begin(std::int64_t rank) const noexcept {
    return begins_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] std::int64_t window_end(std::int64_t rank) const noexcept {
    return ends_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] std::int64_t first_slot(std::int64_t rank) const noexcept {
    return first_slots_[static_cast<std::size_t>(rank)];
  }

  /// Memory that it takes at most: slots of up to twice the largest window, and what is known of
  /// chunks.
  [[nodiscard]] std::int64_t memory_bytes_max() const noexcept;

  /// The sequence in a slot.
  ///
  /// Pre:  0 <= slot < sequence_count(); no lower than in the call before.
  /// Cost: settling the slots up to the end of the windows that reach here.
  [[nodiscard]] Sequence at(std::int64_t slot) {
    if (slot >= delivered_end_) settle_for(slot);
    const std::uint64_t value = slots_[static_cast<std::size_t>(slot - slots_begin_)];
    return {static_cast<std::int64_t>(value >> kNumberBits),
            static_cast<std::int64_t>(value & kNumberMask)};
  }

 private:
  static constexpr int kNumberBits = 36;  // of the number within the chunk; the rest is the home
  static constexpr std::uint64_t kNumberMask = (std::uint64_t{1} << kNumberBits) - 1;

  void set_windows(std::span<const std::int64_t> first_samples, Window window);
  void settle_for(std::int64_t slot);
  void settle_rank(std::int64_t rank);
  void append_slots(std::int64_t rank_end);

  std::vector<std::int64_t> order_;        // [rank]
  std::vector<std::int64_t> first_slots_;  // [rank], and the end
  std::vector<std::int64_t> begins_;       // [rank]: of the window, a rank
  std::vector<std::int64_t> ends_;
  std::vector<std::int64_t> guest_begins_;  // [home]: the first slot whose window has the home
  std::vector<std::int64_t> guest_ends_;    // and the end of the last

  std::mt19937_64 random_;
  std::vector<std::uint64_t> slots_;  // from slots_begin_ on: home, number
  std::int64_t slots_begin_ = 0;
  std::int64_t delivered_end_ = 0;  // slots before it will not change any more
  std::int64_t settled_rank_ = 0;   // ranks before it are settled
  std::int64_t appended_rank_ = 0;  // ranks before it have slots
};

}  // namespace sheaf::internal
