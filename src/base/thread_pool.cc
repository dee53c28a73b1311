#include <algorithm>
#include <cassert>
#include <cerrno>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <sched.h>

#include "sheaf/extend/executor.h"

namespace sheaf {
namespace {

/// A queue and some threads. A thread ends when the queue is closed and empty. A task submitted by
/// one of the last tasks still runs, since the thread that runs the submitter checks the queue
/// again.
class ThreadPool final : public Executor {
 public:
  explicit ThreadPool(int thread_count) {
    assert(thread_count >= 1);
    threads_.reserve(static_cast<std::size_t>(thread_count));
    try {
      for (int i = 0; i < thread_count; ++i) threads_.emplace_back([this] { work(); });
    } catch (...) {  // no more threads: end the running ones before their queue
      finish();
      throw;
    }
  }

  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() override { finish(); }

  void submit(std::function<void()> task) override {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }

  [[nodiscard]] int thread_count() const noexcept override {
    return static_cast<int>(threads_.size());
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return closed_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      {
        const std::function<void()> task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        task();
      }  // releases the captures of the task without the lock
      lock.lock();
    }
  }

  void finish() noexcept {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<Executor> thread_pool(int thread_count) {
  return std::make_unique<ThreadPool>(thread_count);
}

int available_processors() noexcept {
  // The set must be as large as the kernel's. Only trying tells the size.
  for (std::size_t capacity = 1024; capacity <= (std::size_t{1} << 20); capacity *= 2) {
    cpu_set_t* const set = CPU_ALLOC(capacity);
    if (set == nullptr) break;
    const std::size_t size_bytes = CPU_ALLOC_SIZE(capacity);
    const int status = sched_getaffinity(0, size_bytes, set);
    const bool too_small = status != 0 && errno == EINVAL;
    const int count = status == 0 ? CPU_COUNT_S(size_bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0) return count;
    if (!too_small) break;
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace sheaf
