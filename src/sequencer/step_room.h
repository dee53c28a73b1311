// How many sequences a step may have.

#pragma once

#include <cstdint>

#include "sheaf/error.h"

namespace sheaf::internal {

/// An order, or a step of it, takes more memory than there is. It is told by the call that would
/// have delivered the step.
class TooLittleMemory : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

/// While it lives, steps that are planned on this thread may have so many sequences as there is
/// memory for. A plan would else be the first thing that there is no memory for: its sequencer
/// knows of no limit, and minibatches may be asked for that have all data in them, and those of
/// many sweeps.
class StepRoom {
 public:
  /// What a sequence takes in a minibatch at the least: its plan, its key and its places.
  static constexpr std::int64_t kBytesPerSequence = 96;

  /// So many sequences are always planned: what they take is then known to the byte.
  static constexpr std::int64_t kPlannedMin = 65'536;

  /// 0: no limit.
  explicit StepRoom(std::int64_t memory_limit_bytes) noexcept;
  StepRoom(const StepRoom&) = delete;
  StepRoom& operator=(const StepRoom&) = delete;
  ~StepRoom();

 private:
  std::int64_t before_;
};

/// Throws: TooLittleMemory where that is more sequences than a step may have.
void check_step_room(std::int64_t sequence_count);

/// How many more it may have.
[[nodiscard]] std::int64_t step_room_left(std::int64_t sequence_count) noexcept;

}  // namespace sheaf::internal
