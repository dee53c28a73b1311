/// \file
/// A checksum of all delivered samples.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sheaf/minibatch.h"
#include "sheaf/types.h"

namespace sheaf::cli {

/// The wrapping sum of the hashes of all samples in all streams. The hash of a sample covers the
/// name of its stream, the key of its sequence, its number in the sequence, its values and, in a
/// sparse stream, its indices. The order, the packing, the minibatch size and the number of threads
/// do not change the sum. The checksum of a data set is the sum of the checksums of its parts.
///
/// H(bytes, seed) is XXH3-64 with a seed. Integers have 64 bits in the byte order of the machine:
///
///     stream = H(name, 0)
///     sequence = H((stream, key.low, key.high), 0)
///     sample t = H(values, sequence + t * 0x9E3779B97F4A7C15)
///     sample t of a sparse stream = H(indices, sample t as above)
class Checksum {
 public:
  explicit Checksum(std::span<const Stream> streams);

  /// Adds the samples of a minibatch with these streams. Reads every value once.
  void add(const Minibatch& minibatch) noexcept;

  [[nodiscard]] std::uint64_t value() const noexcept { return sum_; }

 private:
  void add(const Stream& stream, const StreamBatch& batch, std::span<const SequenceKey> keys,
           std::span<const SequenceSlice> slices, std::uint64_t stream_hash) noexcept;

  std::vector<std::uint64_t> stream_hashes_;
  std::uint64_t sum_ = 0;
};

}  // namespace sheaf::cli
