/// \file
/// The verbs of the command. Each verb has its own file.

#pragma once

#include <functional>
#include <vector>

namespace CLI {
class App;
}

namespace sheaf::cli {

class Console;

/// The exit codes that the help lists.
inline constexpr int kExitGood = 0;
inline constexpr int kExitBadData = 1;
inline constexpr int kExitBadUsage = 2;
inline constexpr int kExitSignal = 128;  // plus the number of the signal, as in shells

/// One verb: its options, and the function that runs the verb after parsing.
struct Verb {
  CLI::App* app;             // owned by its parent App
  std::function<int()> run;  // returns the exit code
};

/// Adds a verb to the command.
///
/// Lifetime: `console` must outlive the verb.
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
/// Adds the verbs of `sheaf position`.
[[nodiscard]] std::vector<Verb> add_position(CLI::App& parent, Console& console);
[[nodiscard]] Verb add_read(CLI::App& parent, Console& console);
[[nodiscard]] Verb add_report(CLI::App& parent, Console& console);
[[nodiscard]] Verb add_stat(CLI::App& parent, Console& console);
[[nodiscard]] Verb add_transforms(CLI::App& parent);

}  // namespace sheaf::cli
