#include "waiting.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace sheaf::python {
namespace {

constexpr std::chrono::milliseconds kSignalsEvery{100};

// What a signal's handler raised.
std::exception_ptr signal_error() {
  const nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() == 0) return nullptr;
  return std::make_exception_ptr(nb::python_error());
}

}  // namespace

void run_tasks(Executor& executor, int count, const std::function<void()>& task,
               const std::function<void(std::exception_ptr)>& stop) {
  std::mutex mutex;
  std::condition_variable changed;
  std::exception_ptr first;
  int running = count;
  const auto fail = [&](const std::exception_ptr& error) {  // the mutex is held
    if (first) return;
    first = error;
    stop(error);
  };
  for (int i = 0; i < count; ++i) {
    executor.submit([&] {
      std::exception_ptr error;
      try {
        task();
      } catch (...) {
        error = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      if (error) fail(error);
      --running;
      changed.notify_all();
    });
  }
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, kSignalsEvery, [&] { return running == 0; })) {
    if (first) continue;
    lock.unlock();
    const std::exception_ptr error = signal_error();
    lock.lock();
    if (error) fail(error);
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace sheaf::python
