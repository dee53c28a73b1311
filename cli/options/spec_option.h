/// \file
/// A spec, or a reader section of a CNTK configuration, in place of options.

#pragma once

#include <string>
#include <vector>

#include "sheaf/spec.h"

namespace CLI {
class App;
}

namespace sheaf::cli {

class Console;
struct DataNames;
struct DataOptions;

/// As given to --spec, --config, --section and --set.
struct SpecChoice {
  std::string spec = {};
  std::string files = {};
  std::string section = {};
  std::vector<std::string> words = {};
};

/// Add these options. `names`: what the verb calls its data.
///
/// Lifetime: `choice` must outlive the parsing.
void add_spec_options(CLI::App& verb, SpecChoice& choice, const DataNames& names);

/// Returns the spec that a reader section means: the one that the choice names, or the only one.
/// Tells the warnings.
///
/// Throws: as Config and configured_reader; ConfigError where there are several sections.
[[nodiscard]] Spec spec_of_config(const SpecChoice& choice, Console& console,
                                  std::int64_t minibatch_size = OrderOptions{}.minibatch_size);

/// Read the spec or the configuration that was chosen, if any, and tell the warnings. To be called
/// once, before anything else is done with the options.
///
/// Throws: ConfigError unless exactly one of FILE, --spec and --config is given, and for an option
///         that says the same as the spec; as load_spec, Config and configured_reader.
void read_spec(DataOptions& options, Console& console);

}  // namespace sheaf::cli
