#include "ops/threads.h"

#include <system_error>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {

OperationThreads::OperationThreads(const OperationOptions& options) : executor_(options.executor) {
  if (executor_ != nullptr) return;
  if (options.threads.value_or(1) < 1) {
    throw ConfigError(formatted(
        "threads must be at least 1, or empty (one for each processor): got {}", *options.threads));
  }
  const int count = options.threads ? *options.threads : available_processors();
  try {
    own_ = thread_pool(count);
  } catch (const std::system_error& error) {
    throw ConfigError(
        formatted("threads: {} threads could not be started: {}", count, error.what()));
  }
  executor_ = own_.get();
}

}  // namespace sheaf::internal
