/// \file
/// Where work runs.

#pragma once

#include <functional>
#include <memory>

namespace sheaf {

/// Runs tasks on threads. The library starts no thread but those of thread_pool(); hand in an
/// executor of your own to share threads between readers, or with the rest of the program.
///
/// Threads: all calls are safe from any number of threads, tasks included.
class Executor {
 public:
  virtual ~Executor() = default;

  /// Run `task` soon, but not within this call. Tasks do not throw and do not wait for one another.
  virtual void submit(std::function<void()> task) = 0;

  /// How many tasks can run at once; at least 1.
  [[nodiscard]] virtual int thread_count() const noexcept = 0;
};

/// Threads that take tasks in the order of submission. The destructor finishes all tasks.
///
/// Pre: thread_count >= 1.
[[nodiscard]] std::unique_ptr<Executor> thread_pool(int thread_count);

/// Processors that this process may use; at least 1.
[[nodiscard]] int available_processors() noexcept;

}  // namespace sheaf
