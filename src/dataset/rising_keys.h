// Matches data sets whose keys rise.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sheaf/extend/index.h"
#include "sheaf/extend/named_data.h"
#include "sheaf/types.h"

#include "dataset/key_matcher.h"

namespace sheaf::internal {

/// Returns whether each key of a data set is larger than the one before. Stops at the first key
/// that is not. Of a chunk whose keys are consecutive numbers, looks at the first and the last key
/// only.
///
/// Throws: the exceptions of the index.
[[nodiscard]] bool keys_rise(const Index& index);

/// Walks through the members side by side.
///
/// Memory: one table of each member.
class RisingKeys {
 public:
  /// `unmatched_max` is the most sequences of each member that unmatched() returns.
  ///
  /// Pre:      keys_rise() is true for each member; 0 <= unmatched_max.
  /// Lifetime: `members` must outlive the object.
  explicit RisingKeys(std::span<const NamedData> members, std::int64_t unmatched_max = 0);

  /// Returns the sequence of a member with this key, or nothing if there is none. Match::first is
  /// not set.
  ///
  /// Pre:    keys rise from call to call of a member.
  /// Throws: the exceptions of the index.
  [[nodiscard]] std::optional<Match> find(std::int64_t member, const SequenceKey& key);

  /// Returns the first sequences of a member that no call of find() found, in order, and at most
  /// `unmatched_max` of them. No further call for the member may follow.
  ///
  /// Throws: the exceptions of the index.
  [[nodiscard]] std::vector<std::int64_t> unmatched(std::int64_t member);

 private:
  /// The next sequence of a member.
  struct Cursor {
    const Index* index = nullptr;
    std::optional<ChunkInfo> info;               // nothing at the end
    std::shared_ptr<const SequenceTable> table;  // of that chunk
    ChunkIndex chunk{};
    std::int64_t sequence = 0;  // within the chunk
    std::int64_t number = 0;    // within the member
    bool is_matched = false;
    std::vector<std::int64_t> unmatched;  // numbers before this sequence
  };

  static void enter(Cursor& cursor, ChunkIndex chunk);
  void step(Cursor& cursor) const;

  std::int64_t unmatched_max_;
  std::vector<Cursor> cursors_;
};

}  // namespace sheaf::internal
