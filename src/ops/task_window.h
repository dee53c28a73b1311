// Tasks in parallel, their results in order.

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

/// Runs on a thread of the executor. The caller's thread calls what the task returned.
using WindowTask = std::function<std::function<void()>()>;

/// Tasks under way, in the order in which they were submitted. The destructor waits for tasks that
/// have begun, and lets the others be. A task that has begun and asks check_interruption() is told
/// to stop then.
///
/// Threads: one calls everything.
class TaskWindow {
 public:
  /// Lifetime: `executor` must outlive the window.
  explicit TaskWindow(Executor& executor) : executor_(executor) {}
  TaskWindow(const TaskWindow&) = delete;
  TaskWindow& operator=(const TaskWindow&) = delete;
  ~TaskWindow();

  /// Returns how many tasks were submitted and not taken.
  [[nodiscard]] std::size_t size() const noexcept { return slots_.size(); }

  void submit(WindowTask task);

  /// Waits for the first task and calls what the task returned.
  ///
  /// Pre:    size() > 0.
  /// Throws: what the task threw, or what its result throws; what check_interruption() throws. No
  ///         other task is taken then.
  void take();

 private:
  class Stop;

  struct Slot {
    WindowTask task;
    std::function<void()> result;
    std::exception_ptr error;
    bool is_done = false;
  };

  void run(Slot& slot) noexcept;
  [[nodiscard]] bool is_stopped();

  Executor& executor_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Slot> slots_;  // the caller's thread alone adds and removes; places stay
  std::int64_t tasks_ = 0;
  bool is_stopped_ = false;
};

}  // namespace sheaf::internal
