// What code that keeps state needs to know about interruptions.

#pragma once

#include <cstdint>

#include "sheaf/extend/interruption.h"

namespace sheaf::internal {

/// Returns how often check_interruption() threw on this thread.
[[nodiscard]] std::int64_t interruption_count() noexcept;

/// Tells whether an interruption is the reason for an exception. Code that keeps exceptions, to
/// throw them again later, must not keep one of those: the next call is to start over.
///
///     const InterruptionWatch watch;
///     try {
///       ...
///     } catch (...) {
///       if (!watch.was_interrupted()) error_ = std::current_exception();
///       throw;
///     }
class InterruptionWatch {
 public:
  /// Whether check_interruption() threw on this thread since the watch was made.
  [[nodiscard]] bool was_interrupted() const noexcept { return interruption_count() != before_; }

 private:
  const std::int64_t before_ = interruption_count();
};

/// While it lives, nothing interrupts this thread: for short work that cannot be undone.
class InterruptionPause {
 public:
  InterruptionPause() noexcept;
  InterruptionPause(const InterruptionPause&) = delete;
  InterruptionPause& operator=(const InterruptionPause&) = delete;
  ~InterruptionPause();

 private:
  Interruption* const before_;
};

}  // namespace sheaf::internal
