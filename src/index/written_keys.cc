#include "index/written_keys.h"

#include <cstddef>
#include <utility>

namespace sheaf::internal {

WrittenKeys::WrittenKeys(std::int64_t memory_limit_bytes, std::int64_t chunk_size)
    : chunk_size_(chunk_size), check_(memory_limit_bytes, [this](std::int64_t chunk) {
        return tables_[static_cast<std::size_t>(chunk)];
      }) {}

std::optional<WrittenKeys::Repeated> WrittenKeys::add(std::span<const SequenceKey> keys) {
  for (const SequenceKey& key : keys) {
    is_rising_ =
        is_rising_ && (!last_ || std::pair(last_->high, last_->low) < std::pair(key.high, key.low));
    last_ = key;
    builder_.push_back({.key = key});
    if (builder_.size() < chunk_size_) continue;
    if (std::optional<Repeated> repeated = check()) return repeated;
  }
  return {};
}

std::optional<WrittenKeys::Repeated> WrittenKeys::check() {
  const auto table = std::make_shared<const SequenceTable>(builder_.finish());
  const std::optional<KeyCheck::Repeated> repeated = check_.add(*table);
  const std::int64_t first = checked_count_;
  checked_count_ += table->size();
  // KeyCheck asks for earlier tables only once, when keys stop rising.
  if (is_rising_) {
    tables_.push_back(table);
  } else {
    tables_.clear();
  }
  if (!repeated) return {};
  answered_count_ = checked_count_;
  if (repeated->empty()) return {};
  const std::int64_t number = repeated->front();
  return Repeated{.sequence = first + number, .key = table->key(number)};
}

std::optional<WrittenKeys::Repeated> WrittenKeys::finish() {
  if (builder_.size() > 0) {
    if (std::optional<Repeated> repeated = check()) return repeated;
  }
  // The chunks without an answer follow the last answered chunk. All but the last have the same
  // size.
  std::int64_t first = answered_count_;
  for (const KeyCheck::Repeated& repeated : check_.finish()) {
    if (!repeated.empty()) return Repeated{.sequence = first + repeated.front()};
    first += chunk_size_;
  }
  return {};
}

}  // namespace sheaf::internal
