/// \file
/// A parallel loop.

#pragma once

#include <cstdint>
#include <functional>

#include "sheaf/extend/executor.h"

namespace sheaf {

/// Runs body(0) .. body(count - 1), each once, on this thread and on threads of `executor`. As many
/// iterations run at once as the executor has threads. If `executor` is null, runs all iterations
/// on this thread. Returns when all iterations are done. Does not wait for tasks that the executor
/// has not started. If the executor refuses a task, fewer threads share the iterations.
///
/// This thread calls check_interruption() before each of its iterations, and while it waits for
/// other threads. A long iteration should also call check_interruption().
///
/// Throws: the error of the iteration with the lowest number; later iterations may not have run. If
///         this thread is interrupted, throws the exception of the interruption after every running
///         iteration has ended, either normally or by check_interruption().
void parallel_for(Executor* executor, std::int64_t count,
                  const std::function<void(std::int64_t)>& body);

}  // namespace sheaf
