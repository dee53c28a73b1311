#include "reader/deliver/delivery.h"

#include <utility>

namespace sheaf::internal {

Delivery::Delivery(Position start, std::int64_t errors_max, ErrorAccount::Describe describe,
                   Ledger::Token errors_memory)
    : position_(std::move(start)),
      errors_(errors_max, std::move(describe), std::move(errors_memory)) {}

void Delivery::take(WorkItem item) {
  front_ = std::move(item);
  delivered_ = 0;
}

Minibatch Delivery::next() {
  Packed& packed = front_.packed[delivered_];
  ++delivered_;
  errors_.add(packed.errors);
  Minibatch minibatch = std::move(packed.minibatch);
  position_ = minibatch.position;
  ++stats_.minibatches;
  stats_.sequences += minibatch.sequence_count();
  stats_.samples += minibatch.sample_count();
  stats_.sample_places += minibatch.row_count();
  stats_.holes += minibatch.hole_count;
  return minibatch;
}

ReaderStats Delivery::stats() const {
  ReaderStats stats = stats_;
  stats.error_count = errors_.error_count();
  return stats;
}

}  // namespace sheaf::internal
