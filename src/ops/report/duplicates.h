// Finds repeated sequences, and equal inputs with different labels.

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/report/hash_sample.h"
#include "ops/report/sequence_hash.h"

namespace sheaf::internal {

/// The location of a sequence, in 32-bit numbers to save memory.
struct CompactLocation {
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;

  std::uint32_t chunk = kNone;
  std::uint32_t sequence = kNone;  // number within the chunk

  [[nodiscard]] bool is_known() const noexcept { return chunk != kNone; }
  friend auto operator<=>(const CompactLocation&,
                          const CompactLocation&) = default;  // NOLINT: no null
};

/// The hashes of the content of a sequence, and its location.
struct SequenceContent {
  std::uint64_t input = 0;
  std::uint64_t whole = 0;
  CompactLocation location = {};
};

/// A sequence, together with the later sequences of equal content.
struct HashedSequence {
  std::uint64_t input = 0;
  std::uint64_t whole = 0;
  CompactLocation location = {};
  CompactLocation second = {};  // the first later sequence of equal content
  std::int64_t count = 1;       // sequences of equal content, this one included

  [[nodiscard]] std::uint64_t sampling_hash() const noexcept { return input; }
  [[nodiscard]] bool is_same(const HashedSequence& other) const noexcept {
    return input == other.input && whole == other.whole;
  }
  void add(const HashedSequence& later) noexcept {
    if (!second.is_known()) second = later.location;
    count += later.count;
  }
  friend auto operator<=>(const HashedSequence&, const HashedSequence&) = default;  // NOLINT: ditto
};

using SequenceSample = HashSample<HashedSequence>;

/// How many hashes a sample keeps. A hash takes 40 bytes, and 80 bytes once the sample was full.
inline constexpr std::size_t kHashesMax = std::size_t{1} << 20;

/// Two sequences with equal inputs.
struct SequencePair {
  CompactLocation first = {};
  CompactLocation second = {};
};

/// The duplicates in a sample.
struct Duplicates {
  std::int64_t looked_at = 0;               // sequences in the sample
  std::int64_t same = 0;                    // sequences equal to an earlier one
  std::int64_t conflicts = 0;               // inputs that occur with different labels
  std::vector<SequencePair> repeated = {};  // sequences that occur again later
  std::vector<SequencePair> conflicting = {};
};

/// Finds the duplicates in a sample. `sequences` must be sorted and distinct, as from
/// HashSample::take(). Keeps at most `examples_max` examples of each kind.
[[nodiscard]] Duplicates duplicates_of(const std::vector<HashedSequence>& sequences,
                                       std::size_t examples_max);

/// The sequences that two samples share.
struct CommonSequences {
  std::int64_t looked_at = 0;   // sequences in the first sample
  std::int64_t same = 0;        // of these, sequences that the second sample also has
  std::int64_t same_input = 0;  // of these, sequences whose input the second sample also has
  std::vector<SequencePair> examples = {};
};

/// Compares two samples with the same threshold. `examples_max` is as for duplicates_of().
[[nodiscard]] CommonSequences common_sequences(const std::vector<HashedSequence>& sequences,
                                               const std::vector<HashedSequence>& others,
                                               std::size_t examples_max);

}  // namespace sheaf::internal
