/// \file
/// How an operation over whole data runs: check(), convert(), stat() and the others.

#pragma once

#include <cstdint>
#include <functional>

#include "sheaf/extend/executor.h"

namespace sheaf {

/// Nothing here changes the result of an operation.
///
/// The thread that calls an operation asks check_interruption() of sheaf/extend/interruption.h all
/// the while: an Interruption that throws ends the operation, and the operation throws the same.
struct OperationOptions {
  int threads = 0;                      // 0: one for each processor; without effect with `executor`
  std::int64_t memory_limit_bytes = 0;  // 0: no limit
  Executor* executor = nullptr;         // none: threads of its own. Must outlive the operation

  /// Called on the caller's thread, now and then: the operation is through with so many bytes of
  /// the data. What the function throws ends the operation.
  std::function<void(std::int64_t)> progress = {};
};

}  // namespace sheaf
