#include "format/columns/batch_cache.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "format/columns/array_size.h"

namespace sheaf::columns {
namespace {

/// Columns of one or two arrays of the same rows. They share the buffers of the arrays.
struct JoinedColumns {
  ArrowArray root = {};
  std::vector<ArrowArray*> columns;
  std::shared_ptr<const ArrowArray> first;
  std::shared_ptr<const ArrowArray> second;
};

// Returns the rows of `first` with other columns.
std::shared_ptr<const ArrowArray> with_columns(std::shared_ptr<const ArrowArray> first,
                                               std::shared_ptr<const ArrowArray> second,
                                               std::vector<ArrowArray*> columns) {
  const auto joined = std::make_shared<JoinedColumns>();
  joined->root = *first;
  joined->columns = std::move(columns);
  joined->root.n_children = std::ssize(joined->columns);
  joined->root.children = joined->columns.data();
  joined->root.release = nullptr;
  joined->first = std::move(first);
  joined->second = std::move(second);
  return {joined, &joined->root};
}

std::ptrdiff_t place_of(std::span<const std::int64_t> numbers, std::int64_t number) noexcept {
  return std::ranges::find(numbers, number) - numbers.begin();
}

}  // namespace

BatchCache::BatchCache(std::shared_ptr<const ArrowBatches> batches,
                       std::vector<std::int64_t> columns, bool is_limited)
    : batches_(std::move(batches)),
      columns_(std::move(columns)),
      is_limited_(is_limited),
      known_(static_cast<std::size_t>(batches_->batch_count())) {}

std::shared_ptr<const ArrowArray> BatchCache::read(std::int64_t batch) const {
  const auto number = static_cast<std::size_t>(batch);
  const std::lock_guard reading(reading_[number % kLocks]);
  std::optional<Waiting> begun;
  {
    const std::lock_guard lock(mutex_);
    if (auto found = known_[number].lock()) return found;
    begun = take_waiting(batch);
  }
  auto array = begun ? completed(*begun) : read_from_source(batch, columns_);
  Dropped dropped;
  const std::lock_guard lock(mutex_);
  known_[number] = array;
  dropped.push_back(std::exchange(kept_[next_kept_], array));
  next_kept_ = (next_kept_ + 1) % kKept;
  trim(dropped);
  return array;
}

std::shared_ptr<const ArrowArray> BatchCache::read_columns(
    std::int64_t batch, std::span<const std::int64_t> numbers) const {
  const auto number = static_cast<std::size_t>(batch);
  const std::lock_guard reading(reading_[number % kLocks]);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_[number].lock()) {
      std::vector<ArrowArray*> columns;
      for (const std::int64_t each : numbers) {
        columns.push_back(found->children[place_of(columns_, each)]);
      }
      return with_columns(found, nullptr, std::move(columns));
    }
    for (const Waiting& each : waiting_) {
      if (each.batch == batch && std::ranges::equal(each.numbers, numbers)) return each.array;
    }
  }
  auto array = read_from_source(batch, numbers);
  Waiting begun{.batch = batch,
                .numbers = {numbers.begin(), numbers.end()},
                .array = array,
                .size_bytes = size_of(*array, numbers)};
  Dropped dropped;
  const std::lock_guard lock(mutex_);
  if (std::optional<Waiting> other = take_waiting(batch))
    dropped.push_back(std::move(other->array));
  waiting_bytes_ += begun.size_bytes;
  waiting_.push_back(std::move(begun));
  trim(dropped);
  return array;
}

std::shared_ptr<const ArrowArray> BatchCache::read_from_source(
    std::int64_t batch, std::span<const std::int64_t> numbers) const {
  return batches_->read({.batch = batch,
                         .first = 0,
                         .count = batches_->row_count(batch),
                         .columns = numbers,
                         .needs_dictionaries = false});
}

// Reads the columns of the cache that do not wait, and returns all columns.
std::shared_ptr<const ArrowArray> BatchCache::completed(const Waiting& begun) const {
  std::vector<std::int64_t> others;
  for (const std::int64_t number : columns_) {
    if (std::ranges::count(begun.numbers, number) == 0) others.push_back(number);
  }
  std::shared_ptr<const ArrowArray> rest;
  if (!others.empty()) {
    rest = read_from_source(begun.batch, others);
    // One offset applies to all columns of an array.
    if (rest->offset != begun.array->offset) return read_from_source(begun.batch, columns_);
  }
  std::vector<ArrowArray*> columns;
  std::ptrdiff_t next = 0;  // in the rest
  for (const std::int64_t number : columns_) {
    const std::ptrdiff_t place = place_of(begun.numbers, number);
    const bool has_waited = place < std::ssize(begun.numbers);
    columns.push_back(has_waited ? begun.array->children[place] : rest->children[next++]);
  }
  return with_columns(begun.array, std::move(rest), std::move(columns));
}

// Pre: the mutex is held, here and in trim().
std::optional<BatchCache::Waiting> BatchCache::take_waiting(std::int64_t batch) const {
  const auto found = std::ranges::find(waiting_, batch, &Waiting::batch);
  if (found == waiting_.end()) return std::nullopt;
  Waiting taken = std::move(*found);
  waiting_.erase(found);
  waiting_bytes_ -= taken.size_bytes;
  return taken;
}

std::int64_t BatchCache::size_of(const ArrowArray& array,
                                 std::span<const std::int64_t> numbers) const {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    bytes += array_size_bytes(*batches_->schema().children[numbers[i]], *array.children[i]);
  }
  return bytes;
}

void BatchCache::trim(Dropped& dropped) const {
  while (waiting_.size() > 1 && (is_limited_ || waiting_bytes_ > kWaitingBytesMax)) {
    waiting_bytes_ -= waiting_.front().size_bytes;
    dropped.push_back(std::move(waiting_.front().array));
    waiting_.pop_front();
  }
  if (is_limited_ && !waiting_.empty()) dropped.push_back(std::move(kept_[next_kept_]));
}

}  // namespace sheaf::columns
