// Keeps batches that can only be read whole while their parts are read.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "sheaf/extend/arrow_data.h"

namespace sheaf::columns {

/// Keeps the batches read last, and also finds batches that a caller still holds. Threads that need
/// the same batch wait for the one that reads it.
///
/// Threads: safe.
class BatchCache {
 public:
  /// The number of batches kept although no caller holds them.
  static constexpr std::size_t kKept = 2;

  BatchCache(std::shared_ptr<const ArrowBatches> batches, std::vector<std::int64_t> columns);

  /// Returns all rows of a batch.
  ///
  /// Throws: as ArrowBatches::read().
  [[nodiscard]] std::shared_ptr<const ArrowArray> read(std::int64_t batch) const;

 private:
  static constexpr std::size_t kLocks = 16;

  const std::shared_ptr<const ArrowBatches> batches_;
  const std::vector<std::int64_t> columns_;
  mutable std::array<std::mutex, kLocks> reading_;  // for the batches with these remainders
  mutable std::mutex mutex_;                        // guards the members below
  mutable std::vector<std::weak_ptr<const ArrowArray>> known_;
  mutable std::array<std::shared_ptr<const ArrowArray>, kKept> kept_;
  mutable std::size_t next_kept_ = 0;
};

}  // namespace sheaf::columns
