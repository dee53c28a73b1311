#include "index/repeated_keys.h"

#include <utility>

namespace sheaf::internal {

RepeatedKeys::RepeatedKeys(std::int64_t memory_limit_bytes, KeyCheck::Earlier earlier)
    : check_(std::make_unique<KeyCheck>(memory_limit_bytes, std::move(earlier))) {}

std::optional<RepeatedKeys::Repeated> RepeatedKeys::add(const SequenceTable& sequences) {
  const std::int64_t chunk = chunk_count_++;
  if (check_ == nullptr) return Repeated();
  std::optional<Repeated> repeated = check_->add(sequences);
  if (!repeated && !first_late_) first_late_ = chunk;
  return repeated;
}

std::vector<RepeatedKeys::Repeated> RepeatedKeys::finish() {
  std::vector<Repeated> late;
  if (first_late_) late = check_->finish();
  check_.reset();
  return late;
}

std::int64_t RepeatedKeys::memory_bytes() const noexcept {
  return check_ == nullptr ? 0 : check_->memory_bytes();
}

}  // namespace sheaf::internal
