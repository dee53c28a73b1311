/// \file
/// How a wish to stop reaches work that takes long.

#pragma once

#include <chrono>

namespace sheaf {

/// Asked now and then, while a call takes long, whether to go on.
class Interruption {
 public:
  /// How often it is asked at least, about, wherever the library waits or works for long.
  static constexpr std::chrono::milliseconds kPeriod{50};

  virtual ~Interruption() = default;

  /// Throw to give up what this thread is doing: what called the library gets the exception, and
  /// whatever was being made is left as it was before, to be asked for again.
  ///
  /// Cost: asked far more often than each kPeriod; look at a clock before doing more.
  virtual void check() = 0;
};

/// While it lives, what this thread does can be interrupted: opening data, the first look at an
/// index, waiting for a minibatch.
///
/// Lifetime: `interruption` must outlive it. Scopes of a thread end in the reverse order.
class InterruptionScope {
 public:
  explicit InterruptionScope(Interruption& interruption) noexcept;
  InterruptionScope(const InterruptionScope&) = delete;
  InterruptionScope& operator=(const InterruptionScope&) = delete;
  ~InterruptionScope();

 private:
  Interruption* before_;
};

/// Whom to ask on this thread: the Interruption of the innermost scope; null where there is none.
[[nodiscard]] Interruption* current_interruption() noexcept;

/// Ask.
///
/// Throws: what the Interruption of the innermost scope does; nothing where there is none.
void check_interruption();

}  // namespace sheaf
