#include "later_options.h"

#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/error.h"

namespace sheaf::cli {
namespace {

constexpr const char* kHidden = "";  // the group that help leaves out

}  // namespace

void add_later_options(CLI::App& verb) {
  for (const char* name : {"--config", "--section", "--set"}) {
    const auto refuse = [name](const std::string& /*value*/) {
      throw ConfigError(
          fmt::format("{} belongs to a later version: this version takes its options from the "
                      "command line alone",
                      name));
    };
    verb.add_option_function<std::string>(name, refuse)->group(kHidden);
  }
}

}  // namespace sheaf::cli
