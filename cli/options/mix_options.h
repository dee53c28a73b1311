/// \file
/// The options that draw from several data sets by weight.

#pragma once

#include <string>
#include <vector>

#include "sheaf/spec.h"

namespace CLI {
class App;
}

namespace sheaf::cli {

struct DataOptions;

/// What --mix, --exhausted and --mix-schedule say.
struct MixChoice {
  std::vector<std::string> members = {};   // PATH=WEIGHT, as given
  std::string exhausted = {};              // empty: not given
  std::vector<std::string> schedule = {};  // DRAW=WEIGHT:WEIGHT..., as given
};

/// Adds the options.
void add_mix_options(CLI::App& verb, DataOptions& options);

/// Checks that the options fit each other, and that no path, spec or join stands beside them.
///
/// Throws: ConfigError.
void check_mix_options(const DataOptions& options);

/// Returns the paths of the members, without their weights.
///
/// Throws: ConfigError for a member without a weight.
[[nodiscard]] std::vector<std::string> mixed_paths(const MixChoice& choice);

/// Returns the mixture without its members.
///
/// Throws: ConfigError as integer_weights(), and for a stage that is not written as it should be.
[[nodiscard]] MixtureOptions mixture_options(const MixChoice& choice);

}  // namespace sheaf::cli
