/// \file
/// The lengths of sequences that an order cuts.

#pragma once

#include <cstdint>
#include <optional>

#include "sheaf/extend/counts.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// Counts that know more about the sequences that an order with a truncation_length cuts than how
/// much they count. An Index may implement this, too.
///
/// Threads: as Counts.
class CutLengths {
 public:
  virtual ~CutLengths() = default;

  /// Returns whether cut_length() may return anything but the number of samples in Counts. Takes no
  /// time.
  [[nodiscard]] virtual bool has_cut_lengths() const noexcept = 0;

  /// Returns how many samples a sequence has, of which an order cuts pieces. Returns nothing for a
  /// wrong sequence, which is left out of all streams, and takes no room in a slot. May read the
  /// sequence.
  ///
  /// Pre:    the sequence exists.
  /// Throws: as Counts::chunk_counts().
  [[nodiscard]] virtual std::optional<std::int64_t> cut_length(ChunkIndex chunk,
                                                               std::int64_t sequence) const = 0;
};

/// Returns the lengths that counts know, or null if these are the numbers of samples.
///
/// Lifetime: that of `counts`.
[[nodiscard]] inline const CutLengths* cut_lengths_of(const Counts& counts) noexcept {
  const auto* const lengths = dynamic_cast<const CutLengths*>(&counts);
  return lengths != nullptr && lengths->has_cut_lengths() ? lengths : nullptr;
}

/// Returns CutLengths::cut_length() of a sequence, or its number of samples if `lengths` is null.
/// `lengths` is the result of cut_lengths_of() for `counts`.
[[nodiscard]] inline std::optional<std::int64_t> cut_length_of(const Counts& counts,
                                                               const CutLengths* lengths,
                                                               ChunkIndex chunk,
                                                               std::int64_t sequence) {
  if (lengths != nullptr) return lengths->cut_length(chunk, sequence);
  return counts.sample_counts(chunk)[sequence];
}

}  // namespace sheaf::internal
