/// \file
/// Executors that count tasks, refuse tasks, or wait for the test.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "sheaf/extend/executor.h"

namespace sheaf::testing {

/// Threads that count their tasks. After a given number of tasks, submit() fails as if memory ran
/// out.
class CountingExecutor final : public Executor {
 public:
  explicit CountingExecutor(int threads,
                            std::int64_t accepted = std::numeric_limits<std::int64_t>::max())
      : accepted_(accepted), threads_(thread_pool(threads)) {}

  void submit(std::function<void()> task) override {
    if (submitted == accepted_) throw std::bad_alloc();
    ++submitted;
    threads_->submit(std::move(task));
  }
  [[nodiscard]] int thread_count() const noexcept override { return threads_->thread_count(); }

  std::atomic<std::int64_t> submitted = 0;

 private:
  const std::int64_t accepted_;
  const std::unique_ptr<Executor> threads_;
};

/// Keeps its tasks until the test runs them on its own thread. Accepts a limited number of tasks.
class ManualExecutor final : public Executor {
 public:
  explicit ManualExecutor(std::int64_t accepted = std::numeric_limits<std::int64_t>::max(),
                          int threads = 1)
      : accepted_(accepted), threads_(threads) {}

  void submit(std::function<void()> task) override {
    const std::lock_guard lock(mutex_);
    if (--accepted_ < 0) throw std::bad_alloc();
    tasks_.push_back(std::move(task));
  }
  [[nodiscard]] int thread_count() const noexcept override { return threads_; }

  [[nodiscard]] std::size_t task_count() const {
    const std::lock_guard lock(mutex_);
    return tasks_.size();
  }

  /// Runs the newest task. Returns false if there is none.
  bool run_one() {
    std::function<void()> task;
    {
      const std::lock_guard lock(mutex_);
      if (tasks_.empty()) return false;
      task = std::move(tasks_.back());
      tasks_.pop_back();
    }
    task();
    return true;
  }

 private:
  mutable std::mutex mutex_;
  std::int64_t accepted_;
  const int threads_;
  std::vector<std::function<void()>> tasks_;
};

}  // namespace sheaf::testing
