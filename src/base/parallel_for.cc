#include "base/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>

namespace sheaf {
namespace {

/// What the threads of one loop share. A task that runs when the loop is over finds no round left,
/// and does not look at the body, which is gone by then.
struct Loop {
  Loop(std::int64_t rounds, const std::function<void(std::int64_t)>& what)
      : count(rounds), body(what) {}

  const std::int64_t count;
  const std::function<void(std::int64_t)>& body;
  std::atomic<std::int64_t> next = 0;
  std::mutex mutex;
  std::condition_variable left;
  std::int64_t running = 0;  // threads within run(); under the mutex, as the rest
  std::int64_t failed = std::numeric_limits<std::int64_t>::max();  // the first round that threw
  std::exception_ptr error;

  void run() noexcept {
    {
      const std::scoped_lock lock(mutex);
      if (next >= count) return;
      ++running;
    }
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
    const std::scoped_lock lock(mutex);
    if (--running == 0) left.notify_all();
  }
};

}  // namespace

void parallel_for(Executor* executor, std::int64_t count,
                  const std::function<void(std::int64_t)>& body) {
  const auto loop = std::make_shared<Loop>(count, body);
  const std::int64_t threads = executor == nullptr ? 1 : executor->thread_count();
  try {
    for (std::int64_t i = 1; i < std::min(count, threads); ++i) {
      executor->submit([loop] { loop->run(); });
    }
  } catch (...) {  // fewer threads, then
  }
  loop->run();
  std::unique_lock lock(loop->mutex);
  loop->left.wait(lock, [&loop] { return loop->running == 0; });
  if (loop->error) std::rethrow_exception(loop->error);
}

}  // namespace sheaf
