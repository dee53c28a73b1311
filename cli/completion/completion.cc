#include "completion/completion.h"

#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/error.h"

#include "options/format_list.h"
#include "options/help.h"
#include "options/options.h"
#include "options/order_options.h"
#include "options/transform_option.h"
#include "output/output.h"
#include "verbs/verbs.h"

namespace sheaf::cli {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// Returns the kind of a value by its type name. FILE, DIR and words such as `a|b` have a meaning;
// any other type name stands for a free value.
ValueKind value_kind(const std::string& type_name) {
  if (type_name == "FILE") return {ValueKind::What::file};
  if (type_name == "DIR") return {ValueKind::What::directory};
  const bool are_words =
      type_name.find('|') != std::string::npos && std::ranges::all_of(type_name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '|' || c == '-' || c == '_';
      });
  if (are_words) return {ValueKind::What::words, split(type_name, '|')};
  return {ValueKind::What::anything};
}

// Returns the beginning of a description: up to the first ". ", semicolon or newline.
std::string first_sentence(const std::string& text) {
  const std::size_t end = std::min(text.find(". "), text.find_first_of(";\n"));
  return text.substr(0, end);
}

OptionHelp describe_option(const CLI::Option& option) {
  OptionHelp help;
  for (const std::string& name : option.get_snames()) help.names.push_back("-" + name);
  // The first long name is the current one. Completion does not offer the older names.
  if (!option.get_lnames().empty()) help.names.push_back("--" + option.get_lnames().front());
  help.description = first_sentence(option.get_description());
  help.type_name = option.get_type_size() == 0 ? "" : option.get_type_name();
  if (option.get_type_size() != 0) help.value = value_kind(help.type_name);
  if (help.type_name == kSettingSyntax) {
    const bool is_output = option.get_name() == "--out-option";
    help.value = {ValueKind::What::words,
                  format_option_words(is_output ? FormatUse::writing : FormatUse::reading)};
  }
  if (help.type_name == kWorkerSyntax) help.value = {ValueKind::What::words, {"env"}};
  if (help.type_name == kTransformSyntax) help.value = {ValueKind::What::words, transform_words()};
  return help;
}

VerbHelp describe_verb(const CLI::App& verb, const CLI::App& command) {
  VerbHelp help;
  help.name = verb_path(verb);
  help.description = short_description(verb);
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_group().empty()) continue;  // hidden from the help, too
    if (!option->get_positional()) {
      help.options.push_back(describe_option(*option));
    } else if (option->get_name() == "VERB") {
      help.argument = {ValueKind::What::words, verb_names(command)};
    } else {
      const std::string name = option->get_name();
      help.argument = name == "FILE" ? value_kind(name) : value_kind(option->get_type_name());
    }
  }
  if (const std::vector<std::string> names = verb_names(verb); !names.empty()) {
    help.argument = {ValueKind::What::words, names};
  }
  for (const CLI::App* own : verb.get_subcommands({})) {
    help.verbs.push_back(describe_verb(*own, command));
  }
  return help;
}

int run_completion(const CLI::App& command, const std::string& shell) {
  const std::vector<VerbHelp> verbs = describe(command);
  Output output;
  if (shell == "bash") {
    output.text() = bash_completion(verbs);
  } else if (shell == "zsh") {
    output.text() = zsh_completion(verbs);
  } else if (shell == "fish") {
    output.text() = fish_completion(verbs);
  } else {
    throw ConfigError(fmt::format("SHELL is one of bash, zsh, fish: got \"{}\"", shell));
  }
  output.flush();
  return kExitGood;
}

constexpr const char* kCompletionDescription = R"(Print a script that completes arguments in a shell

It knows verbs, options, the words that options take, and where files stand.)";

constexpr const char* kCompletionFooter = R"(Examples:
  source <(sheaf completion bash)           for this shell; or in ~/.bashrc
  sheaf completion zsh > "${fpath[1]}/_sheaf"
  sheaf completion fish > ~/.config/fish/completions/sheaf.fish)";

}  // namespace

std::vector<VerbHelp> describe(const CLI::App& command) {
  std::vector<VerbHelp> verbs;
  for (const CLI::App* verb : command.get_subcommands({})) {
    verbs.push_back(describe_verb(*verb, command));
  }
  return verbs;
}

Verb add_completion(CLI::App& parent) {
  CLI::App* const app = parent.add_subcommand("completion", kCompletionDescription);
  app->footer(kCompletionFooter);
  const auto shell = std::make_shared<std::string>();
  app->add_option("SHELL", *shell, "bash, zsh or fish")->required()->type_name("bash|zsh|fish");
  return {app, [shell, &parent] { return run_completion(parent, *shell); }};
}

}  // namespace sheaf::cli
