// The threads of an operation.

#pragma once

#include <memory>

#include "sheaf/extend/executor.h"
#include "sheaf/operation.h"

namespace sheaf::internal {

/// Provides the executor that the options name, or starts threads of its own.
class OperationThreads {
 public:
  /// Throws: ConfigError if the threads cannot be started.
  explicit OperationThreads(const OperationOptions& options);

  [[nodiscard]] Executor& executor() const noexcept { return *executor_; }

 private:
  std::unique_ptr<Executor> own_;
  Executor* executor_;
};

}  // namespace sheaf::internal
