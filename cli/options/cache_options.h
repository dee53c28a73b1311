/// \file
/// The folder that keeps decoded sequences for later sweeps and runs.

#pragma once

#include "sheaf/spec.h"

namespace CLI {
class App;
}

namespace sheaf::cli {

struct DataOptions;

/// Adds --cache and --cache-limit. Verbs that deliver minibatches have them.
///
/// Lifetime: `options` must outlive the parsing.
void add_cache_options(CLI::App& verb, DataOptions& options);

/// Returns the cache that a spec says, changed by the options that were given. Returns no cache for
/// a verb without these options.
[[nodiscard]] CacheOptions chosen_cache(const DataOptions& options);

}  // namespace sheaf::cli
