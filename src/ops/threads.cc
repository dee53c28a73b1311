#include "ops/threads.h"

#include <system_error>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {

OperationThreads::OperationThreads(const OperationOptions& options) : executor_(options.executor) {
  if (executor_ != nullptr) return;
  if (options.threads < 0) {
    throw ConfigError(formatted("threads is 0 or more: got {}", options.threads));
  }
  const int count = options.threads == 0 ? available_processors() : options.threads;
  try {
    own_ = thread_pool(count);
  } catch (const std::system_error& error) {
    throw ConfigError(
        formatted("threads: {} threads could not be started: {}", count, error.what()));
  }
  executor_ = own_.get();
}

}  // namespace sheaf::internal
