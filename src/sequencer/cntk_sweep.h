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

/// Returns the numbers from 0 to count - 1, shuffled as CNTK does: each number in turn is swapped
/// with a random one. The result is not uniform.
[[nodiscard]] std::vector<std::int64_t> cntk_shuffled(std::int64_t count, std::uint64_t seed);

/// The order of one sweep, made in two steps. First the chunks are shuffled: *rank* r holds
/// chunk(r). Then the sequences are shuffled. The chunks in their new order, one after the other,
/// fill the *entries*, and every sequence remembers its *home*, the rank that it came from. Entry
/// after entry, the sequence of the entry is swapped with a random one from the window of the
/// entry's rank, provided that both sequences stay within the windows of their new ranks. Sequences
/// are delivered in the order of their entries.
///
/// Entries are settled only as far as at() asks, and forgotten when later entries are asked for.
///
/// Memory:  8 bytes for each entry of a window.
/// Threads: one call at a time.
class CntkSweep {
 public:
  /// A sequence, given by its home and its number within the chunk.
  struct Sequence {
    std::int64_t home = 0;
    std::int64_t number = 0;
  };

  /// Pre:  `window.size` is at least 1.
  /// Cost: linear in the number of chunks.
  CntkSweep(std::span<const ChunkCounts> chunks, Window window, std::uint64_t seed);

  [[nodiscard]] std::int64_t chunk_count() const noexcept { return std::ssize(order_); }
  [[nodiscard]] std::int64_t sequence_count() const noexcept { return first_entries_.back(); }

  /// Return the chunk that a rank holds, where the window of the rank begins and ends (as ranks),
  /// and the first entry of the rank.
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
  [[nodiscard]] std::int64_t first_entry(std::int64_t rank) const noexcept {
    return first_entries_[static_cast<std::size_t>(rank)];
  }

  /// Returns the most memory that the sweep takes: entries of up to twice the largest window, and
  /// the tables of chunks.
  [[nodiscard]] std::int64_t memory_bytes_max() const noexcept;

  /// Returns the sequence in an entry.
  ///
  /// Pre:  0 <= entry < sequence_count(); no lower than in the previous call.
  /// Cost: settles the ranks whose windows reach back to the entry's rank.
  [[nodiscard]] Sequence at(std::int64_t entry) {
    if (entry >= delivered_end_) settle_for(entry);
    const std::uint64_t value = entries_[static_cast<std::size_t>(entry - entries_begin_)];
    return {static_cast<std::int64_t>(value >> kNumberBits),
            static_cast<std::int64_t>(value & kNumberMask)};
  }

 private:
  // Bits of the number within the chunk; the other bits are the home.
  static constexpr int kNumberBits = 36;
  static constexpr std::uint64_t kNumberMask = (std::uint64_t{1} << kNumberBits) - 1;

  void set_windows(std::span<const std::int64_t> first_samples, Window window);
  void settle_for(std::int64_t entry);
  void settle_rank(std::int64_t rank);
  void append_entries(std::int64_t rank_end);

  std::vector<std::int64_t> order_;          // [rank]
  std::vector<std::int64_t> first_entries_;  // [rank], and the end of the last
  std::vector<std::int64_t> begins_;         // [rank]: first rank of the window
  std::vector<std::int64_t> ends_;
  std::vector<std::int64_t> guest_begins_;  // [home]: first entry whose window contains the home
  std::vector<std::int64_t> guest_ends_;    // [home]: end of the last such entry

  std::mt19937_64 random_;
  std::vector<std::uint64_t> entries_;  // from entries_begin_ on: home and number
  std::int64_t entries_begin_ = 0;
  std::int64_t delivered_end_ = 0;  // entries before it no longer change
  std::int64_t settled_rank_ = 0;   // ranks before it are settled
  std::int64_t appended_rank_ = 0;  // entries are filled for the ranks before it
};

}  // namespace sheaf::internal
