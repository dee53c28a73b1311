#include "sequencer/step_room.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace sheaf::internal {
namespace {

thread_local std::int64_t room_bytes = 0;  // 0: no limit

}  // namespace

StepRoom::StepRoom(std::int64_t memory_limit_bytes) noexcept
    : before_(std::exchange(room_bytes, memory_limit_bytes)) {}

StepRoom::~StepRoom() { room_bytes = before_; }

std::int64_t step_room_left(std::int64_t sequence_count) noexcept {
  constexpr std::int64_t kAny = std::int64_t{1} << 62;
  if (room_bytes == 0) return kAny;
  const std::int64_t most = room_bytes / StepRoom::kBytesPerSequence;
  return std::max(most, StepRoom::kPlannedMin) - sequence_count;
}

void check_step_room(std::int64_t sequence_count) {
  if (step_room_left(sequence_count) >= 0) return;
  throw ConfigError(
      formatted("memory_limit_bytes: {} bytes are too few: this minibatch needs {} bytes or more "
                "for the keys "
                "and places of {} sequences, and may have more of them; make minibatches smaller",
                room_bytes, sequence_count * StepRoom::kBytesPerSequence, sequence_count));
}

}  // namespace sheaf::internal
