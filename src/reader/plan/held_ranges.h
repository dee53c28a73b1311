/// \file
/// What a run holds on to between steps.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>

#include "sheaf/extend/counts.h"
#include "sheaf/types.h"

#include "reader/plan/range_cut.h"

namespace sheaf::internal {

/// A set of ranges of chunks, to be found by a sequence that lies in them. Ranges are named as
/// named_range() does.
///
/// Cost: what a range is put in, found or dropped by goes with the logarithm of how many its chunk
///       has. Ranges are kept by their size, and those of about one size should not overlap much:
///       of those, the search goes through all that begin less than their length before the
///       sequence.
class HeldRanges {
 public:
  struct Held {
    ChunkRange range;
    std::int64_t bytes = 0;                 // about how much it takes when decoded
    std::shared_ptr<const RangeCut> cut{};  // null until it is needed
    bool is_late = false;                   // steps read its sequences one by one
  };

  /// Add a range, with the memory that it is expected to take. One that is there stays as it is.
  ///
  /// A late range belongs to the window, but only its rows take memory.
  void add(const ChunkRange& range, std::int64_t bytes, bool is_late = false);

  /// Take out a range, if it is there.
  void release(const ChunkRange& range);

  /// The range that a sequence lies in. Of several it is one that is more than half as long as the
  /// longest, and always the same; null where there is none.
  ///
  /// Lifetime: until the range is released.
  [[nodiscard]] Held* find(ChunkIndex chunk, std::int64_t sequence);

  /// Whether any range of a chunk is there.
  [[nodiscard]] bool has_any(ChunkIndex chunk) const { return chunks_.contains(chunk); }

  /// Whether a range of this name is there.
  [[nodiscard]] bool contains(const ChunkRange& range) const;

  /// Give a range its cut, which knows better how much memory it takes: its rows included.
  void set_cut(Held& held, std::shared_ptr<const RangeCut> cut);

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

  /// Those that are whole chunks.
  [[nodiscard]] std::int64_t whole_count() const noexcept { return whole_count_; }

  /// What all take.
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

 private:
  using Key = std::tuple<int, std::int64_t, std::int64_t>;  // size class, first, count
  struct OfChunk {
    std::map<Key, Held> ranges;
    std::uint64_t size_classes = 0;  // a bit for each that there is or was
  };

  [[nodiscard]] static Key key_of(const ChunkRange& range) noexcept;
  void forget(const Held& held) noexcept;

  std::unordered_map<ChunkIndex, OfChunk> chunks_;
  std::int64_t size_ = 0;
  std::int64_t whole_count_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace sheaf::internal
