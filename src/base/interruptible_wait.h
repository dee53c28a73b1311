// Waits that can be interrupted.

#pragma once

#include <condition_variable>
#include <mutex>

#include "sheaf/extend/interruption.h"

namespace sheaf::internal {

/// Calls check_interruption() without holding the lock.
///
/// Pre:    `lock` is held. It is held again afterwards, also after an exception.
/// Throws: the exceptions of check_interruption().
inline void check_interruption_unlocked(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  try {
    check_interruption();
  } catch (...) {
    lock.lock();
    throw;
  }
  lock.lock();
}

/// Waits until is_done() is true. Calls check_interruption() before the first wait, and then every
/// Interruption::kPeriod. So many short waits in succession check as often as one long wait.
///
/// Pre:    `lock` is held. It is held again afterwards, also after an exception.
/// Throws: the exceptions of check_interruption().
template <typename Done>
void wait_interruptibly(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                        const Done& is_done) {
  if (current_interruption() == nullptr) {
    changed.wait(lock, is_done);
    return;
  }
  while (!is_done()) {
    check_interruption_unlocked(lock);
    if (changed.wait_for(lock, Interruption::kPeriod, is_done)) return;
  }
}

}  // namespace sheaf::internal
