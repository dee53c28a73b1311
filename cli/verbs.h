/// \file
/// The verbs of the command, one file each.

#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace sheaf::cli {

/// Exit codes, as the help says.
inline constexpr int kExitGood = 0;
inline constexpr int kExitBadData = 1;
inline constexpr int kExitBadUsage = 2;

/// One verb: what it understands, and what it does once that is parsed.
struct Verb {
  CLI::App* app;             // owned by the App it was added to
  std::function<int()> run;  // returns the exit code
};

[[nodiscard]] Verb add_check(CLI::App& parent);
[[nodiscard]] Verb add_head(CLI::App& parent);
[[nodiscard]] Verb add_read(CLI::App& parent);

}  // namespace sheaf::cli
