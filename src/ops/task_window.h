// Runs tasks in parallel and takes their results in order.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>

#include "sheaf/extend/executor.h"

namespace sheaf::internal {

/// A task runs on a thread of the executor. It returns a function that the caller's thread calls.
using WindowTask = std::function<std::function<void()>()>;

/// Tasks in progress, in the order of submission. The destructor skips tasks that have not begun
/// and waits for the others. A waiting destructor stops tasks at their next call of
/// check_interruption().
///
/// Threads: one thread makes all calls.
class TaskWindow {
 public:
  /// Lifetime: `executor` must outlive the window.
  explicit TaskWindow(Executor& executor) : executor_(executor) {}
  TaskWindow(const TaskWindow&) = delete;
  TaskWindow& operator=(const TaskWindow&) = delete;
  ~TaskWindow();

  /// Returns how many submitted tasks have not been taken yet.
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  void submit(WindowTask task);

  /// Waits for the oldest task and calls the function that the task returned.
  ///
  /// Pre:    size() > 0.
  /// Throws: any exception of the task, of its function, or of check_interruption(). Takes no other
  ///         task in this case.
  void take();

 private:
  class Stop;

  struct Task {
    WindowTask task;
    std::function<void()> result;
    std::exception_ptr error;
    bool is_done = false;
  };

  void run(Task& entry) noexcept;
  [[nodiscard]] bool is_stopped();

  Executor& executor_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> entries_;  // changed by the caller's thread only; addresses stay valid
  std::int64_t tasks_ = 0;
  bool is_stopped_ = false;
};

}  // namespace sheaf::internal
