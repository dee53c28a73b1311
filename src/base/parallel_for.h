// A loop whose rounds run at once.

#pragma once

#include <cstdint>
#include <functional>

#include "sheaf/executor.h"

namespace sheaf {

/// Run body(0) .. body(count - 1), each once, here and on threads of `executor`: as many at once as
/// it has threads. Only here where it is null. Returns when all are done, and does not wait for
/// tasks that other work keeps from running.
///
/// Throws: what the body threw first by number; rounds behind that one may not have run. Where this
///         thread is interrupted what that throws, once rounds under way are done or have asked,
///         each on its thread, check_interruption().
void parallel_for(Executor* executor, std::int64_t count,
                  const std::function<void(std::int64_t)>& body);

}  // namespace sheaf
