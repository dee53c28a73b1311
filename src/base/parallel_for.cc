#include "base/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>

#include "sheaf/interruption.h"

#include "base/interruptible_wait.h"

namespace sheaf {
namespace {

/// What a round that is under way throws when the loop is given up.
struct GivenUp {};

/// What the tasks of one loop share; lives on the caller's stack until the last has left.
struct Loop {
  std::int64_t count;
  const std::function<void(std::int64_t)>& body;
  std::atomic<std::int64_t> next = 0;
  std::mutex mutex = {};
  std::condition_variable left = {};
  std::int64_t running = 0;  // tasks; under the mutex, as the rest
  std::int64_t failed = std::numeric_limits<std::int64_t>::max();  // the first round that threw
  std::exception_ptr error = {};
  std::atomic<bool> is_given_up = false;

  void run() noexcept {
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
        next = count;  // rounds taken before go on; none of them is before one not yet taken
      }
    }
  }

  // The caller is interrupted: that is the error then, whatever rounds throw.
  void give_up() noexcept {
    const std::scoped_lock lock(mutex);
    failed = -1;
    error = std::current_exception();
    next = count;
    is_given_up = true;
  }

  void leave() noexcept {
    const std::scoped_lock lock(mutex);
    if (--running == 0) left.notify_all();
  }
};

/// Interrupts the rounds of a loop on other threads, once it is given up.
class LoopInterruption final : public Interruption {
 public:
  explicit LoopInterruption(const Loop& loop) : loop_(loop) {}

  void check() override {
    if (loop_.is_given_up) throw GivenUp();
  }

 private:
  const Loop& loop_;
};

void run_as_task(Loop& loop) noexcept {
  LoopInterruption interruption(loop);
  const InterruptionScope scope(interruption);
  loop.run();
}

}  // namespace

void parallel_for(Executor* executor, std::int64_t count,
                  const std::function<void(std::int64_t)>& body) {
  Loop loop{.count = count, .body = body};
  if (executor == nullptr || count < 2) {
    loop.run();
  } else {
    const std::int64_t tasks = std::min<std::int64_t>(count, executor->thread_count());
    std::unique_lock lock(loop.mutex);
    for (std::int64_t i = 0; i < tasks; ++i) {
      try {
        ++loop.running;
        lock.unlock();
        executor->submit([&loop] {
          run_as_task(loop);
          loop.leave();
        });
        lock.lock();
      } catch (...) {
        lock.lock();
        --loop.running;
        if (!loop.error) loop.error = std::current_exception();
        break;
      }
    }
    const auto all_left = [&loop] { return loop.running == 0; };
    try {
      internal::wait_interruptibly(loop.left, lock, all_left);
    } catch (...) {
      lock.unlock();
      loop.give_up();
      lock.lock();
      loop.left.wait(lock, all_left);
    }
  }
  if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace sheaf
