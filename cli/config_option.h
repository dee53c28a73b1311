/// \file
/// A reader section of a CNTK configuration in place of options.

#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sheaf::cli {

class Console;
struct DataOptions;

/// As given to --config, --section and --set.
struct ConfigChoice {
  std::string files = {};
  std::string section = {};
  std::vector<std::string> words = {};
};

/// Add these options.
///
/// Lifetime: `choice` must outlive the parsing.
void add_config_options(CLI::App& verb, ConfigChoice& choice);

/// Read the configuration that was chosen, if any, and tell its warnings. To be called once, before
/// anything else is done with the options.
///
/// Throws: ConfigError where there is neither FILE nor --config, or both, or an option that
///         contradicts --config; as Config and configured_reader.
void read_config(DataOptions& options, Console& console);

}  // namespace sheaf::cli
