/// \file
/// Lets a program stop long calls of the library.

#pragma once

#include <chrono>

namespace sheaf {

/// Decides whether a long call goes on. The library asks now and then.
class Interruption {
 public:
  /// The library asks at least about this often while it waits or works.
  static constexpr std::chrono::milliseconds kPeriod{50};

  virtual ~Interruption() = default;

  /// Throws to stop the call. The exception propagates to the caller. Partially built state is
  /// rolled back, so the call can be repeated.
  ///
  /// Cost: the library asks far more often than each kPeriod; look at a clock before doing more.
  virtual void check() = 0;
};

/// Makes the calls of this thread interruptible while the scope lives: opening data, building an
/// index, waiting for a minibatch.
///
/// Lifetime: `interruption` must outlive the scope. Scopes of a thread end in the reverse order.
class InterruptionScope {
 public:
  explicit InterruptionScope(Interruption& interruption) noexcept;
  InterruptionScope(const InterruptionScope&) = delete;
  InterruptionScope& operator=(const InterruptionScope&) = delete;
  ~InterruptionScope();

 private:
  Interruption* before_;
};

/// Returns the Interruption of the innermost scope of this thread; null where there is none.
[[nodiscard]] Interruption* current_interruption() noexcept;

/// Asks the Interruption of the innermost scope of this thread, if any.
///
/// Throws: any exception of the Interruption.
void check_interruption();

}  // namespace sheaf
