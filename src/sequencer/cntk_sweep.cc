#include "sequencer/cntk_sweep.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <numeric>
#include <utility>

#include "sheaf/error.h"

#include "base/remainder.h"
#include "base/text.h"

// CNTK's users rely on the exact order. So these must stay as in CNTK to the last number: the
// generator (std::mt19937_64, freshly seeded for the chunks and again for the sequences), the
// bounded draw (a remainder), the order of draws, and the windows.
//
// Each draw asks twice whether a sequence may move to an entry. Windows never move backwards, so
// the ranks whose windows contain a given home are consecutive, and the answer takes two
// comparisons.
//
// Settling an entry costs a draw (about 2 ns), a remainder by multiplication, and a swap of two
// words, one of them anywhere in the window. Where the window is larger than the caches, the swap
// costs most. So the word to swap is fetched some draws ahead.

namespace sheaf::internal {
namespace {

constexpr std::size_t kDrawsAhead = 16;

std::vector<std::int64_t> prefix_sums(std::span<const std::int64_t> order,
                                      std::span<const ChunkCounts> chunks,
                                      std::int64_t ChunkCounts::*size) {
  std::vector<std::int64_t> sums{0};
  sums.reserve(order.size() + 1);
  for (const std::int64_t chunk : order) {
    sums.push_back(sums.back() + chunks[static_cast<std::size_t>(chunk)].*size);
  }
  return sums;
}

}  // namespace

std::vector<std::int64_t> cntk_shuffled(std::int64_t count, std::uint64_t seed) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), std::int64_t{0});
  std::mt19937_64 random(seed);
  for (std::int64_t& value : values) {
    std::swap(value, values[random() % static_cast<std::uint64_t>(count)]);
  }
  return values;
}

CntkSweep::CntkSweep(std::span<const ChunkCounts> chunks, Window window, std::uint64_t seed)
    : order_(cntk_shuffled(std::ssize(chunks), seed)),
      first_entries_(prefix_sums(order_, chunks, &ChunkCounts::sequence_count)),
      random_(seed) {
  assert(window.size >= 1);
  constexpr std::int64_t kHomesMax = std::int64_t{1} << (64 - kNumberBits);
  if (chunk_count() >= kHomesMax) {
    throw ConfigError(
        formatted("the order \"cntk\" takes fewer than {} chunks: the data have {}; set "
                  "a larger chunk size",
                  kHomesMax, chunk_count()));
  }
  for (const ChunkCounts& counts : chunks) {
    if (static_cast<std::uint64_t>(counts.sequence_count) <= kNumberMask) continue;
    throw ConfigError(
        formatted("the order \"cntk\" takes at most {} sequences in a chunk: one has "
                  "{}; set a smaller chunk size",
                  kNumberMask, counts.sequence_count));
  }
  set_windows(prefix_sums(order_, chunks, &ChunkCounts::sample_count), window);
}

void CntkSweep::set_windows(std::span<const std::int64_t> first_samples, Window window) {
  const std::int64_t count = chunk_count();
  const std::int64_t half = window.size / 2;
  const auto sample = [&](std::int64_t rank) {
    return first_samples[static_cast<std::size_t>(rank)];
  };
  std::int64_t begin = 0;
  std::int64_t end = 1;
  for (std::int64_t rank = 0; rank < count; ++rank) {
    if (window.unit == Window::Unit::chunks) {
      begin = std::max<std::int64_t>(0, std::min(rank - half, count - window.size));
      end = begin + std::min(window.size, count);
    } else {
      while (sample(rank) - sample(begin) > half) ++begin;
      end = std::max(end, rank + 1);
      while (end < count && sample(end + 1) - sample(rank) < half) ++end;
    }
    begins_.push_back(begin);
    ends_.push_back(end);
  }

  guest_begins_.resize(static_cast<std::size_t>(count));
  guest_ends_.resize(static_cast<std::size_t>(count));
  std::int64_t first = 0;  // the first rank whose window ends behind the home
  std::int64_t last = 0;   // the first rank whose window begins behind the home
  for (std::int64_t home = 0; home < count; ++home) {
    while (window_end(first) <= home) ++first;
    while (last < count && window_begin(last) <= home) ++last;
    guest_begins_[static_cast<std::size_t>(home)] = first_entry(first);
    guest_ends_[static_cast<std::size_t>(home)] = first_entry(last);
  }
}

// The entries of a rank may change until the last rank whose window reaches back to this rank is
// settled.
void CntkSweep::settle_for(std::int64_t entry) {
  const auto after = std::upper_bound(first_entries_.begin(), first_entries_.end(), entry);
  const std::int64_t rank = (after - first_entries_.begin()) - 1;
  while (settled_rank_ < chunk_count() &&
         (settled_rank_ <= rank || window_begin(settled_rank_) <= rank)) {
    settle_rank(settled_rank_++);
  }
  delivered_end_ = first_entry(rank + 1);
}

std::int64_t CntkSweep::memory_bytes_max() const noexcept {
  constexpr std::int64_t kBytesPerChunk = 6 * sizeof(std::int64_t);
  constexpr auto kBytesPerEntry = static_cast<std::int64_t>(sizeof(std::uint64_t));
  std::int64_t entries = 0;
  for (std::int64_t rank = 0; rank < chunk_count(); ++rank) {
    entries = std::max(entries, first_entry(window_end(rank)) - first_entry(window_begin(rank)));
  }
  const std::int64_t most = sequence_count() - entries < entries ? sequence_count() : 2 * entries;
  return chunk_count() * kBytesPerChunk + most * kBytesPerEntry;
}

void CntkSweep::append_entries(std::int64_t rank_end) {
  if (appended_rank_ >= rank_end) return;
  // Drops the entries before the window of the next rank to settle that are already delivered.
  const std::int64_t needed =
      std::min(first_entry(window_begin(settled_rank_ - 1)), delivered_end_);
  if (const std::int64_t dead = needed - entries_begin_; dead > std::ssize(entries_) / 2) {
    entries_.erase(entries_.begin(), entries_.begin() + dead);
    entries_begin_ = needed;
  }
  if (const auto size = static_cast<std::size_t>(first_entry(rank_end) - entries_begin_);
      size > entries_.capacity()) {
    entries_.reserve(std::max(size, entries_.capacity() + entries_.capacity() / 2));
  }
  for (; appended_rank_ < rank_end; ++appended_rank_) {
    const std::uint64_t home = static_cast<std::uint64_t>(appended_rank_) << kNumberBits;
    const std::int64_t count = first_entry(appended_rank_ + 1) - first_entry(appended_rank_);
    for (std::int64_t i = 0; i < count; ++i) {
      entries_.push_back(home | static_cast<std::uint64_t>(i));
    }
  }
}

void CntkSweep::settle_rank(std::int64_t rank) {
  append_entries(window_end(rank));
  if (first_entry(rank) == first_entry(rank + 1)) return;
  const std::int64_t low = first_entry(window_begin(rank));
  const Remainder remainder(static_cast<std::uint64_t>(first_entry(window_end(rank)) - low));
  const auto home_begin = static_cast<std::uint64_t>(window_begin(rank)) << kNumberBits;
  const auto home_end = static_cast<std::uint64_t>(window_end(rank)) << kNumberBits;
  std::uint64_t* const entries = entries_.data() - entries_begin_;

  // The generator runs some entries ahead. It never draws more numbers than entries are left, since
  // each entry takes at least one draw.
  const std::int64_t end = first_entry(rank + 1);
  for (std::int64_t entry = first_entry(rank); entry < end;) {
    const std::size_t batch = std::min(kDrawsAhead, static_cast<std::size_t>(end - entry));
    std::array<std::int64_t, kDrawsAhead> targets{};
    for (std::size_t i = 0; i < batch; ++i) {
      targets[i] = low + static_cast<std::int64_t>(remainder(random_()));
      __builtin_prefetch(entries + targets[i], 1);
    }
    for (std::size_t i = 0; i < batch; ++i) {
      const std::int64_t target = targets[i];
      const std::uint64_t here = entries[entry];
      const std::uint64_t there = entries[target];
      const std::size_t home = here >> kNumberBits;
      const bool accepted = there >= home_begin && there < home_end &&
                            target >= guest_begins_[home] && target < guest_ends_[home];
      if (!accepted) continue;  // the next draw is for the same entry
      entries[entry] = there;
      entries[target] = here;
      ++entry;
    }
  }
}

}  // namespace sheaf::internal
