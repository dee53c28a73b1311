/// \file
/// The verbs of the command, one file each.

#pragma once

#include <functional>
#include <vector>

namespace CLI {
class App;
}

namespace sheaf::cli {

class Console;

/// Exit codes, as the help says.
inline constexpr int kExitGood = 0;
inline constexpr int kExitBadData = 1;
inline constexpr int kExitBadUsage = 2;
inline constexpr int kExitSignal = 128;  // and the number of the signal, as shells have it

/// One verb: what it understands, and what it does once that is parsed.
struct Verb {
  CLI::App* app;             // owned by the App it was added to
  std::function<int()> run;  // returns the exit code
};

/// Add one to the command.
///
/// Lifetime: `console` must outlive it.
[[nodiscard]] Verb add_check(CLI::App& parent, Console& console);
[[nodiscard]] Verb add_completion(CLI::App& parent);
[[nodiscard]] Verb add_config(CLI::App& parent, Console& console);
[[nodiscard]] Verb add_convert(CLI::App& parent, Console& console);
[[nodiscard]] Verb add_ctf2bin(CLI::App& parent, Console& console);
[[nodiscard]] Verb add_formats(CLI::App& parent);
[[nodiscard]] Verb add_head(CLI::App& parent, Console& console);
[[nodiscard]] Verb add_help(CLI::App& parent);
[[nodiscard]] Verb add_index(CLI::App& parent, Console& console);
[[nodiscard]] Verb add_merge(CLI::App& parent, Console& console);
[[nodiscard]] Verb add_order(CLI::App& parent, Console& console);
/// Those of `sheaf position`, which has verbs of its own.
[[nodiscard]] std::vector<Verb> add_position(CLI::App& parent, Console& console);
[[nodiscard]] Verb add_read(CLI::App& parent, Console& console);
[[nodiscard]] Verb add_report(CLI::App& parent, Console& console);
[[nodiscard]] Verb add_stat(CLI::App& parent, Console& console);
[[nodiscard]] Verb add_transforms(CLI::App& parent);

}  // namespace sheaf::cli
