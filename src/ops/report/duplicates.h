// Sequences that come twice, and equal inputs with different labels.

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/report/hash_sample.h"
#include "ops/report/sequence_hash.h"

namespace sheaf::internal {

/// Where a sequence is. Small numbers, since there are many.
struct SmallPlace {
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;

  std::uint32_t chunk = kNone;
  std::uint32_t sequence = kNone;  // its number within the chunk

  [[nodiscard]] bool is_known() const noexcept { return chunk != kNone; }
  friend auto operator<=>(const SmallPlace&, const SmallPlace&) = default;  // NOLINT: no null
};

/// A sequence, and the sequences behind it that have equal content.
struct HashedSequence {
  std::uint64_t input = 0;
  std::uint64_t whole = 0;
  SmallPlace place = {};
  SmallPlace second = {};  // the first sequence of equal content behind this one
  std::int64_t count = 1;  // sequences of equal content

  [[nodiscard]] std::uint64_t sampling_hash() const noexcept { return input; }
  [[nodiscard]] bool is_same(const HashedSequence& other) const noexcept {
    return input == other.input && whole == other.whole;
  }
  void add(const HashedSequence& later) noexcept {
    if (!second.is_known()) second = later.place;
    count += later.count;
  }
  friend auto operator<=>(const HashedSequence&, const HashedSequence&) = default;  // NOLINT: ditto
};

using SequenceSample = HashSample<HashedSequence>;

/// How many hashes are kept. A hash takes 40 bytes.
inline constexpr std::size_t kHashesMax = std::size_t{1} << 20;

/// Two sequences with equal inputs.
struct SequencePair {
  SmallPlace first = {};
  SmallPlace second = {};
};

/// What sequences have in common.
struct Duplicates {
  std::int64_t looked_at = 0;               // sequences of the sample
  std::int64_t same = 0;                    // sequences equal to an earlier one
  std::int64_t conflicts = 0;               // inputs that come with different labels
  std::vector<SequencePair> repeated = {};  // sequences that come again
  std::vector<SequencePair> conflicting = {};
};

/// Compares the sequences of a sample. `sequences` are in order and different, as
/// HashSample::take() returns them. At most `examples_max` examples of each kind are kept.
[[nodiscard]] Duplicates duplicates_of(const std::vector<HashedSequence>& sequences,
                                       std::size_t examples_max);

/// What two samples have in common.
struct CommonSequences {
  std::int64_t looked_at = 0;   // sequences of the first sample
  std::int64_t same = 0;        // of these, sequences that the second sample has, too
  std::int64_t same_input = 0;  // of these, sequences whose input the second sample has
  std::vector<SequencePair> examples = {};
};

/// Compares two samples that take the same hashes, as duplicates_of() does.
[[nodiscard]] CommonSequences common_sequences(const std::vector<HashedSequence>& sequences,
                                               const std::vector<HashedSequence>& others,
                                               std::size_t examples_max);

}  // namespace sheaf::internal
