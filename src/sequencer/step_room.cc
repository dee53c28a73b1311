#include <algorithm>

#include "sheaf/error.h"
#include "sheaf/extend/sequencer.h"

#include "base/text.h"

namespace sheaf {

std::int64_t StepRoom::left(std::int64_t sequence_count) const noexcept {
  constexpr std::int64_t kAny = std::int64_t{1} << 62;
  if (memory_limit_bytes_ == 0) return kAny;
  return std::max(memory_limit_bytes_ / kBytesPerSequence, kPlannedMin) - sequence_count;
}

void StepRoom::check(std::int64_t sequence_count) const {
  if (left(sequence_count) >= 0) return;
  throw ConfigError(
      formatted("memory_limit_bytes: {} bytes are too few: this minibatch needs {} bytes or more "
                "for the keys and places of {} sequences, and may have more of them; make "
                "minibatches smaller",
                memory_limit_bytes_, sequence_count * kBytesPerSequence, sequence_count));
}

}  // namespace sheaf
