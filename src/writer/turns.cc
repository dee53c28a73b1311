#include "writer/turns.h"

#include <algorithm>
#include <utility>

#include "sheaf/error.h"

#include "base/interruptible_wait.h"
#include "base/text.h"

namespace sheaf::internal {

Turns::Turns(std::string name, std::int64_t waiting_bytes_max, Append append)
    : name_(std::move(name)), waiting_bytes_max_(waiting_bytes_max), append_(std::move(append)) {}

void Turns::claim(std::int64_t turn) { claim(turn, Lock(mutex_)); }

std::int64_t Turns::claim_next() {
  const Lock lock(mutex_);
  const std::int64_t turn = turn_count_;
  claim(turn, lock);
  return turn;
}

void Turns::claim(std::int64_t turn, const Lock& lock) {
  check(lock);
  if (is_closed_) {
    throw ConfigError(formatted("{}: finished: nothing can be written any more", name_));
  }
  if (turn < 0) throw ConfigError(formatted("{}: turns count from 0, got {}", name_, turn));
  if (turn < next_turn_ || !claimed_.insert(turn).second) {
    throw ConfigError(formatted("{}: turn {} was written before", name_, turn));
  }
  turn_count_ = std::max(turn_count_, turn + 1);
}

void Turns::check(const Lock& /*lock*/) const {
  if (error_ != nullptr) std::rethrow_exception(error_);
}

void Turns::put(std::int64_t turn, std::unique_ptr<Block> block) {
  const std::int64_t size_bytes = block == nullptr ? 0 : block->memory_bytes();
  Lock lock(mutex_);
  wait_interruptibly(changed_, lock, [&] {
    return error_ != nullptr || turn == next_turn_ || size_bytes == 0 ||
           waiting_bytes_ + size_bytes <= waiting_bytes_max_;
  });
  check(lock);
  waiting_.emplace(turn, Entry{std::move(block), size_bytes});
  waiting_bytes_ += size_bytes;
  if (!is_appending_) append_ready(lock);
}

void Turns::append_ready(Lock& lock) {
  is_appending_ = true;
  while (error_ == nullptr && !waiting_.empty() && waiting_.begin()->first == next_turn_) {
    Entry entry = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    lock.unlock();
    // If this throws, is_appending_ stays set, and no more blocks are passed on. The block is lost,
    // and so is the file.
    if (entry.block != nullptr) append_(std::move(entry.block));
    lock.lock();
    claimed_.erase(next_turn_);
    waiting_bytes_ -= entry.size_bytes;
    ++next_turn_;
    changed_.notify_all();
  }
  is_appending_ = false;
  check(lock);
}

void Turns::fail(std::exception_ptr error) noexcept {
  {
    const Lock lock(mutex_);
    if (error_ == nullptr) error_ = std::move(error);
  }
  changed_.notify_all();
}

void Turns::close() {
  const Lock lock(mutex_);
  check(lock);
  if (is_closed_) throw ConfigError(formatted("{}: finished before", name_));
  if (next_turn_ < turn_count_) {
    throw ConfigError(
        formatted("{}: turn {} is missing: turn {} was written, and none may be left "
                  "out; skip() those without sequences",
                  name_, next_turn_, turn_count_ - 1));
  }
  is_closed_ = true;
}

std::int64_t Turns::waiting_bytes() const {
  const Lock lock(mutex_);
  return waiting_bytes_;
}

}  // namespace sheaf::internal
