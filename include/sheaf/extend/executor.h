/// \file
/// The threads that run the work of the library.

#pragma once

#include <functional>
#include <memory>

namespace sheaf {

/// Runs tasks on threads. Only thread_pool() starts threads. Pass your own executor to share
/// threads between readers, or with the rest of the program.
///
/// Threads: all calls are safe from any number of threads, tasks included.
class Executor {
 public:
  virtual ~Executor() = default;

  /// Runs `task` soon, but not within this call. Tasks do not throw, and do not wait for one
  /// another.
  virtual void submit(std::function<void()> task) = 0;

  /// Returns how many tasks can run at once; at least 1.
  [[nodiscard]] virtual int thread_count() const noexcept = 0;
};

/// Returns an executor whose threads take tasks in the order of submission. The destructor waits
/// until all tasks are done.
///
/// Pre: thread_count >= 1.
[[nodiscard]] std::unique_ptr<Executor> thread_pool(int thread_count);

/// Returns how many processors this process may use; at least 1.
[[nodiscard]] int available_processors() noexcept;

}  // namespace sheaf
