/// \file
/// First fit, for the layout `packed`.

#pragma once

#include <cstdint>
#include <vector>

namespace sheaf::internal {

/// Assigns each sequence to the first slot with enough room after its last sequence, or to a new
/// slot.
///
/// Cost: add() takes logarithmic time in the number of slots, amortised.
class FirstFit {
 public:
  /// Where a sequence begins.
  struct Start {
    std::int64_t slot = 0;
    std::int64_t begin = 0;  // the step of the first sample

    friend bool operator==(const Start&, const Start&) = default;
  };

  /// Pre: step_count >= 0.
  explicit FirstFit(std::int64_t step_count);

  /// Pre: 0 < length <= step_count.
  Start add(std::int64_t length);

  [[nodiscard]] std::int64_t slot_count() const noexcept { return slot_count_; }

 private:
  void grow();

  std::int64_t step_count_;
  std::int64_t slot_count_ = 0;
  std::int64_t leaf_count_ = 1;     // a power of two
  std::vector<std::int64_t> room_;  // the tree; see first_fit.cc
};

}  // namespace sheaf::internal
