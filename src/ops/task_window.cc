#include "ops/task_window.h"

#include <utility>

#include "sheaf/extend/interruption.h"

#include "base/interruptible_wait.h"

namespace sheaf::internal {
namespace {

/// Thrown inside a task to stop it.
struct Stopped {};

}  // namespace

/// Interrupts the tasks of a window during its destruction.
class TaskWindow::Stop final : public Interruption {
 public:
  explicit Stop(TaskWindow& window) : window_(window) {}

  void check() override {
    if (window_.is_stopped()) throw Stopped();
  }

 private:
  TaskWindow& window_;
};

TaskWindow::~TaskWindow() {
  std::unique_lock lock(mutex_);
  is_stopped_ = true;
  changed_.wait(lock, [this] { return tasks_ == 0; });
}

bool TaskWindow::is_stopped() {
  const std::lock_guard lock(mutex_);
  return is_stopped_;
}

void TaskWindow::submit(WindowTask task) {
  Task& entry = entries_.emplace_back();
  entry.task = std::move(task);
  {
    const std::lock_guard lock(mutex_);
    ++tasks_;
  }
  try {
    executor_.submit([this, &entry] { run(entry); });
  } catch (...) {
    const std::lock_guard lock(mutex_);
    --tasks_;
    throw;
  }
}

void TaskWindow::take() {
  Task& entry = entries_.front();
  {
    std::unique_lock lock(mutex_);
    wait_interruptibly(changed_, lock, [&entry] { return entry.is_done; });
  }
  if (entry.error) std::rethrow_exception(entry.error);
  entry.result();
  entries_.pop_front();
}

void TaskWindow::run(Task& entry) noexcept {
  if (!is_stopped()) {
    Stop stop(*this);
    const InterruptionScope scope(stop);
    try {
      entry.result = entry.task();
    } catch (...) {
      entry.error = std::current_exception();
    }
  }
  entry.task = nullptr;  // frees everything that the task holds
  const std::lock_guard lock(mutex_);
  entry.is_done = true;
  --tasks_;
  changed_.notify_all();
}

}  // namespace sheaf::internal
