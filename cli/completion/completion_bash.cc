#include <fmt/format.h>

#include "completion/completion.h"

namespace sheaf::cli {
namespace {

constexpr const char* kHead =
    R"(# Completion of the command sheaf for bash: source <(sheaf completion bash)

_sheaf_files() {  # $1: -f or -d
  compopt -o filenames 2>/dev/null || :  # outside of a completion there is none
  mapfile -t COMPREPLY < <(compgen "$1" -- "$cur")
}

_sheaf_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

_sheaf() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="" verb="" i
  ((COMP_CWORD > 0)) && prev="${COMP_WORDS[COMP_CWORD - 1]}"
  # --option=value comes as three words.
  if [[ $cur == "=" ]]; then
    cur=""
  elif [[ $prev == "=" ]] && ((COMP_CWORD > 1)); then
    prev="${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then
      verb+="${verb:+ }${COMP_WORDS[i]}"
      _sheaf_has_verbs "$verb" || break
    fi
  done
  COMPREPLY=()
  case "$verb $prev" in
)";

constexpr const char* kTail = R"(  esac
}

complete -F _sheaf sheaf
)";

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// Returns the bash command that completes a value. The command `:` offers nothing.
std::string bash_action(const ValueKind& value) {
  switch (value.what) {
    case ValueKind::What::words:
      return fmt::format("_sheaf_words \"{}\"", joined(value.words));
    case ValueKind::What::file:
      return "_sheaf_files -f";
    case ValueKind::What::directory:
      return "_sheaf_files -d";
    case ValueKind::What::anything:
    case ValueKind::What::none:
      break;
  }
  return ":";
}

std::string bash_verb(const VerbHelp& verb) {
  std::string names;
  for (const OptionHelp& option : verb.options) {
    names += (names.empty() ? "" : " ") + joined(option.names);
  }
  return fmt::format(
      "    \"{}\")\n      if [[ $cur == -* ]]; then\n        _sheaf_words \"{}\"\n      else\n"
      "        {}\n      fi\n      ;;\n",
      verb.name, names, bash_action(verb.argument));
}

// Returns all verbs in one list. The verbs of a verb follow that verb.
std::vector<VerbHelp> flattened(const std::vector<VerbHelp>& verbs) {
  std::vector<VerbHelp> flat;
  for (const VerbHelp& verb : verbs) {
    flat.push_back(verb);
    const std::vector<VerbHelp> own = flattened(verb.verbs);
    flat.insert(flat.end(), own.begin(), own.end());
  }
  return flat;
}

// Returns a shell function that tells whether a verb has subverbs, as `position` has. The full name
// of a subverb is two words, such as `position show`.
std::string group_test(const std::vector<VerbHelp>& verbs) {
  std::string patterns;
  for (const VerbHelp& verb : verbs) {
    if (!verb.verbs.empty()) {
      patterns += fmt::format("{}\"{}\"", patterns.empty() ? "" : " | ", verb.name);
    }
  }
  return fmt::format(
      "_sheaf_has_verbs() {{\n  case \"$1\" in\n    {}) return 0 ;;\n  esac\n"
      "  return 1\n}}\n\n",
      patterns);
}

}  // namespace

std::string bash_completion(const std::vector<VerbHelp>& tree) {
  const std::vector<VerbHelp> verbs = flattened(tree);
  std::string text = kHead;
  text.insert(text.find("_sheaf() {"), group_test(verbs));
  std::vector<std::string> names;
  names.reserve(tree.size());
  for (const VerbHelp& verb : tree) names.push_back(verb.name);
  for (const VerbHelp& verb : verbs) {
    for (const OptionHelp& option : verb.options) {
      if (option.value.what == ValueKind::What::none) continue;
      std::string patterns;
      for (const std::string& name : option.names) {
        patterns += fmt::format("{}\"{} {}\"", patterns.empty() ? "" : " | ", verb.name, name);
      }
      text += fmt::format("    {})\n      {}\n      return\n      ;;\n", patterns,
                          bash_action(option.value));
    }
  }
  text += "  esac\n  case \"$verb\" in\n";
  text +=
      fmt::format("    \"\")\n      _sheaf_words \"{} --help --help-all --version\"\n      ;;\n",
                  joined(names));
  for (const VerbHelp& verb : verbs) text += bash_verb(verb);
  return text + kTail;
}

}  // namespace sheaf::cli
