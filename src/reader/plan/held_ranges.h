/// \file
/// The ranges that a run holds between steps.

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

/// A set of ranges of chunks, which can be searched by sequence. Ranges are named as named_range()
/// does.
///
/// Cost: adding, finding and releasing a range takes logarithmic time in the number of ranges of
///       the chunk. Ranges are sorted by size, and ranges of similar size should not overlap much:
///       a search looks at all of them that begin less than their length before the sequence.
class HeldRanges {
 public:
  struct Held {
    ChunkRange range;
    std::int64_t bytes = 0;                 // approximate memory when decoded
    std::shared_ptr<const RangeCut> cut{};  // null until needed
    bool is_late = false;                   // whether steps read its sequences one by one
  };

  /// Adds a range with the memory that it is expected to take. Does nothing if the set has the
  /// range.
  ///
  /// A late range belongs to the window, but only its part of the index takes memory.
  void add(const ChunkRange& range, std::int64_t bytes, bool is_late = false);

  /// Removes a range, if the set has it.
  void release(const ChunkRange& range);

  /// Returns the range that contains a sequence; null if there is none. If several ranges contain
  /// the sequence, returns one that is more than half as long as the longest, and always the same
  /// one.
  ///
  /// Lifetime: until the range is released.
  [[nodiscard]] Held* find(ChunkIndex chunk, std::int64_t sequence);

  /// Returns whether the set has any range of a chunk.
  [[nodiscard]] bool has_any(ChunkIndex chunk) const { return chunks_.contains(chunk); }

  /// Returns whether the set has this range.
  [[nodiscard]] bool contains(const ChunkRange& range) const;

  /// Sets the cut of a range. The cut has a better estimate of the memory, including the range's
  /// part of the index.
  void set_cut(Held& held, std::shared_ptr<const RangeCut> cut);

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

  /// Returns how many ranges are whole chunks.
  [[nodiscard]] std::int64_t whole_count() const noexcept { return whole_count_; }

  /// Returns the memory of all ranges.
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

 private:
  using Key = std::tuple<int, std::int64_t, std::int64_t>;  // size class, first, count
  struct OfChunk {
    std::map<Key, Held> ranges;
    std::uint64_t size_classes = 0;  // a bit for each class that has or had a range
  };

  [[nodiscard]] static Key key_of(const ChunkRange& range) noexcept;
  void forget(const Held& held) noexcept;

  std::unordered_map<ChunkIndex, OfChunk> chunks_;
  std::int64_t size_ = 0;
  std::int64_t whole_count_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace sheaf::internal
