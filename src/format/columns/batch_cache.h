// Keeps batches that can only be read whole while their parts are read.

#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "sheaf/extend/arrow_data.h"

namespace sheaf::columns {

/// Keeps the batches read last, and also finds batches that a caller still holds. Threads that need
/// the same batch wait for the one that reads it.
///
/// Also keeps columns that were read before the rest of their batch, for example for their lengths.
/// The call that reads the batch takes these columns and reads only the others.
///
/// Threads: safe.
class BatchCache {
 public:
  /// The number of batches kept although no caller holds them.
  static constexpr std::size_t kKept = 2;

  /// The most memory of columns that wait for the rest of their batch. One batch may take more.
  static constexpr std::int64_t kWaitingBytesMax = std::int64_t{32} << 20;

  /// With `is_limited`, memory is scarce: columns of one batch alone wait for the rest of it, and
  /// this batch counts as one of the kKept batches.
  BatchCache(std::shared_ptr<const ArrowBatches> batches, std::vector<std::int64_t> columns,
             bool is_limited = false);

  /// Returns all rows of a batch.
  ///
  /// Throws: as ArrowBatches::read(), like read_columns().
  [[nodiscard]] std::shared_ptr<const ArrowArray> read(std::int64_t batch) const;

  /// Returns all rows of some columns of a batch, in the order of `numbers`.
  ///
  /// Pre: the constructor was given these columns.
  [[nodiscard]] std::shared_ptr<const ArrowArray> read_columns(
      std::int64_t batch, std::span<const std::int64_t> numbers) const;

 private:
  static constexpr std::size_t kLocks = 16;

  /// Columns that wait for the rest of their batch.
  struct Waiting {
    std::int64_t batch = 0;
    std::vector<std::int64_t> numbers;  // of the columns
    std::shared_ptr<const ArrowArray> array;
    std::int64_t size_bytes = 0;
  };

  /// What threads no longer need. The arrays are destroyed without the lock.
  using Dropped = std::vector<std::shared_ptr<const ArrowArray>>;

  [[nodiscard]] std::shared_ptr<const ArrowArray> read_from_source(
      std::int64_t batch, std::span<const std::int64_t> numbers) const;
  [[nodiscard]] std::shared_ptr<const ArrowArray> completed(const Waiting& begun) const;
  [[nodiscard]] std::optional<Waiting> take_waiting(std::int64_t batch) const;
  [[nodiscard]] std::int64_t size_of(const ArrowArray& array,
                                     std::span<const std::int64_t> numbers) const;
  void trim(Dropped& dropped) const;

  const std::shared_ptr<const ArrowBatches> batches_;
  const std::vector<std::int64_t> columns_;
  const bool is_limited_;
  mutable std::array<std::mutex, kLocks> reading_;  // for the batches with these remainders
  mutable std::mutex mutex_;                        // guards the members below
  mutable std::vector<std::weak_ptr<const ArrowArray>> known_;
  mutable std::array<std::shared_ptr<const ArrowArray>, kKept> kept_;
  mutable std::size_t next_kept_ = 0;    // the oldest of kept_
  mutable std::deque<Waiting> waiting_;  // oldest first
  mutable std::int64_t waiting_bytes_ = 0;
};

}  // namespace sheaf::columns
