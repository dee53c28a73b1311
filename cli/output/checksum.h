/// \file
/// One number for all that was delivered.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sheaf/minibatch.h"
#include "sheaf/types.h"

namespace sheaf::cli {

/// The wrapping sum, over all samples of all streams, of a hash of the sample: of the stream's
/// name, the sequence's key, the sample's number in the sequence, its values and, where sparse, its
/// indices. So it is the same for any order, packing, minibatch size and number of threads, and
/// those of the parts of a data set add up.
///
/// In detail, with H(bytes, seed) the XXH3-64 with a seed and integers of 64 bits in the order of
/// the machine's bytes:
///
///     stream = H(name, 0)
///     sequence = H((stream, key.low, key.high), 0)
///     sample t = H(values, sequence + t * 0x9E3779B97F4A7C15)
///     and then, where sparse, H(indices, sample t)
class Checksum {
 public:
  explicit Checksum(std::span<const Stream> streams);

  /// Add the samples of a minibatch with these streams. Touches every value once.
  void add(const Minibatch& minibatch) noexcept;

  [[nodiscard]] std::uint64_t value() const noexcept { return sum_; }

 private:
  void add(const Stream& stream, const StreamBatch& batch, std::span<const SequenceKey> keys,
           std::span<const SequenceSlice> slices, std::uint64_t stream_hash) noexcept;

  std::vector<std::uint64_t> stream_hashes_;
  std::uint64_t sum_ = 0;
};

}  // namespace sheaf::cli
