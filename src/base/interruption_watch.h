// Tells code that keeps state about interruptions.

#pragma once

#include <cstdint>

#include "sheaf/extend/interruption.h"

namespace sheaf::internal {

/// Returns how often check_interruption() threw on this thread.
[[nodiscard]] std::int64_t interruption_count() noexcept;

/// Tells whether an interruption caused an exception. Code that keeps exceptions to throw them
/// again later must not keep interruptions, since the next call has to start over.
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
  /// Returns whether check_interruption() threw on this thread since the watch was made.
  [[nodiscard]] bool was_interrupted() const noexcept { return interruption_count() != before_; }

 private:
  const std::int64_t before_ = interruption_count();
};

/// Prevents interruptions of this thread during its lifetime, for short work that cannot be undone.
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
