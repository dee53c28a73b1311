/// \file
/// The order of one sweep in "keyed/1".

#pragma once

#include <cstdint>
#include <vector>

#include "sheaf/extend/counts.h"
#include "sheaf/types.h"

#include "base/permutation.h"
#include "sequencer/unit_map.h"

namespace sheaf::internal {

/// One of several workers.
struct Worker {
  std::int64_t index = 0;
  std::int64_t count = 1;
};

/// The order of a sweep in *laps*. One lap's share of the data is held at any time.
///
/// A lap has kTicks *ticks*, and the sweep is a ring of ticks. The same number of units enters at
/// each tick. The units that enter take the *seats* of the units that entered one lap before, and
/// stay for a lap. In each tick, every unit that is present delivers an equal part of its
/// sequences. A unit that would stay beyond the end of the sweep is present at its beginning
/// instead. Such a unit is delivered in two *pieces*, each of consecutive sequences. So no byte is
/// read twice, and the first tick mixes as many units as any other.
///
/// The units that enter together are spread over the file. The sequences that a unit delivers in a
/// tick are random. Within a tick, consecutive places go around the seats. So minibatches draw
/// evenly from all units that are present, and so do workers, each of which owns a run of seats.
///
/// With one lap there is one tick, and the seat of a unit is its number in the file. The shares of
/// the tick are then in file order, but for a shuffle within small blocks.
class KeyedSweep {
 public:
  static constexpr unsigned kTickBits = 5;
  static constexpr std::int64_t kTicks = std::int64_t{1} << kTickBits;

  /// Pre: `units` outlives the sweep and is not empty; laps > 0.
  KeyedSweep(const UnitMap& units, std::int64_t laps, std::uint64_t seed, std::int64_t number);

  [[nodiscard]] std::int64_t tick_count() const noexcept { return tick_count_; }

  /// tick_of() returns the tick that delivers sequence number `number` of the sweep. For sequence 0
  /// it returns tick 0, even if that tick is empty. first_of() returns the number of the first
  /// sequence of a tick.
  ///
  /// Pre:  0 <= number < sequence_count; 0 <= tick < tick_count().
  /// Cost: the first call that asks for another tick than the first looks at all units.
  [[nodiscard]] std::int64_t tick_of(std::int64_t number);
  [[nodiscard]] std::int64_t first_of(std::int64_t tick);

  /// Returns a key for shuffling a run that begins with sequence number `number` of the sweep.
  [[nodiscard]] std::uint64_t run_key(std::int64_t number) const noexcept;

  /// Appends the data that a worker owns: all that are present during a tick, those that enter with
  /// the tick, or those that leave after it. With one lap, ranges that are adjacent in the file are
  /// merged.
  enum class Which : std::uint8_t { all, entering, leaving };
  void append_own(std::int64_t tick, Which which, const Worker& worker,
                  std::vector<ChunkRange>& own) const;

 private:
  friend class KeyedTick;

  /// A unit in its seat.
  struct Seated {
    ChunkRange sequences;
    std::uint64_t key = 0;
    std::int64_t entry = 0;  // the tick at which the unit enters
    std::int64_t seat = 0;   // number among seat_count seats
    // Seats in all, if every tick had as many units as the tick of entry.
    std::int64_t seat_count = 0;
    std::int64_t phase = 0;  // selects the ticks in which the unit delivers one sequence more
  };

  /// The sequences that a unit delivers in a tick: [begin, end) of the shuffled order of its piece.
  struct Share {
    ChunkRange piece;
    std::uint64_t key = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };

  [[nodiscard]] std::int64_t first_rank(std::int64_t tick) const noexcept;
  [[nodiscard]] std::int64_t entry_of_block(std::int64_t tick, std::int64_t block) const noexcept;
  [[nodiscard]] Seated seated(std::int64_t entry, std::int64_t rank) const noexcept;
  [[nodiscard]] static std::int64_t phase(std::uint64_t phase_key, std::int64_t number) noexcept;
  [[nodiscard]] std::int64_t delivered_before(const Seated& unit, std::int64_t age) const noexcept;
  [[nodiscard]] Share share_of(const Seated& unit, std::int64_t tick) const noexcept;
  void append_own_part(const Seated& unit, const ChunkRange& piece, const Worker& worker,
                       std::vector<ChunkRange>& own) const;
  void count_unit(std::int64_t count, std::int64_t phase, std::int64_t entry,
                  std::vector<std::int64_t>& changes) const;
  void learn_ticks();

  const UnitMap& units_;
  const std::int64_t laps_;
  const unsigned tick_bits_;
  const std::int64_t ticks_;       // in a lap: 2 to the power of tick_bits_
  const std::int64_t tick_count_;  // in the sweep
  const std::uint64_t key_;
  const Steps spread_;
  const BlockPermutation shuffled_;
  std::vector<std::int64_t> first_numbers_;  // [tick], and the end; empty until needed
};

/// The sequences of one tick, in order.
///
/// Memory: about 100 bytes for each unit that is present.
class KeyedTick {
 public:
  struct Sequence {
    ChunkIndex chunk{};
    std::int64_t number = 0;  // within the chunk
    std::size_t part = 0;     // for owner_of()
  };

  /// Pre:  `sweep` outlives the tick.
  /// Cost: linear in the number of units that are present.
  KeyedTick(const KeyedSweep& sweep, std::int64_t tick, std::int64_t worker_count);

  /// Returns the number of sequences.
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

  /// Goes to a place, so that next() returns its sequence.
  ///
  /// Pre: 0 <= place < size().
  void go_to(std::int64_t place) noexcept { point_ = steps_(place); }

  /// Returns the sequence at this place, and goes on to the next place.
  ///
  /// Pre: at most as many calls as there are places from the one given to go_to().
  [[nodiscard]] Sequence next() noexcept {
    const std::int64_t point = point_;
    point_ = steps_.next(point);
    std::size_t i = guide_[static_cast<std::size_t>(point >> guide_shift_)];
    while (point >= ends_[i]) ++i;
    const Part& part = parts_[i];
    const std::int64_t number = part.first + part.order(point - part.shift);
    return {part.chunk, number, i};
  }

  /// Returns the worker that owns the data of a sequence.
  [[nodiscard]] std::int64_t owner_of(const Sequence& sequence) const noexcept {
    if (worker_count_ == 1) return 0;
    const Owner& owner = owners_[sequence.part];
    return owner.split < 0 ? owner.worker : owner_of_split(owner, sequence.number);
  }

 private:
  /// The sequences that one unit delivers: the points from the end of the part before to the end of
  /// this part. Fits a cache line.
  struct Part {
    std::int64_t shift = 0;  // subtracted from a point: gives the number in `order`
    std::int64_t first = 0;  // number within the chunk of the piece's first sequence
    ChunkIndex chunk{};
    Steps order{};
  };

  /// The owner of a part.
  struct Owner {
    std::int64_t worker = 0;
    std::int64_t split = -1;  // if several workers own the part: its number in split_units_
  };

  void append(const KeyedSweep::Seated& unit, const KeyedSweep::Share& share);
  [[nodiscard]] std::int64_t owner_of_split(const Owner& owner, std::int64_t number) const noexcept;

  std::int64_t worker_count_;
  std::int64_t size_ = 0;
  std::vector<std::int64_t> ends_;  // of the parts, in points
  std::vector<Part> parts_;
  std::vector<Owner> owners_;  // of the parts
  std::vector<KeyedSweep::Seated> split_units_;
  std::vector<std::uint32_t> guide_;  // [point >> guide_shift_]: part of the first such point
  int guide_shift_ = 0;
  Steps steps_;
  std::int64_t point_ = 0;
};

}  // namespace sheaf::internal
