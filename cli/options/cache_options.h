/// \file
/// The folder that keeps decoded sequences for later sweeps and runs.

#pragma once

#include "sheaf/spec.h"

namespace CLI {
class App;
}

namespace sheaf::cli {

struct DataOptions;

/// Adds --cache and --cache-limit, for verbs that deliver minibatches.
///
/// Lifetime: `options` must outlive the parsing.
void add_cache_options(CLI::App& verb, DataOptions& options);

/// Returns the cache options of the spec, changed by the given options. Returns no cache for a verb
/// without these options.
[[nodiscard]] CacheOptions chosen_cache(const DataOptions& options);

}  // namespace sheaf::cli
