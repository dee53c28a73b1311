#include "sheaf/extend/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "sheaf/extend/interruption.h"

#include "base/interruptible_wait.h"

namespace sheaf {
namespace {

/// Thrown by a running round when the loop is given up.
struct GivenUp {};

/// The state that the threads of a loop share. A task that runs after the end of the loop finds no
/// round left, and does not touch `body`, which no longer exists then.
struct Loop {
  Loop(std::int64_t rounds, const std::function<void(std::int64_t)>& what)
      : count(rounds), body(what) {}

  const std::int64_t count;
  const std::function<void(std::int64_t)>& body;
  std::atomic<std::int64_t> next = 0;
  std::mutex mutex;
  std::condition_variable left;
  std::int64_t running = 0;  // threads within run(); under the mutex, as the members below
  std::int64_t failed = std::numeric_limits<std::int64_t>::max();  // first round that threw
  std::exception_ptr error;
  std::atomic<bool> is_given_up = false;

  void run() noexcept {
    {
      const std::scoped_lock lock(mutex);
      if (next >= count) return;
      ++running;
    }
    for (std::int64_t i = next++; i < count; i = next++) {
      try {
        check_interruption();
        body(i);
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (i < failed) {
          failed = i;
          error = std::current_exception();
        }
        next = count;  // rounds already taken go on; they come before all others
      }
    }
    const std::scoped_lock lock(mutex);
    if (--running == 0) left.notify_all();
  }

  // Ends the loop with the caller's interruption as the error, whatever the rounds throw.
  void give_up() noexcept {
    const std::scoped_lock lock(mutex);
    failed = -1;
    error = std::current_exception();
    next = count;
    is_given_up = true;
  }

  /// Returns the exception of the first round that threw. Does not keep it, so that a late task
  /// does not destroy it.
  [[nodiscard]] std::exception_ptr wait() {
    std::unique_lock lock(mutex);
    const auto all_left = [this] { return running == 0; };
    try {
      internal::wait_interruptibly(left, lock, all_left);
    } catch (...) {
      lock.unlock();
      give_up();
      lock.lock();
      left.wait(lock, all_left);
    }
    return std::exchange(error, nullptr);
  }
};

/// Interrupts the rounds of a loop on other threads when the loop is given up.
class LoopInterruption final : public Interruption {
 public:
  explicit LoopInterruption(const Loop& loop) : loop_(loop) {}

  void check() override {
    if (loop_.is_given_up) throw GivenUp();
  }

 private:
  const Loop& loop_;
};

/// Forwards to the interruption of the caller's thread. If that throws, gives up the loop.
class CallerInterruption final : public Interruption {
 public:
  CallerInterruption(Loop& loop, Interruption* asked) : loop_(loop), asked_(asked) {}

  void check() override {
    if (asked_ == nullptr) return;
    try {
      asked_->check();
    } catch (...) {
      loop_.give_up();
      throw;
    }
  }

 private:
  Loop& loop_;
  Interruption* asked_;
};

void run_as_task(Loop& loop) noexcept {
  LoopInterruption interruption(loop);
  const InterruptionScope scope(interruption);
  loop.run();
}

}  // namespace

void parallel_for(Executor* executor, std::int64_t count,
                  const std::function<void(std::int64_t)>& body) {
  const auto loop = std::make_shared<Loop>(count, body);
  const std::int64_t threads = executor == nullptr ? 1 : executor->thread_count();
  try {
    for (std::int64_t i = 1; i < std::min(count, threads); ++i) {
      executor->submit([loop] { run_as_task(*loop); });
    }
  } catch (...) {  // then there are fewer threads
  }
  {
    CallerInterruption interruption(*loop, current_interruption());
    const InterruptionScope scope(interruption);
    loop->run();
  }
  if (std::exception_ptr error = loop->wait()) std::rethrow_exception(std::move(error));
}

}  // namespace sheaf
