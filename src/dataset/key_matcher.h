// Finds the sequences of other data sets with the keys of the first set, in any order.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sheaf/types.h"

#include "dataset/buckets.h"

namespace sheaf::internal {

/// A sequence of a data set, for matching. `number` counts through all chunks, from 0.
struct KeyedSequence {
  SequenceKey key;
  std::int64_t number = 0;
  std::int64_t sample_count = 0;
  std::int64_t size_bytes = 0;     // in the source
  std::int64_t decoded_bytes = 0;  // approximate
  std::int64_t cost = 0;
};

/// A sequence of the first set, and the sequence of another set that belongs to it.
struct Match {
  std::int64_t first = 0;  // number in the first set
  std::int64_t other = 0;  // number in the other one
  std::int64_t sample_count = 0;
  std::int64_t size_bytes = 0;
  std::int64_t decoded_bytes = 0;
  std::int64_t cost = 0;
};

/// Two sequences of a set with the same key.
struct RepeatedKey {
  std::int64_t set = 0;
  std::int64_t earlier = 0;
  std::int64_t later = 0;
  SequenceKey key;
};

/// Takes the sequences of all sets, finds the sequences that belong together, and returns them in
/// the order of the first set. Sequences are spread by the hashes of their keys, so that each
/// bucket is small. The matches found in the buckets are put in order again.
///
/// Memory: a 256th of the sequences of each set, and about 2 MiB a set for the buckets.
class KeyMatcher {
 public:
  /// `unmatched_max` is the most sequences of each set that unmatched() returns.
  ///
  /// Pre: 1 <= set_count; 0 <= unmatched_max.
  explicit KeyMatcher(std::int64_t set_count, std::int64_t unmatched_max = 0);

  /// Adds the next sequence of a set. Sets may be added in any order, also in turns, and each by a
  /// thread of its own.
  ///
  /// Pre:    sequence.number is the number of sequences added to the set before.
  /// Throws: IoError if a temporary file cannot be written, as all calls.
  void add(std::int64_t set, const KeyedSequence& sequence);

  /// Matches the sequences added. Must be called once. If a set has a key twice, returns the first
  /// case, by set and by later sequence, and there are no matches.
  [[nodiscard]] std::optional<RepeatedKey> match();

  /// Returns the sequence of `set` that belongs to a sequence of the first set, or nothing if there
  /// is none.
  ///
  /// Pre: match() was called and found no repeated key; `number` rises from call to call of a set.
  [[nodiscard]] std::optional<Match> find(std::int64_t set, std::int64_t number);

  /// Returns the first sequences of a set whose keys the first set does not have, in order.
  ///
  /// Pre: match() was called; set > 0.
  [[nodiscard]] std::vector<std::int64_t> unmatched(std::int64_t set) const;

 private:
  static constexpr std::int64_t kBucketCount = 256;
  static constexpr std::int64_t kExtentBytes = 8 << 10;

  /// The matches of one set, read in order.
  struct Found {
    Buckets<Match> buckets;
    std::vector<Match> current = {};  // of the current bucket, sorted by `first`
    std::size_t at = 0;               // index of the next one in `current`
    std::int64_t bucket = -1;
  };

  void match_part(std::int64_t part);
  void note_unmatched(std::size_t set, std::int64_t number);

  std::vector<Buckets<KeyedSequence>> sequences_;  // [set]
  std::vector<std::int64_t> sizes_;
  std::vector<Found> found_;
  std::int64_t unmatched_max_;
  std::vector<std::vector<std::int64_t>> unmatched_;  // [set]: a heap, the largest number first
  std::int64_t numbers_per_bucket_ = 1;               // in the buckets of Found
  std::optional<RepeatedKey> repeated_;
};

}  // namespace sheaf::internal
