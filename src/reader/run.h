/// \file
/// Checks and setup before a run begins.

#pragma once

#include <memory>
#include <span>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/packer.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/position.h"
#include "sheaf/reader.h"

#include "transform/chain.h"

namespace sheaf::internal {

/// Throws: ConfigError that names the option and its range.
void check(const RunOptions& options);

/// Returns threads for a run without an executor; otherwise null.
///
/// Throws: ConfigError if the system cannot start the threads.
[[nodiscard]] std::unique_ptr<Executor> own_threads(const RunOptions& options);

/// Returns everything that the minibatches of these components depend on. `chain` has the
/// transforms; null if there are none.
[[nodiscard]] std::shared_ptr<const RunIdentity> run_identity(const Deserializer& deserializer,
                                                              const Sequencer& sequencer,
                                                              const Packer& packer,
                                                              const TransformChain* chain);

/// Returns where a run begins: `options.start`, or the beginning.
///
/// Throws: ConfigError if the start belongs to another run.
[[nodiscard]] Position start_position(const RunOptions& options,
                                      std::shared_ptr<const RunIdentity> run);

}  // namespace sheaf::internal
