#include "format/columns/batch_cache.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace sheaf::columns {

BatchCache::BatchCache(std::shared_ptr<const ArrowBatches> batches,
                       std::vector<std::int64_t> columns)
    : batches_(std::move(batches)),
      columns_(std::move(columns)),
      known_(static_cast<std::size_t>(batches_->batch_count())) {}

std::shared_ptr<const ArrowArray> BatchCache::read(std::int64_t batch) const {
  const auto number = static_cast<std::size_t>(batch);
  const std::lock_guard reading(reading_[number % kLocks]);
  {
    const std::lock_guard lock(mutex_);
    if (auto found = known_[number].lock()) return found;
  }
  auto array = batches_->read({.batch = batch,
                               .first = 0,
                               .count = batches_->row_count(batch),
                               .columns = columns_,
                               .needs_dictionaries = false});
  std::shared_ptr<const ArrowArray> dropped;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  known_[number] = array;
  dropped = std::exchange(kept_[next_kept_], array);
  next_kept_ = (next_kept_ + 1) % kKept;
  return array;
}

}  // namespace sheaf::columns
