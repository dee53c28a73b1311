/// \file
/// The order of one member of a mixture, sequence by sequence.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sheaf/extend/counts.h"
#include "sheaf/extend/sequencer.h"

#include "sequencer/keyed_units.h"
#include "sequencer/mixture/member_counts.h"
#include "sequencer/unit_map.h"

namespace sheaf::internal {

/// A table of a number for each sequence of a data set: its samples, or its cost.
///
/// Memory: 8 bytes for each chunk, and at most kTablesMax tables of chunks.
class SequenceSizes {
 public:
  enum class Kind : std::uint8_t { samples, costs };

  SequenceSizes(const Counts& counts, const UnitMap& units, Kind kind);

  /// Returns the number of a sequence.
  ///
  /// Pre: the data have the sequence.
  [[nodiscard]] std::int64_t operator()(ChunkIndex chunk, std::int64_t sequence) {
    const std::int64_t each = of_each_[static_cast<std::size_t>(chunk)];
    return each >= 0 ? each : look_up(chunk, sequence);
  }

  static constexpr std::size_t kTablesMax = 256;

 private:
  [[nodiscard]] std::int64_t look_up(ChunkIndex chunk, std::int64_t sequence);

  const Counts& counts_;
  const UnitMap& units_;
  const Kind kind_;
  std::vector<std::int64_t> of_each_;  // [chunk]; -1: unknown, or not all equal
  std::unordered_map<ChunkIndex, SampleCounts> tables_;
};

/// The data of a member that are known before its first sequence.
struct MemberData {
  /// Takes chunks [first_chunk, end_chunk) of `all`. `options` have the window of the member.
  ///
  /// Lifetime: `all` must outlive the object.
  MemberData(const Counts& all, std::int64_t first_chunk, std::int64_t end_chunk,
             const OrderOptions& options, std::uint64_t seed);

  MemberCounts counts;
  KeyedUnits keyed;
  std::vector<std::int64_t> chunk_starts;  // first sequence of each chunk, and the end of the last
  std::uint64_t seed = 0;                  // for "keyed"
};

/// Walks over the sequences of a member, sweep after sweep.
class MemberOrder {
 public:
  /// A sequence.
  struct Sequence {
    ChunkIndex chunk{};  // number within the member, as all chunks of this class
    std::int64_t number = 0;
    std::int64_t owner = 0;  // worker that has the data of the sequence; 0 in file order
  };

  virtual ~MemberOrder() = default;

  /// Goes to a place.
  ///
  /// Pre: 0 <= number < sequences of the member.
  virtual void go_to(std::int64_t sweep, std::int64_t number) = 0;

  /// Returns the sequence at this place.
  ///
  /// Lifetime: until the next call of a non-const member function.
  [[nodiscard]] virtual const Sequence& peek() = 0;

  /// Goes to the next place. Behind the last sequence, this is the beginning of the next sweep.
  virtual void advance() = 0;

  /// Appends the data that the worker holds at this place.
  virtual void append_window(std::vector<ChunkRange>& window) const = 0;

  /// Returns a pair of numbers that changes whenever the window may change.
  [[nodiscard]] virtual std::pair<std::int64_t, std::int64_t> window_state() const = 0;
};

/// Returns the order of a member, at the beginning of its first sweep.
///
/// Lifetime: the data must outlive the order.
[[nodiscard]] std::unique_ptr<MemberOrder> member_order(const MemberData& data,
                                                        const OrderOptions& options);

}  // namespace sheaf::internal
