// Waiting that can be given up.

#pragma once

#include <condition_variable>
#include <mutex>

#include "sheaf/extend/interruption.h"

namespace sheaf::internal {

/// Asks check_interruption() without the lock.
///
/// Pre:    `lock` is held, and is held again afterwards, also after an exception.
/// Throws: what check_interruption() throws.
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

/// Waits until is_done() is true. Asks check_interruption() before the first wait, and then every
/// Interruption::kPeriod: many short waits in a row are asked as often as one long wait.
///
/// Pre:    `lock` is held, and is held again afterwards, also after an exception.
/// Throws: what check_interruption() throws.
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
