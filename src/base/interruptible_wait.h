// Waiting that can be given up.

#pragma once

#include <condition_variable>
#include <mutex>

#include "sheaf/interruption.h"

namespace sheaf::internal {

/// Wait until is_done() is true, asking meanwhile, without the lock, whether to go on.
///
/// Pre:    `lock` is held.
/// Throws: what check_interruption() does; the lock is then held, as it is afterwards.
template <typename Done>
void wait_interruptibly(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                        const Done& is_done) {
  if (current_interruption() == nullptr) {
    changed.wait(lock, is_done);
    return;
  }
  while (!changed.wait_for(lock, Interruption::kPeriod, is_done)) {
    lock.unlock();
    try {
      check_interruption();
    } catch (...) {
      lock.lock();
      throw;
    }
    lock.lock();
  }
}

}  // namespace sheaf::internal
