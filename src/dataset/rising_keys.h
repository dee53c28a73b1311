// Matches of data sets whose keys rise.

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

/// Whether each key of a data set is larger than the one before. Looks no further than it has to,
/// and at the ends of chunks alone where these have running keys.
///
/// Throws: what the index throws.
[[nodiscard]] bool keys_rise(const Index& index);

/// Walks through members side by side.
///
/// Memory: a table of each.
class RisingKeys {
 public:
  /// `unmatched_max`: how many sequences of each member unmatched() gives at most.
  ///
  /// Pre:      keys_rise() of each; 0 <= unmatched_max.
  /// Lifetime: `members` must outlive it.
  explicit RisingKeys(std::span<const NamedData> members, std::int64_t unmatched_max = 0);

  /// The sequence of a member that has this key; nothing where there is none. Match::first is not
  /// set.
  ///
  /// Pre:    keys rise from call to call of a member.
  /// Throws: what the index throws.
  [[nodiscard]] std::optional<Match> find(std::int64_t member, const SequenceKey& key);

  /// Returns the first sequences of a member that no call found, in their order, at most as many as
  /// the constructor was told. No calls of the member may follow.
  ///
  /// Throws: what the index throws.
  [[nodiscard]] std::vector<std::int64_t> unmatched(std::int64_t member);

 private:
  /// The next sequence of a member.
  struct Cursor {
    const Index* index = nullptr;
    std::optional<ChunkInfo> info;               // nothing: at the end
    std::shared_ptr<const SequenceTable> table;  // of that chunk
    ChunkIndex chunk{};
    std::int64_t sequence = 0;  // within the chunk
    std::int64_t number = 0;    // of all
    bool is_matched = false;
    std::vector<std::int64_t> unmatched;  // numbers before this one
  };

  static void enter(Cursor& cursor, ChunkIndex chunk);
  void step(Cursor& cursor) const;

  std::int64_t unmatched_max_;
  std::vector<Cursor> cursors_;
};

}  // namespace sheaf::internal
