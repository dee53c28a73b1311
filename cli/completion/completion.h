/// \file
/// Scripts that complete the command's arguments in a shell.

#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sheaf::cli {

/// What can stand behind an option, or be an argument.
struct ValueKind {
  enum class What { none, anything, file, directory, words };

  What what = What::none;               // none: it is a flag
  std::vector<std::string> words = {};  // of `words`
};

struct OptionHelp {
  std::vector<std::string> names;  // as one types them
  std::string description;         // one line
  std::string type_name;
  ValueKind value;
};

struct VerbHelp {
  std::string name;         // as one types it: "read", "position seek"
  std::string description;  // one line
  ValueKind argument;       // what it takes besides options
  std::vector<OptionHelp> options;
  std::vector<VerbHelp> verbs;  // of its own; the argument is then one of them
};

/// What the command understands, as far as its help tells it.
[[nodiscard]] std::vector<VerbHelp> describe(const CLI::App& command);

/// The script for a shell.
[[nodiscard]] std::string bash_completion(const std::vector<VerbHelp>& verbs);
[[nodiscard]] std::string zsh_completion(const std::vector<VerbHelp>& verbs);
[[nodiscard]] std::string fish_completion(const std::vector<VerbHelp>& verbs);

}  // namespace sheaf::cli
