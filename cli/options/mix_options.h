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

/// The values of --mix, --exhausted and --mix-schedule, as given.
struct MixChoice {
  std::vector<std::string> members = {};   // PATH=WEIGHT
  std::string exhausted = {};              // empty: not given
  std::vector<std::string> schedule = {};  // DRAW=WEIGHT:WEIGHT...
};

/// Adds --mix, --exhausted and --mix-schedule.
void add_mix_options(CLI::App& verb, DataOptions& options);

/// Checks that the options fit each other, and that the user gave no path, spec or join as well.
///
/// Throws: ConfigError.
void check_mix_options(const DataOptions& options);

/// Returns the paths of the members, without their weights.
///
/// Throws: ConfigError for a member without a weight.
[[nodiscard]] std::vector<std::string> mixed_paths(const MixChoice& choice);

/// Returns the options of the mixture, without the members.
///
/// Throws: ConfigError as integer_weights(), and for a stage that does not parse.
[[nodiscard]] MixtureOptions mixture_options(const MixChoice& choice);

}  // namespace sheaf::cli
