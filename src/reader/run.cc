#include "reader/run.h"

#include <string>
#include <system_error>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/types.h"

#include "base/text.h"
#include "core/memory_limit.h"

namespace sheaf::internal {
namespace {

constexpr int kThreadsMax = 1024;

}  // namespace

void check(const RunOptions& options) {
  if (options.threads && (*options.threads < 1 || *options.threads > kThreadsMax)) {
    throw ConfigError(
        formatted("threads must be 1 to {}, or empty (one for each processor): got {}", kThreadsMax,
                  *options.threads));
  }
  check_memory_limit("memory_limit_bytes", options.memory_limit_bytes);
  if (options.max_errors < 0) {
    throw ConfigError(formatted("max_errors must be 0 or more: got {}", options.max_errors));
  }
}

std::unique_ptr<Executor> own_threads(const RunOptions& options) {
  if (options.executor != nullptr) return nullptr;
  const int count = options.threads ? *options.threads : available_processors();
  try {
    return thread_pool(count);
  } catch (const std::system_error& error) {
    throw ConfigError(
        formatted("threads: {} threads could not be started: {}", count, error.what()));
  }
}

std::shared_ptr<const RunIdentity> run_identity(const Deserializer& deserializer,
                                                const Sequencer& sequencer, const Packer& packer,
                                                const TransformChain* chain) {
  RunIdentity run;
  run.algorithm = sequencer.algorithm();
  run.data = deserializer.fingerprint();
  run.options = sequencer.options();
  run.options["packing"] = packer.name();
  if (chain != nullptr) run.options["transforms"] = chain->text();
  std::string& streams = run.options["streams"];
  for (const Stream& stream : deserializer.streams()) {
    if (!streams.empty()) streams += "; ";
    streams += to_string(stream);
  }
  return std::make_shared<const RunIdentity>(std::move(run));
}

Position start_position(const RunOptions& options, std::shared_ptr<const RunIdentity> run) {
  if (!options.start) return {std::move(run), {}, {}};
  check_same_run(*options.start, *run);
  return {std::move(run), options.start->place, options.start->draws};
}

}  // namespace sheaf::internal
