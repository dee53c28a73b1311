// What lengths of sequences cost: padding of minibatches, and rows that packing leaves empty.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sheaf/stat.h"

namespace sheaf::internal {

/// The numbers of sequences of the minibatches that a report tells about.
inline constexpr std::array<std::int64_t, 7> kMinibatchSizes = {8, 16, 32, 64, 128, 256, 512};

/// The lengths of the rows that a report packs sequences in.
inline constexpr std::array<std::int64_t, 7> kRowLengths = {128, 256, 512, 1024, 2048, 4096, 8192};

/// Measures the padding of minibatches in the order of the data.
class PaddingMeter {
 public:
  /// The minibatches among which sequences of similar length are sought, for bucketed minibatches.
  static constexpr std::int64_t kPoolMinibatches = 100;

  /// Adds the length of the next sequence.
  void add(std::int64_t length);

  /// How many samples a minibatch has with its padding, summed over all minibatches.
  struct Sums {
    double file = 0;     // minibatches of neighbours
    double buckets = 0;  // each pool is sorted by length, and cut into minibatches
  };

  /// Returns the sums for each of kMinibatchSizes. The last minibatch may be smaller.
  [[nodiscard]] std::array<Sums, kMinibatchSizes.size()> sums() const;

 private:
  using AllSums = std::array<Sums, kMinibatchSizes.size()>;

  static void add_block(std::vector<std::int64_t> lengths, AllSums& sums);

  AllSums sums_ = {};
  std::vector<std::int64_t> block_;  // lengths that are not in the sums yet
};

/// Returns the share of padding in minibatches of `size` sequences in random order, on average.
///
/// Pre: lengths.count() > 0; size > 0.
[[nodiscard]] double random_padding(const Histogram& lengths, std::int64_t size);

/// What packing in rows of one length makes.
struct PackedRows {
  std::int64_t rows = 0;
  std::int64_t samples = 0;   // in the rows
  std::int64_t too_long = 0;  // sequences longer than a row, which are left out
};

/// Packs all sequences together, longest first, each in the row with the least room that suffices.
/// best_fit() of all sequences gives the same rows.
///
/// Pre:  row_length > 0.
/// Cost: different lengths times the row length, at most; usually far less.
[[nodiscard]] PackedRows packed_rows(const Histogram& lengths, std::int64_t row_length);

}  // namespace sheaf::internal
