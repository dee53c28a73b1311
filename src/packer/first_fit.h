/// \file
/// First fit: where sequences go in the packed layout.

#pragma once

#include <cstdint>
#include <vector>

namespace sheaf::internal {

/// Gives each sequence the first slot with enough room behind what is there, or a new one.
///
/// Cost: add() takes time in the logarithm of the slots, on average over many.
class FirstFit {
 public:
  struct Place {
    std::int64_t slot = 0;
    std::int64_t begin = 0;  // the step of the first sample

    friend bool operator==(const Place&, const Place&) = default;
  };

  /// Pre: step_count >= 0.
  explicit FirstFit(std::int64_t step_count);

  /// Pre: 0 < length <= step_count.
  Place add(std::int64_t length);

  [[nodiscard]] std::int64_t slot_count() const noexcept { return slot_count_; }

 private:
  void grow();

  std::int64_t step_count_;
  std::int64_t slot_count_ = 0;
  std::int64_t leaf_count_ = 1;     // a power of two
  std::vector<std::int64_t> room_;  // the tree; see first_fit.cc
};

}  // namespace sheaf::internal
