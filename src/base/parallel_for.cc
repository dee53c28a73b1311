#include "base/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>

namespace sheaf {
namespace {

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

  void run() noexcept {
    for (std::int64_t i = next++; i < count; i = next++) {
      try {
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

  void leave() noexcept {
    const std::scoped_lock lock(mutex);
    if (--running == 0) left.notify_all();
  }
};

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
          loop.run();
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
    loop.left.wait(lock, [&loop] { return loop.running == 0; });
  }
  if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace sheaf
