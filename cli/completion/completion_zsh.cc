#include <fmt/format.h>

#include "completion/completion.h"

namespace sheaf::cli {
namespace {

// Escapes a text for single quotes within [..] or (..) of a specification.
std::string zsh_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

std::string zsh_action(const ValueKind& value) {
  switch (value.what) {
    case ValueKind::What::words:
      return fmt::format("({})", fmt::join(value.words, " "));
    case ValueKind::What::file:
      return "_files";
    case ValueKind::What::directory:
      return "_files -/";
    case ValueKind::What::anything:
    case ValueKind::What::none:
      break;
  }
  return " ";
}

std::string option_lines(const OptionHelp& option) {
  std::string lines;
  for (const std::string& name : option.names) {
    lines += fmt::format("        '*{}[{}]", name, zsh_escaped(option.description));
    if (option.value.what != ValueKind::What::none) {
      const bool is_free = option.value.what == ValueKind::What::anything;
      lines += fmt::format(":{}:{}", is_free ? zsh_escaped(option.type_name) : "value",
                           zsh_action(option.value));
    }
    lines += "' \\\n";
  }
  return lines;
}

std::string zsh_verb(const VerbHelp& verb) {
  const std::string name = verb.name.substr(verb.name.rfind(' ') + 1);
  std::string text;
  if (verb.verbs.empty()) {
    text = fmt::format("      {}) _arguments \\\n", name);
    for (const OptionHelp& option : verb.options) text += option_lines(option);
    return text + fmt::format("        '*:argument:{}' ;;\n", zsh_action(verb.argument));
  }
  text = fmt::format(
      "      {}) _arguments -C '1:verb:{}' '*:: :->own'\n      case $state in own) case $words[1] "
      "in\n",
      name, zsh_action(verb.argument));
  for (const VerbHelp& own : verb.verbs) text += zsh_verb(own);
  return text + "      esac ;; esac ;;\n";
}

}  // namespace

std::string zsh_completion(const std::vector<VerbHelp>& verbs) {
  std::string text = R"(#compdef sheaf
# Completion of the command sheaf for zsh: a file _sheaf in a folder of $fpath.

_sheaf() {
  local context state line
  local -a verbs
  typeset -A opt_args
  verbs=(
)";
  for (const VerbHelp& verb : verbs) {
    text += fmt::format("    '{}:{}'\n", verb.name, zsh_escaped(verb.description));
  }
  text += R"(  )
  _arguments -C \
    '--help[Print help]' '--help-all[Print help of all verbs]' '--version[Print the version]' \
    '1: :->verb' '*:: :->rest'
  case $state in
    verb) _describe verb verbs ;;
    rest) case $words[1] in
)";
  for (const VerbHelp& verb : verbs) text += zsh_verb(verb);
  return text + R"(    esac ;;
  esac
}

if [[ $funcstack[1] == _sheaf ]]; then
  _sheaf "$@"
else
  compdef _sheaf sheaf
fi
)";
}

}  // namespace sheaf::cli
