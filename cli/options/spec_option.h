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

/// The values of --spec, --config, --section and --set, as given.
struct SpecChoice {
  std::string spec = {};
  std::string files = {};
  std::string section = {};
  std::vector<std::string> words = {};
};

/// Adds --spec, --config, --section and --set. `names` has the verb's name for its data.
///
/// Lifetime: `choice` must outlive the parsing.
void add_spec_options(CLI::App& verb, SpecChoice& choice, const DataNames& names);

/// Returns the spec that a reader section stands for: the section of `choice`, or else the only
/// reader section. Prints the warnings.
///
/// Throws: as Config and configured_reader; ConfigError if `choice` has no section and the
///         configuration has none or several.
[[nodiscard]] Spec spec_of_config(const SpecChoice& choice, Console& console,
                                  std::int64_t minibatch_size = OrderOptions{}.minibatch_size);

/// Reads the spec or the configuration, if one was chosen, and prints the warnings. Call
/// read_spec() once, before any other use of the options.
///
/// Throws: ConfigError unless the user gave exactly one of FILE, --mix, --spec and --config;
///         ConfigError for an option that the spec replaces; as load_spec, Config and
///         configured_reader.
void read_spec(DataOptions& options, Console& console);

}  // namespace sheaf::cli
