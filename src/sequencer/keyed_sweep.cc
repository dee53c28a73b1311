// A sweep has `laps` laps and U units, and T = kTicks * laps ticks. Its terms:
//
//   rank r of a unit     number of the unit in the order in which units enter; the unit enters at
//                        tick r * T / U
//   block of a tick      number of the tick modulo kTicks. T is a multiple of kTicks, so units that
//                        enter at two ticks of one block are never present together: the later
//                        ones take the seats of the earlier ones
//   age of a unit        ticks since the unit entered, around the ring
//   share                a unit of n sequences delivers n / kTicks in each tick, and one more in
//                        each of n % kTicks consecutive ticks, from a random one on
//   points of a tick     0 .. size - 1: the shares of all units present, in the order of the seats.
//                        Consecutive places of the tick are evenly spaced points.

#include "sequencer/keyed_sweep.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>

namespace sheaf::internal {
namespace {

__extension__ using Wide = __int128;

// Units are shuffled by blocks in the order of entry. A block has kBlockMin units, or a
// kBlocksOfALap-th of a lap if that is more.
constexpr std::int64_t kBlockMin = 16;
constexpr std::int64_t kBlocksOfALap = 64;

// The use of each key.
enum class Purpose : std::uint8_t { sweep = 1, spread, blocks, unit, tick, phase, piece, run };

std::uint64_t key_for(std::uint64_t key, Purpose purpose, std::int64_t number = 0) noexcept {
  return key_of(key_of(key, static_cast<std::uint64_t>(purpose)),
                static_cast<std::uint64_t>(number));
}

// Returns the worker that owns a sequence, given by its number within its unit. The sequences of
// all seats form a line, which the workers divide evenly.
std::int64_t owner_at(std::int64_t seat, std::int64_t seat_count, std::int64_t unit_size,
                      std::int64_t number, std::int64_t worker_count) noexcept {
  const Wide line = Wide{seat_count} * unit_size;
  return static_cast<std::int64_t>((Wide{seat} * unit_size + number) * worker_count / line);
}

// Returns the number within a unit of the first sequence that `worker` or a later worker owns.
// Returns the size of the unit if there is none.
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
      tick_bits_(laps == 1 ? 0 : kTickBits),
      ticks_(std::int64_t{1} << tick_bits_),
      tick_count_(ticks_ * laps),
      key_(key_for(seed, Purpose::sweep, number)),
      spread_(Steps::even(key_for(key_, Purpose::spread), units.unit_count())),
      shuffled_(key_for(key_, Purpose::blocks), units.unit_count(),
                std::max(kBlockMin, units.unit_count() / (kBlocksOfALap * laps))) {
  assert(units.unit_count() > 0);
}

std::int64_t KeyedSweep::first_rank(std::int64_t tick) const noexcept {
  const Wide ranks = Wide{tick} * units_.unit_count();
  return static_cast<std::int64_t>((ranks + tick_count_ - 1) / tick_count_);
}

// Returns the tick at which the units of `block` entered that are present at `tick`.
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
  if (laps_ == 1) {  // file order, so that workers keep their data from sweep to sweep
    seated.seat = unit;
    seated.seat_count = units_.unit_count();
  } else {
    const std::int64_t first = first_rank(entry);
    const std::int64_t size = first_rank(entry + 1) - first;
    seated.seat = entry % ticks_ * size + rank - first;
    seated.seat_count = ticks_ * size;
    seated.phase = phase(key_for(key_, Purpose::phase, entry), rank - first);
  }
  return seated;
}

// Gives every kTicks neighbours among the units that enter together all phases, shuffled. So the
// units of few sequences that deliver in the same tick are spread over the seats.
std::int64_t KeyedSweep::phase(std::uint64_t phase_key, std::int64_t number) noexcept {
  const auto odd = [&](unsigned shift) { return (phase_key >> shift) | 1U; };
  constexpr std::uint64_t kMask = kTicks - 1;
  const auto n = static_cast<std::uint64_t>(number);
  std::uint64_t phase = (n * odd(0) + (n >> kTickBits) * odd(10) + (phase_key >> 5U)) & kMask;
  phase ^= phase >> 2U;
  phase = (phase * odd(15) + (phase_key >> 20U)) & kMask;
  phase ^= phase >> 3U;
  return static_cast<std::int64_t>((phase * odd(25) + (phase_key >> 30U)) & kMask);
}

// Returns how many sequences a unit delivers in its first `age` ticks.
std::int64_t KeyedSweep::delivered_before(const Seated& unit, std::int64_t age) const noexcept {
  const std::int64_t each = unit.sequences.count >> tick_bits_;
  const std::int64_t more = unit.sequences.count & (ticks_ - 1);
  const auto more_before = [&](std::int64_t turn) {
    return (turn >> tick_bits_) * more + std::min(turn & (ticks_ - 1), more);
  };
  return each * age + more_before(age + unit.phase) - more_before(unit.phase);
}

KeyedSweep::Share KeyedSweep::share_of(const Seated& unit, std::int64_t tick) const noexcept {
  const bool is_early = tick < unit.entry;  // the unit stayed on from the end of the ring
  const std::int64_t age = tick - unit.entry + (is_early ? tick_count_ : 0);
  const std::int64_t late_ticks = std::min(ticks_, tick_count_ - unit.entry);
  const std::int64_t late_count = delivered_before(unit, late_ticks);
  const std::int64_t before = is_early ? late_count : 0;  // sequences of the other piece
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

// Adds a unit to the differences between the sizes of consecutive ticks.
void KeyedSweep::count_unit(std::int64_t count, std::int64_t phase, std::int64_t entry,
                            std::vector<std::int64_t>& changes) const {
  const auto add = [&](std::int64_t begin, std::int64_t end, std::int64_t each) {
    if (begin >= tick_count_) {
      begin -= tick_count_;
      end -= tick_count_;
    }
    changes[static_cast<std::size_t>(begin)] += each;
    if (end <= tick_count_) {
      changes[static_cast<std::size_t>(end)] -= each;
    } else {
      changes[0] += each;
      changes[static_cast<std::size_t>(end - tick_count_)] -= each;
    }
  };
  add(entry, entry + ticks_, count >> tick_bits_);
  const std::int64_t more = count & (ticks_ - 1);
  if (more == 0) return;
  // The unit delivers one sequence more where (age + phase) % ticks < more. These ticks begin at
  // `age`, and wrap around to the beginning of the lap.
  const std::int64_t age = (ticks_ - phase) & (ticks_ - 1);
  add(entry + age, entry + std::min(age + more, ticks_), 1);
  if (age + more > ticks_) add(entry, entry + age + more - ticks_, 1);
}

// Finds out how many sequences each tick delivers. Visits the units block by block, which is
// fastest.
void KeyedSweep::learn_ticks() {
  if (!first_numbers_.empty()) return;
  const auto size = static_cast<std::size_t>(tick_count_);
  std::vector<std::int64_t> changes(size + 1);
  const std::int64_t unit_count = units_.unit_count();
  const Steps rank_of = spread_.inverse();
  std::int64_t rank = rank_of(0);
  struct Entry {
    std::int64_t first_rank;
    std::uint64_t phase_key;
  };
  std::vector<Entry> entries;
  for (std::int64_t tick = 0; tick < tick_count_; ++tick) {
    entries.push_back({first_rank(tick), key_for(key_, Purpose::phase, tick)});
  }
  for (std::int64_t first = 0; first < unit_count; first += shuffled_.block_size()) {
    const KeyedPermutation block = shuffled_.within(first);
    for (std::int64_t i = 0; i < block.size(); ++i) {
      const auto tick = static_cast<std::int64_t>(Wide{rank} * tick_count_ / unit_count);
      const Entry& entry = entries[static_cast<std::size_t>(tick)];
      count_unit(units_.unit(first + block(i)).count,
                 phase(entry.phase_key, rank - entry.first_rank), tick, changes);
      rank = rank_of.next(rank);
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

void KeyedSweep::append_own_part(const Seated& unit, const ChunkRange& piece, const Worker& worker,
                                 std::vector<ChunkRange>& own) const {
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
}

void KeyedSweep::append_own(std::int64_t tick, Which which, const Worker& worker,
                            std::vector<ChunkRange>& own) const {
  // The seats that the worker owns, at least in part.
  const auto seats_begin = [&](std::int64_t seat_count) {
    return static_cast<std::int64_t>(Wide{seat_count} * worker.index / worker.count);
  };
  const auto seats_end = [&](std::int64_t seat_count) {
    const Wide end = Wide{seat_count} * (worker.index + 1);
    return static_cast<std::int64_t>((end + worker.count - 1) / worker.count);
  };
  if (laps_ == 1) {
    const std::int64_t count = units_.unit_count();
    for (std::int64_t unit = seats_begin(count); unit < seats_end(count); ++unit) {
      const ChunkRange sequences = units_.unit(unit);
      append_own_part({.sequences = sequences, .seat = unit, .seat_count = count}, sequences,
                      worker, own);
    }
    return;
  }
  // Everything enters with the first tick, and everything leaves after the last one. At any other
  // tick, one block leaves and one enters.
  const bool has_all = which == Which::all || (which == Which::entering && tick == 0) ||
                       (which == Which::leaving && tick == tick_count_ - 1);
  const std::int64_t block = (which == Which::leaving ? tick + 1 : tick) % ticks_;
  for (std::int64_t i = has_all ? 0 : block; i < (has_all ? ticks_ : block + 1); ++i) {
    const std::int64_t entry = entry_of_block(tick, i);
    const std::int64_t first = first_rank(entry);
    const std::int64_t size = first_rank(entry + 1) - first;
    const std::int64_t begin = std::max<std::int64_t>(0, seats_begin(ticks_ * size) - i * size);
    const std::int64_t end = std::min(size, seats_end(ticks_ * size) - i * size);
    for (std::int64_t seat = begin; seat < end; ++seat) {
      const Seated unit = seated(entry, first + seat);
      append_own_part(unit, share_of(unit, tick).piece, worker, own);
    }
  }
}

KeyedTick::KeyedTick(const KeyedSweep& sweep, std::int64_t tick, std::int64_t worker_count)
    : worker_count_(worker_count) {
  std::int64_t unit_count = 0;
  for (std::int64_t block = 0; block < sweep.ticks_; ++block) {
    const std::int64_t entry = sweep.entry_of_block(tick, block);
    unit_count += sweep.first_rank(entry + 1) - sweep.first_rank(entry);
  }
  ends_.reserve(static_cast<std::size_t>(unit_count));
  parts_.reserve(static_cast<std::size_t>(unit_count));
  for (std::int64_t block = 0; block < sweep.ticks_; ++block) {
    const std::int64_t entry = sweep.entry_of_block(tick, block);
    const std::int64_t end = sweep.first_rank(entry + 1);
    for (std::int64_t rank = sweep.first_rank(entry); rank < end; ++rank) {
      const KeyedSweep::Seated unit = sweep.seated(entry, rank);
      append(unit, sweep.share_of(unit, tick));
    }
  }
  if (size_ == 0) return;
  steps_ = Steps::even(key_for(sweep.key_, Purpose::tick, tick), size_);
  // About four entries for each part, so that most entries point to the right part.
  const auto points = static_cast<std::uint64_t>(size_);
  guide_shift_ = std::max(0, static_cast<int>(std::bit_width(points / parts_.size())) - 3);
  std::uint32_t i = 0;
  for (std::int64_t point = 0; point < size_; point += std::int64_t{1} << guide_shift_) {
    while (point >= ends_[i]) ++i;
    guide_.push_back(i);
  }
  go_to(0);
}

void KeyedTick::append(const KeyedSweep::Seated& unit, const KeyedSweep::Share& share) {
  if (share.begin == share.end) return;
  size_ += share.end - share.begin;
  ends_.push_back(size_);
  parts_.push_back({.shift = size_ - share.end,
                    .first = share.piece.first,
                    .chunk = share.piece.chunk,
                    .order = Steps::any(share.key, share.piece.count)});
  if (worker_count_ == 1) return;
  const auto owner_at_number = [&](std::int64_t number) {
    return owner_at(unit.seat, unit.seat_count, unit.sequences.count, number - unit.sequences.first,
                    worker_count_);
  };
  Owner owner{.worker = owner_at_number(share.piece.first)};
  if (owner_at_number(share.piece.first + share.piece.count - 1) != owner.worker) {
    owner.split = std::ssize(split_units_);
    split_units_.push_back(unit);
  }
  owners_.push_back(owner);
}

std::int64_t KeyedTick::owner_of_split(const Owner& owner, std::int64_t number) const noexcept {
  const KeyedSweep::Seated& unit = split_units_[static_cast<std::size_t>(owner.split)];
  return owner_at(unit.seat, unit.seat_count, unit.sequences.count, number - unit.sequences.first,
                  worker_count_);
}

}  // namespace sheaf::internal
