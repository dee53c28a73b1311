// Measures the cost of different lengths: padding in minibatches, and empty space in packed rows.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sheaf/stat.h"

namespace sheaf::internal {

/// The minibatch sizes, in sequences, that a report covers.
inline constexpr std::array<std::int64_t, 7> kMinibatchSizes = {8, 16, 32, 64, 128, 256, 512};

/// The row lengths, in samples, into which a report packs sequences.
inline constexpr std::array<std::int64_t, 7> kRowLengths = {128, 256, 512, 1024, 2048, 4096, 8192};

/// Measures the padding of minibatches in the order of the data.
class PaddingMeter {
 public:
  /// The size of a pool in minibatches. Bucketed minibatches take sequences of similar length from
  /// one pool.
  static constexpr std::int64_t kPoolMinibatches = 100;

  /// Adds the length of the next sequence.
  void add(std::int64_t length);

  /// The number of samples in all minibatches, padding included.
  struct Sums {
    double file = 0;     // minibatches of neighbours in the file
    double buckets = 0;  // minibatches from pools that are sorted by length
  };

  /// Returns the sums for each of kMinibatchSizes. The last minibatch may have fewer sequences.
  [[nodiscard]] std::array<Sums, kMinibatchSizes.size()> sums() const;

 private:
  using AllSums = std::array<Sums, kMinibatchSizes.size()>;

  static void add_block(std::vector<std::int64_t> lengths, AllSums& sums);

  AllSums sums_ = {};
  std::vector<std::int64_t> block_;  // lengths that are not yet in the sums
};

/// Returns the average share of padding in minibatches of `size` sequences in random order.
///
/// Pre: lengths.count() > 0; size > 0.
[[nodiscard]] double random_padding(const Histogram& lengths, std::int64_t size);

/// The result of packing sequences into rows of one length.
struct PackedRows {
  std::int64_t rows = 0;
  std::int64_t samples = 0;   // in the rows
  std::int64_t too_long = 0;  // sequences longer than a row; left out
};

/// Packs all sequences, longest first, each into the row with the least room that suffices. The
/// result equals best_fit() over all sequences.
///
/// Pre:  row_length > 0.
/// Cost: at most the number of distinct lengths times the row length; usually far less.
[[nodiscard]] PackedRows packed_rows(const Histogram& lengths, std::int64_t row_length);

}  // namespace sheaf::internal
