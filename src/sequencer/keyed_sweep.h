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

/// A sweep in *laps*: in each, as much data are at hand as a lap has.
///
/// A lap is divided into kTicks *ticks*; the sweep is a ring of them. At each tick as many units
/// enter as there are units divided by ticks, sit down where those sat that entered a lap before,
/// and stay for a lap. At each tick every unit that is there delivers an equal part of its
/// sequences. A unit that would stay beyond the end of the sweep stays at its beginning, instead:
/// it comes in two *pieces*, consecutive sequences each, so no byte is read twice, and the first
/// tick mixes as many units as any.
///
/// Which units enter together is spread over the file; which part of a unit a tick delivers is
/// random; and within a tick, consecutive places take turns around the *seats*. So minibatches draw
/// from all units there, evenly, and so do workers that have a run of seats each.
///
/// With one lap there is one tick, and units sit in the order of the file but for a little.
class KeyedSweep {
 public:
  static constexpr unsigned kTickBits = 5;
  static constexpr std::int64_t kTicks = std::int64_t{1} << kTickBits;

  /// Pre: the map outlives the sweep and is not empty; laps > 0.
  KeyedSweep(const UnitMap& units, std::int64_t laps, std::uint64_t seed, std::int64_t number);

  [[nodiscard]] std::int64_t tick_count() const noexcept { return tick_count_; }

  /// A tick that delivers a sequence, given by its number in the sweep, or that is followed by
  /// nothing but empty ones until then; and the number of the first sequence of a tick.
  ///
  /// Pre:  0 <= number < sequence_count; 0 <= tick < tick_count().
  /// Cost: the first call for another tick than the first looks at all units.
  [[nodiscard]] std::int64_t tick_of(std::int64_t number);
  [[nodiscard]] std::int64_t first_of(std::int64_t tick);

  /// A key for what is shuffled anew from a sequence of the sweep on.
  [[nodiscard]] std::uint64_t run_key(std::int64_t number) const noexcept;

  /// The data of a worker that are there during a tick: all, those that enter with it, or those
  /// that leave after it. With one lap, what follows in the file is told as one.
  enum class Which : std::uint8_t { all, entering, leaving };
  void append_own(std::int64_t tick, Which which, const Worker& worker,
                  std::vector<ChunkRange>& own) const;

 private:
  friend class KeyedTick;

  /// A unit in its seat.
  struct Seated {
    ChunkRange sequences;
    std::uint64_t key = 0;
    std::int64_t entry = 0;       // the tick
    std::int64_t seat = 0;        // of seat_count
    std::int64_t seat_count = 0;  // as many as there would be if all ticks had its number of units
    std::int64_t phase = 0;       // which ticks deliver one sequence more than others
  };

  /// What a unit delivers in a tick: places [begin, end) of its piece's order.
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
  const std::int64_t ticks_;       // of a lap: 2 to the power of tick_bits_
  const std::int64_t tick_count_;  // of the sweep
  const std::uint64_t key_;
  const Steps spread_;
  const BlockPermutation shuffled_;
  std::vector<std::int64_t> first_numbers_;  // [tick], and the end; empty until asked for
};

/// The sequences of one tick, in order.
///
/// Memory: some 100 bytes for each unit that is there.
class KeyedTick {
 public:
  struct Sequence {
    ChunkIndex chunk{};
    std::int64_t number = 0;  // within the chunk
    std::size_t part = 0;     // for owner_of()
  };

  /// Pre:  the sweep outlives the tick.
  /// Cost: the units that are there.
  KeyedTick(const KeyedSweep& sweep, std::int64_t tick, std::int64_t worker_count);

  /// Number of sequences.
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

  /// Go to a place, so that next() gives its sequence.
  ///
  /// Pre: 0 <= place < size().
  void go_to(std::int64_t place) noexcept { point_ = steps_(place); }

  /// The sequence at this place; then go to the next one.
  ///
  /// Pre: fewer calls than places from where go_to() went on.
  [[nodiscard]] Sequence next() noexcept {
    const std::int64_t point = point_;
    point_ = steps_.next(point);
    std::size_t i = guide_[static_cast<std::size_t>(point >> guide_shift_)];
    while (point >= ends_[i]) ++i;
    const Part& part = parts_[i];
    const std::int64_t number = part.first + part.order(point - part.shift);
    return {part.chunk, number, i};
  }

  /// The worker in whose data a sequence lies.
  [[nodiscard]] std::int64_t owner_of(const Sequence& sequence) const noexcept {
    if (worker_count_ == 1) return 0;
    const Owner& owner = owners_[sequence.part];
    return owner.split < 0 ? owner.worker : owner_of_split(owner, sequence.number);
  }

 private:
  /// What one unit delivers: points [end of the part before, end) of all. A line of the cache.
  struct Part {
    std::int64_t shift = 0;  // from places in `order` to points
    std::int64_t first = 0;  // of the piece: number within the chunk
    ChunkIndex chunk{};
    Steps order{};
  };

  /// Whose a part is.
  struct Owner {
    std::int64_t worker = 0;
    std::int64_t split = -1;  // where it is several workers': its number in split_units_
  };

  void append(const KeyedSweep::Seated& unit, const KeyedSweep::Share& share);
  [[nodiscard]] std::int64_t owner_of_split(const Owner& owner, std::int64_t number) const noexcept;

  std::int64_t worker_count_;
  std::int64_t size_ = 0;
  std::vector<std::int64_t> ends_;  // of the parts, as points
  std::vector<Part> parts_;
  std::vector<Owner> owners_;  // of the parts
  std::vector<KeyedSweep::Seated> split_units_;
  std::vector<std::uint32_t> guide_;  // [point >> guide_shift_]: the part of the first such point
  int guide_shift_ = 0;
  Steps steps_;
  std::int64_t point_ = 0;
};

}  // namespace sheaf::internal
