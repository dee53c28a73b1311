// Numbers of a sweep of `laps` laps over U units, T = kTicks * laps ticks:
//
//   rank r of a unit     its place in the order in which units enter; it enters at tick r * T / U
//   block of a tick      its number modulo kTicks: units of two ticks of one block never meet,
//   since
//                        T is a multiple of kTicks, so one sits down where the other sat
//   age of a unit        ticks since it entered, around the ring
//   share                of a unit with n sequences: n / kTicks in each tick, and one more in
//                        n % kTicks consecutive ticks, from a random one on
//   points of a tick     0 .. size - 1: the shares of all units that are there, in the order of the
//                        seats. Places of the tick take even steps over them.

#include "sequencer/keyed_sweep.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>

namespace sheaf::internal {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kBlockMin = 16;      // units that change places in the order of entry
constexpr std::int64_t kBlocksOfALap = 64;  // or as many as make so many blocks a lap

// What each key is for.
enum class Purpose : std::uint8_t { sweep = 1, spread, blocks, unit, tick, phase, piece, run };

std::uint64_t key_for(std::uint64_t key, Purpose purpose, std::int64_t number = 0) noexcept {
  return key_of(key_of(key, static_cast<std::uint64_t>(purpose)),
                static_cast<std::uint64_t>(number));
}

// The worker that has a sequence, given by its number within its unit: the workers share the seats
// as if these were a line.
std::int64_t owner_at(std::int64_t seat, std::int64_t seat_count, std::int64_t unit_size,
                      std::int64_t number, std::int64_t worker_count) noexcept {
  const Wide line = Wide{seat_count} * unit_size;
  return static_cast<std::int64_t>((Wide{seat} * unit_size + number) * worker_count / line);
}

// The first sequence of a unit, by number within it, that a worker or a later one has; the unit's
// size where there is none.
std::int64_t first_owned(std::int64_t seat, std::int64_t seat_count, std::int64_t unit_size,
                         std::int64_t worker, std::int64_t worker_count) noexcept {
  const Wide line = Wide{seat_count} * unit_size;
  const Wide begin = (line * worker + worker_count - 1) / worker_count;
  const Wide number = begin - Wide{seat} * unit_size;
  return static_cast<std::int64_t>(std::clamp<Wide>(number, 0, unit_size));
}

}  // namespace

KeyedSweep::KeyedSweep(const UnitMap& units, std::int64_t laps, std::uint64_t seed,
                       std::int64_t number)
    : units_(units),
      laps_(laps),
      ticks_(laps == 1 ? 1 : kTicks),
      tick_count_(ticks_ * laps),
      key_(key_for(seed, Purpose::sweep, number)),
      spread_(key_for(key_, Purpose::spread), units.unit_count()),
      shuffled_(key_for(key_, Purpose::blocks), units.unit_count(),
                std::max(kBlockMin, units.unit_count() / (kBlocksOfALap * laps))) {
  assert(units.unit_count() > 0);
}

std::int64_t KeyedSweep::first_rank(std::int64_t tick) const noexcept {
  const Wide ranks = Wide{tick} * units_.unit_count();
  return static_cast<std::int64_t>((ranks + tick_count_ - 1) / tick_count_);
}

// The tick at which the units of a block entered that are there at a tick.
std::int64_t KeyedSweep::entry_of_block(std::int64_t tick, std::int64_t block) const noexcept {
  const std::int64_t age = (tick - block + ticks_) % ticks_;
  const std::int64_t entry = tick - age;
  return entry < 0 ? entry + tick_count_ : entry;
}

KeyedSweep::Seated KeyedSweep::seated(std::int64_t entry, std::int64_t rank) const noexcept {
  const std::int64_t unit = shuffled_(laps_ == 1 ? rank : spread_(rank));
  Seated seated;
  seated.sequences = units_.unit(unit);
  seated.key = key_for(key_, Purpose::unit, unit);
  seated.entry = entry;
  if (laps_ == 1) {  // as in the file, so that workers keep what they have from sweep to sweep
    seated.seat = unit;
    seated.seat_count = units_.unit_count();
  } else {
    const std::int64_t first = first_rank(entry);
    const std::int64_t size = first_rank(entry + 1) - first;
    seated.seat = entry % ticks_ * size + rank - first;
    seated.seat_count = ticks_ * size;
  }
  seated.phase = below(key_for(seated.key, Purpose::phase), ticks_);
  return seated;
}

// Sequences that a unit delivers in its first `age` ticks.
std::int64_t KeyedSweep::delivered_before(const Seated& unit, std::int64_t age) const noexcept {
  const std::int64_t each = unit.sequences.count / ticks_;
  const std::int64_t more = unit.sequences.count % ticks_;
  const auto more_before = [&](std::int64_t turn) {
    return turn / ticks_ * more + std::min(turn % ticks_, more);
  };
  return each * age + more_before(age + unit.phase) - more_before(unit.phase);
}

KeyedSweep::Share KeyedSweep::share_of(const Seated& unit, std::int64_t tick) const noexcept {
  const bool is_early = tick < unit.entry;  // it stayed on from the end of the ring
  const std::int64_t age = tick - unit.entry + (is_early ? tick_count_ : 0);
  const std::int64_t late_ticks = std::min(ticks_, tick_count_ - unit.entry);
  const std::int64_t late_count = delivered_before(unit, late_ticks);
  const std::int64_t before = is_early ? late_count : 0;  // in the other piece
  Share share;
  share.piece = unit.sequences;
  share.piece.first += before;
  share.piece.count = is_early ? unit.sequences.count - late_count : late_count;
  share.key = key_for(unit.key, Purpose::piece, is_early ? 1 : 0);
  share.begin = delivered_before(unit, age) - before;
  share.end = delivered_before(unit, age + 1) - before;
  return share;
}

std::int64_t KeyedSweep::tick_of(std::int64_t number) {
  if (number == 0 || tick_count_ == 1) return 0;
  learn_ticks();
  const auto after = std::ranges::upper_bound(first_numbers_, number);
  return static_cast<std::int64_t>(after - first_numbers_.begin()) - 1;
}

std::int64_t KeyedSweep::first_of(std::int64_t tick) {
  if (tick == 0) return 0;
  learn_ticks();
  return first_numbers_[static_cast<std::size_t>(tick)];
}

// How many sequences each tick delivers: differences from tick to tick first, then sums of those.
void KeyedSweep::learn_ticks() {
  if (!first_numbers_.empty()) return;
  const auto size = static_cast<std::size_t>(tick_count_);
  std::vector<std::int64_t> changes(size + 1);
  const auto add = [&](std::int64_t begin, std::int64_t end, std::int64_t count) {
    if (begin >= tick_count_) {
      begin -= tick_count_;
      end -= tick_count_;
    }
    changes[static_cast<std::size_t>(begin)] += count;
    if (end <= tick_count_) {
      changes[static_cast<std::size_t>(end)] -= count;
    } else {
      changes[0] += count;
      changes[static_cast<std::size_t>(end - tick_count_)] -= count;
    }
  };
  for (std::int64_t entry = 0; entry < tick_count_; ++entry) {
    const std::int64_t end = first_rank(entry + 1);
    for (std::int64_t rank = first_rank(entry); rank < end; ++rank) {
      const Seated unit = seated(entry, rank);
      const std::int64_t more = unit.sequences.count % ticks_;
      add(entry, entry + ticks_, unit.sequences.count / ticks_);
      if (more == 0) continue;
      // One more where (age + phase) % ticks < more.
      const std::int64_t begin = ticks_ - unit.phase;
      add(entry + begin % ticks_, entry + std::min(begin % ticks_ + more, ticks_), 1);
      const std::int64_t rest = begin % ticks_ + more - ticks_;
      if (rest > 0) add(entry, entry + rest, 1);
    }
  }
  first_numbers_.assign(size + 1, 0);
  std::int64_t count = 0;
  for (std::size_t tick = 0; tick < size; ++tick) {
    count += changes[tick];
    first_numbers_[tick + 1] = first_numbers_[tick] + count;
  }
}

std::uint64_t KeyedSweep::run_key(std::int64_t number) const noexcept {
  return key_for(key_, Purpose::run, number);
}

void KeyedSweep::append_own(std::int64_t tick, Which which, const Worker& worker,
                            std::vector<ChunkRange>& own) const {
  const auto append = [&](const Seated& unit, const ChunkRange& piece) {
    const auto bound = [&](std::int64_t index) {
      const std::int64_t number =
          first_owned(unit.seat, unit.seat_count, unit.sequences.count, index, worker.count);
      return std::clamp(unit.sequences.first + number, piece.first, piece.first + piece.count);
    };
    const std::int64_t first = bound(worker.index);
    const std::int64_t count = bound(worker.index + 1) - first;
    if (count == 0) return;
    const bool follows = laps_ == 1 && !own.empty() && own.back().chunk == piece.chunk &&
                         own.back().first + own.back().count == first;
    if (follows) {
      own.back().count += count;
    } else {
      own.push_back({piece.chunk, first, count});
    }
  };
  if (laps_ == 1) {
    const std::int64_t count = units_.unit_count();
    for (std::int64_t unit = 0; unit < count; ++unit) {
      const ChunkRange sequences = units_.unit(unit);
      append({.sequences = sequences, .seat = unit, .seat_count = count}, sequences);
    }
    return;
  }
  // The first tick finds all others there, the last one leaves none; else a block comes and goes.
  const bool has_all = which == Which::all || (which == Which::entering && tick == 0) ||
                       (which == Which::leaving && tick == tick_count_ - 1);
  const std::int64_t block = (which == Which::leaving ? tick + 1 : tick) % ticks_;
  for (std::int64_t i = has_all ? 0 : block; i < (has_all ? ticks_ : block + 1); ++i) {
    const std::int64_t entry = entry_of_block(tick, i);
    const std::int64_t end = first_rank(entry + 1);
    for (std::int64_t rank = first_rank(entry); rank < end; ++rank) {
      const Seated unit = seated(entry, rank);
      append(unit, share_of(unit, tick).piece);
    }
  }
}

KeyedTick::KeyedTick(const KeyedSweep& sweep, std::int64_t tick, std::int64_t worker_count)
    : worker_count_(worker_count), steps_(0, 1) {
  std::int64_t unit_count = 0;
  for (std::int64_t block = 0; block < sweep.ticks_; ++block) {
    const std::int64_t entry = sweep.entry_of_block(tick, block);
    unit_count += sweep.first_rank(entry + 1) - sweep.first_rank(entry);
  }
  parts_.reserve(static_cast<std::size_t>(unit_count));
  for (std::int64_t block = 0; block < sweep.ticks_; ++block) {
    const std::int64_t entry = sweep.entry_of_block(tick, block);
    const std::int64_t end = sweep.first_rank(entry + 1);
    for (std::int64_t rank = sweep.first_rank(entry); rank < end; ++rank) {
      const KeyedSweep::Seated unit = sweep.seated(entry, rank);
      const KeyedSweep::Share share = sweep.share_of(unit, tick);
      if (share.begin == share.end) continue;
      size_ += share.end - share.begin;
      Part part{.end = size_,
                .order_end = share.end,
                .first = share.piece.first,
                .chunk = share.piece.chunk,
                .order = KeyedPermutation(share.key, share.piece.count)};
      const std::int64_t before = share.piece.first - unit.sequences.first;
      const auto owner = [&](std::int64_t number) {
        return owner_at(unit.seat, unit.seat_count, unit.sequences.count, number, worker_count);
      };
      part.first_owner = owner(before);
      part.last_owner = owner(before + share.piece.count - 1);
      if (part.first_owner != part.last_owner) {
        part.unit = std::ssize(split_units_);
        split_units_.push_back(unit);
      }
      parts_.push_back(part);
    }
  }
  if (size_ == 0) return;
  steps_ = EvenSteps(key_for(sweep.key_, Purpose::tick, tick), size_);
  // As many entries as parts, or up to twice as many.
  const auto points = static_cast<std::uint64_t>(size_);
  guide_shift_ = std::max(0, static_cast<int>(std::bit_width(points / parts_.size())) - 1);
  std::uint32_t i = 0;
  for (std::int64_t point = 0; point < size_; point += std::int64_t{1} << guide_shift_) {
    while (point >= parts_[i].end) ++i;
    guide_.push_back(i);
  }
  go_to(0);
}

std::int64_t KeyedTick::owner_of(const Part& part, std::int64_t number) const noexcept {
  const KeyedSweep::Seated& unit = split_units_[static_cast<std::size_t>(part.unit)];
  return owner_at(unit.seat, unit.seat_count, unit.sequences.count, number - unit.sequences.first,
                  worker_count_);
}

}  // namespace sheaf::internal
