/// \file
/// Tasks in parallel, their results in order.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>

#include "sheaf/extend/executor.h"

namespace sheaf::cli {

/// What runs on a thread of the executor; what it returns is called on the caller's thread.
using WindowTask = std::function<std::function<void()>()>;

/// Tasks under way, in the order in which they were submitted. The destructor waits for those that
/// have begun, and lets the others be.
///
/// Threads: one calls everything.
class TaskWindow {
 public:
  /// Lifetime: `executor` must outlive it.
  explicit TaskWindow(Executor& executor) : executor_(executor) {}
  TaskWindow(const TaskWindow&) = delete;
  TaskWindow& operator=(const TaskWindow&) = delete;
  ~TaskWindow();

  /// Tasks that were submitted and not taken.
  [[nodiscard]] std::size_t size() const noexcept { return slots_.size(); }

  void submit(WindowTask task);

  /// Wait for the first one and call what it returned.
  ///
  /// Pre:    size() > 0.
  /// Throws: what the task threw, or what it returned does; no other is taken then.
  void take();

 private:
  struct Slot {
    WindowTask task;
    std::function<void()> result;
    std::exception_ptr error;
    bool is_done = false;
  };

  void run(Slot& slot) noexcept;

  Executor& executor_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Slot> slots_;  // the caller's thread alone adds and removes; places stay
  std::int64_t tasks_ = 0;
  bool is_stopped_ = false;
};

}  // namespace sheaf::cli
