// Finds the sequences of other data sets that have the keys of the first, whatever their order.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sheaf/types.h"

#include "dataset/buckets.h"

namespace sheaf::internal {

/// One sequence of a data set, for matching. `number` counts through all its chunks, from 0.
struct KeyedSequence {
  SequenceKey key;
  std::int64_t number = 0;
  std::int64_t sample_count = 0;
  std::int64_t size_bytes = 0;     // in the source
  std::int64_t decoded_bytes = 0;  // about
  std::int64_t cost = 0;
};

/// The sequence of another set that belongs to one of the first.
struct Match {
  std::int64_t first = 0;  // number in the first set
  std::int64_t other = 0;  // number in the other one
  std::int64_t sample_count = 0;
  std::int64_t size_bytes = 0;
  std::int64_t decoded_bytes = 0;
  std::int64_t cost = 0;
};

/// Two sequences of a set with one key.
struct RepeatedKey {
  std::int64_t set = 0;
  std::int64_t earlier = 0;
  std::int64_t later = 0;
  SequenceKey key;
};

/// Takes the sequences of all sets, then finds what belongs together, then tells it in the order of
/// the first set. Sequences are spread by the hashes of their keys, so that each part is small, and
/// what was found in the parts is put in order again.
///
/// Memory: of each set, the 256th part of its sequences; and the buckets' own, about 2 MiB a set.
class KeyMatcher {
 public:
  /// `unmatched_max`: how many sequences of each set unmatched() gives at most.
  ///
  /// Pre: 1 <= set_count; 0 <= unmatched_max.
  explicit KeyMatcher(std::int64_t set_count, std::int64_t unmatched_max = 0);

  /// Add the next sequence of a set. Sets may be added in any order, also in turns, and each by a
  /// thread of its own.
  ///
  /// Pre:    sequence.number is how many were added to the set before.
  /// Throws: IoError where a temporary file cannot be written; all calls.
  void add(std::int64_t set, const KeyedSequence& sequence);

  /// Match what was added; once. Says where a set has a key twice: the place that comes first, by
  /// set and by its later sequence. Then there are no matches.
  [[nodiscard]] std::optional<RepeatedKey> match();

  /// What `set` has for a sequence of the first set; nothing where it has none.
  ///
  /// Pre: match() was called and found no repeated key; `number` rises from call to call of a set.
  [[nodiscard]] std::optional<Match> find(std::int64_t set, std::int64_t number);

  /// Returns the first sequences of a set whose keys the first set does not have, in their order.
  ///
  /// Pre: match() was called; set > 0.
  [[nodiscard]] std::vector<std::int64_t> unmatched(std::int64_t set) const;

 private:
  static constexpr std::int64_t kBucketCount = 256;
  static constexpr std::int64_t kExtentBytes = 8 << 10;

  /// The matches of one set, which are read in order.
  struct Found {
    Buckets<Match> buckets;
    std::vector<Match> current = {};  // of the bucket under way, by `first`
    std::size_t at = 0;               // next in `current`
    std::int64_t bucket = -1;
  };

  void match_part(std::int64_t part);
  void note_unmatched(std::size_t set, std::int64_t number);

  std::vector<Buckets<KeyedSequence>> sequences_;  // [set]
  std::vector<std::int64_t> sizes_;
  std::vector<Found> found_;
  std::int64_t unmatched_max_;
  std::vector<std::vector<std::int64_t>> unmatched_;  // [set]: a heap, the largest number in front
  std::int64_t numbers_per_bucket_ = 1;               // of `found_`
  std::optional<RepeatedKey> repeated_;
};

}  // namespace sheaf::internal
