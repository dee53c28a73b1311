#include "task_window.h"

#include <utility>

namespace sheaf::cli {

TaskWindow::~TaskWindow() {
  std::unique_lock lock(mutex_);
  is_stopped_ = true;
  changed_.wait(lock, [this] { return tasks_ == 0; });
}

void TaskWindow::submit(WindowTask task) {
  Slot& slot = slots_.emplace_back();
  slot.task = std::move(task);
  {
    const std::lock_guard lock(mutex_);
    ++tasks_;
  }
  try {
    executor_.submit([this, &slot] { run(slot); });
  } catch (...) {
    const std::lock_guard lock(mutex_);
    --tasks_;
    throw;
  }
}

void TaskWindow::take() {
  Slot& slot = slots_.front();
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&slot] { return slot.is_done; });
  }
  if (slot.error) std::rethrow_exception(slot.error);
  slot.result();
  slots_.pop_front();
}

void TaskWindow::run(Slot& slot) noexcept {
  bool is_stopped = false;
  {
    const std::lock_guard lock(mutex_);
    is_stopped = is_stopped_;
  }
  if (!is_stopped) {
    try {
      slot.result = slot.task();
    } catch (...) {
      slot.error = std::current_exception();
    }
  }
  slot.task = nullptr;  // what it holds is not needed any more
  const std::lock_guard lock(mutex_);
  slot.is_done = true;
  --tasks_;
  changed_.notify_all();
}

}  // namespace sheaf::cli
