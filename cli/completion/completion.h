/// \file
/// Shell scripts that complete the arguments of the command.

#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sheaf::cli {

/// The values that an option or an argument of a verb takes.
struct ValueKind {
  enum class What { none, anything, file, directory, words };

  What what = What::none;               // none: a flag, which takes no value
  std::vector<std::string> words = {};  // the values to choose from, for What::words
};

struct OptionHelp {
  std::vector<std::string> names;  // as typed: "--seed"
  std::string description;         // one line
  std::string type_name;
  ValueKind value;
};

struct VerbHelp {
  std::string name;         // as typed: "read", "position seek"
  std::string description;  // one line
  ValueKind argument;       // the value that the verb takes besides options
  std::vector<OptionHelp> options;
  std::vector<VerbHelp> verbs;  // verbs of this verb; the argument is then one of them
};

/// Returns the verbs and options that the help of the command shows.
[[nodiscard]] std::vector<VerbHelp> describe(const CLI::App& command);

/// Returns the completion script for a shell.
[[nodiscard]] std::string bash_completion(const std::vector<VerbHelp>& verbs);
[[nodiscard]] std::string zsh_completion(const std::vector<VerbHelp>& verbs);
[[nodiscard]] std::string fish_completion(const std::vector<VerbHelp>& verbs);

}  // namespace sheaf::cli
