/// \file
/// A spec, or a reader section of a CNTK configuration, in place of options.

#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sheaf::cli {

class Console;
struct DataOptions;

/// As given to --spec, --config, --section and --set.
struct SpecChoice {
  std::string spec = {};
  std::string files = {};
  std::string section = {};
  std::vector<std::string> words = {};
};

/// Add these options.
///
/// Lifetime: `choice` must outlive the parsing.
void add_spec_options(CLI::App& verb, SpecChoice& choice);

/// Read the spec or the configuration that was chosen, if any, and tell the warnings. To be called
/// once, before anything else is done with the options.
///
/// Throws: ConfigError where there is none of FILE, --spec and --config, or two of them, or an
///         option that contradicts them; as load_spec, Config and configured_reader.
void read_spec(DataOptions& options, Console& console);

}  // namespace sheaf::cli
