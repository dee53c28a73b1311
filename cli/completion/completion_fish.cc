#include <fmt/format.h>

#include "completion/completion.h"

namespace sheaf::cli {
namespace {

// Returns the text within single quotes.
std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// Returns the arguments of `complete` for a value. -f offers no files, -r requires a value, and -x
// requires a value and offers no files.
std::string value_arguments(const ValueKind& value) {
  switch (value.what) {
    case ValueKind::What::words:
      return fmt::format(" -x -a '{}'", fmt::join(value.words, " "));
    case ValueKind::What::file:
      return " -r -F";
    case ValueKind::What::directory:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::What::anything:
      return " -x";
    case ValueKind::What::none:
      break;
  }
  return "";
}

std::string last_word(const std::string& name) { return name.substr(name.rfind(' ') + 1); }

// Returns the fish condition that holds once the user has typed the verb. If `group` is not empty,
// the verb is one of that group.
std::string condition(const VerbHelp& verb, const std::string& group) {
  constexpr const char* kSeen = "__fish_seen_subcommand_from";
  std::string text = fmt::format("{} {}", kSeen, last_word(verb.name));
  if (!group.empty()) text = fmt::format("{} {}; and {}", kSeen, group, text);
  if (!verb.verbs.empty()) {
    std::string own;
    for (const VerbHelp& one : verb.verbs) own += " " + last_word(one.name);
    text += fmt::format("; and not {}{}", kSeen, own);
  }
  return text;
}

std::string fish_verbs(const std::vector<VerbHelp>& verbs, const std::string& within) {
  std::string text;
  for (const VerbHelp& verb : verbs) {
    const std::string begin = fmt::format("complete -c sheaf -n '{}'", condition(verb, within));
    if (verb.argument.what == ValueKind::What::file) text += begin + " -F\n";
    if (verb.argument.what == ValueKind::What::words) {
      text += fmt::format("{} -a '{}'\n", begin, fmt::join(verb.argument.words, " "));
    }
    for (const OptionHelp& option : verb.options) {
      text += begin;
      for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      text += value_arguments(option.value) + " -d " + fish_quoted(option.description) + "\n";
    }
    text += fish_verbs(verb.verbs, verb.name);
  }
  return text;
}

}  // namespace

std::string fish_completion(const std::vector<VerbHelp>& verbs) {
  std::string text = R"(# Completion of the command sheaf for fish: a file sheaf.fish in
# ~/.config/fish/completions.

complete -c sheaf -f
complete -c sheaf -n __fish_use_subcommand -l help -d 'Print help'
complete -c sheaf -n __fish_use_subcommand -l help-all -d 'Print help of all verbs'
complete -c sheaf -n __fish_use_subcommand -l version -d 'Print the version'
)";
  for (const VerbHelp& verb : verbs) {
    text += fmt::format("complete -c sheaf -n __fish_use_subcommand -a {} -d {}\n", verb.name,
                        fish_quoted(verb.description));
  }
  return text + fish_verbs(verbs, "");
}

}  // namespace sheaf::cli
