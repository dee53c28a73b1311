/// \file
/// Lets a program stop long calls of the library.

#pragma once

#include <chrono>

namespace sheaf {

/// Decides whether a long call continues. The library asks from time to time.
class Interruption {
 public:
  /// The period in which the library asks at least once while it waits or works, roughly.
  static constexpr std::chrono::milliseconds kPeriod{50};

  virtual ~Interruption() = default;

  /// Throws to stop the call. The exception propagates to the caller. Partially built state is
  /// rolled back, so the call can be repeated.
  ///
  /// Cost: the library asks far more often than every kPeriod, so check a clock before doing
  ///       expensive work.
  virtual void check() = 0;
};

/// Makes the calls of this thread interruptible while the scope lives: opening data, building an
/// index, waiting for a minibatch.
///
/// Lifetime: `interruption` must outlive the scope. The scopes of a thread must end in reverse
///           order.
class InterruptionScope {
 public:
  explicit InterruptionScope(Interruption& interruption) noexcept;
  InterruptionScope(const InterruptionScope&) = delete;
  InterruptionScope& operator=(const InterruptionScope&) = delete;
  ~InterruptionScope();

 private:
  Interruption* before_;
};

/// Returns the Interruption of the innermost scope of this thread. Returns null if there is none.
[[nodiscard]] Interruption* current_interruption() noexcept;

/// Asks the Interruption of the innermost scope of this thread, if any.
///
/// Throws: any exception of the Interruption.
void check_interruption();

}  // namespace sheaf
