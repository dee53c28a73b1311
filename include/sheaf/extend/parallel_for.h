/// \file
/// A loop whose rounds run at once.

#pragma once

#include <cstdint>
#include <functional>

#include "sheaf/extend/executor.h"

namespace sheaf {

/// Runs body(0) .. body(count - 1), each once, on this thread and on threads of `executor`: as many
/// rounds at once as the executor has threads. Runs all rounds on this thread if `executor` is
/// null. Returns when all rounds are done. Does not wait for tasks that the executor has not
/// started. If the executor refuses a task, fewer threads share the rounds.
///
/// This thread asks check_interruption() before each of its rounds, and while it waits for the
/// rounds of other threads. A round that takes long should ask, too.
///
/// Throws: the error of the round with the lowest number; later rounds may not have run. If this
///         thread is interrupted: the exception of the interruption, after every round under way
///         has ended, or has asked check_interruption() and was told to stop.
void parallel_for(Executor* executor, std::int64_t count,
                  const std::function<void(std::int64_t)>& body);

}  // namespace sheaf
