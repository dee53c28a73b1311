/// \file
/// What a run is, before it begins.

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

/// Returns threads for a run that brings no executor; else null.
///
/// Throws: ConfigError where the system refuses them.
[[nodiscard]] std::unique_ptr<Executor> own_threads(const RunOptions& options);

/// Returns everything that the minibatches of these parts depend on. `chain` has the transforms of
/// the sequences; null where there are none.
[[nodiscard]] std::shared_ptr<const RunIdentity> run_identity(const Deserializer& deserializer,
                                                              const Sequencer& sequencer,
                                                              const Packer& packer,
                                                              const TransformChain* chain);

/// Where a run begins: at `options.start`, or at the beginning.
///
/// Throws: ConfigError where the start belongs to another run.
[[nodiscard]] Position start_position(const RunOptions& options,
                                      std::shared_ptr<const RunIdentity> run);

}  // namespace sheaf::internal
