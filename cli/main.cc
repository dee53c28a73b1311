// The command `sheaf`. Data go to standard output, everything else goes to standard error.

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/error.h"
#include "sheaf/extend/config.h"
#include "sheaf/version.h"

#include "interrupt.h"
#include "options/help.h"
#include "options/options.h"
#include "options/suggest.h"
#include "output/console.h"
#include "output/output.h"
#include "verbs/opening_error.h"
#include "verbs/verbs.h"

namespace sheaf::cli {
namespace {

// Returns the innermost verb on the command line: `seek` of `position seek`. Returns the command
// itself if there is no verb.
const CLI::App& parsed_verb(const CLI::App& command) {
  const std::vector<CLI::App*> verbs = command.get_subcommands();
  return verbs.empty() ? command : parsed_verb(*verbs.front());
}

// Returns the line that points to the help.
std::string more(const CLI::App& command) {
  const CLI::App& verb = parsed_verb(command);
  return &verb == &command ? "\n  sheaf --help tells more"
                           : fmt::format("\n  sheaf help {} tells more", verb_path(verb));
}

// Returns the error message for the first argument that CLI11 did not consume, or an empty text if
// CLI11 consumed all arguments.
std::string leftover_text(const CLI::App& command) {
  const std::vector<std::string> leftovers = command.remaining(true);
  const auto is_option = [](const std::string& text) { return text.starts_with('-'); };
  const CLI::App& verb = parsed_verb(command);
  if (const auto option = std::ranges::find_if(leftovers, is_option); option != leftovers.end()) {
    const std::string name = option->substr(0, option->find('='));
    return fmt::format("there is no option {}{}", name, suggestion(name, option_names(verb)));
  }
  if (leftovers.empty()) return "";
  if (const std::vector<std::string> names = verb_names(verb); !names.empty()) {
    const std::string path = verb_path(verb);
    return fmt::format("there is no verb \"{}{}{}\"{}", path, path.empty() ? "" : " ", leftovers[0],
                       suggestion(leftovers[0], names));
  }
  return fmt::format("\"{}\" is one argument too many", leftovers[0]);
}

// Returns the error message for arguments that do not parse.
std::string usage_error_text(const CLI::App& command, const CLI::ParseError& error) {
  if (std::string text = leftover_text(command); !text.empty()) return text;
  std::string text = error.what();
  // CLI11 writes "--unit: 1 required samples|sequences missing".
  constexpr std::string_view kRequired = ": 1 required ";
  constexpr std::string_view kMissing = " missing";
  const std::size_t required = text.find(kRequired);
  if (required != std::string::npos && text.ends_with(kMissing)) {
    const std::size_t type = required + kRequired.size();
    text = fmt::format("{} needs a value: {}", text.substr(0, required),
                       text.substr(type, text.size() - type - kMissing.size()));
  }
  return text;
}

// Prints the help, the version, or the error in the arguments. Returns the exit code.
int finish_parsing(const CLI::App& command, const CLI::ParseError& error, Console& console) {
  Output output;
  if (dynamic_cast<const CLI::CallForHelp*>(&error) != nullptr) {
    output.text() = command.help();
  } else if (dynamic_cast<const CLI::CallForAllHelp*>(&error) != nullptr) {
    output.text() = command.help("", CLI::AppFormatMode::All);
  } else if (dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr) {
    output.text() = "sheaf " + std::string(kVersion) + "\n";
  } else {
    console.print_error(usage_error_text(command, error) + more(command));
    return kExitBadUsage;
  }
  output.flush();
  return kExitGood;
}

void add_color_option(CLI::App& verb, std::string& color) {
  add_choice(
      verb, "--color", color, {"auto", "always", "never"},
      "Colour of diagnostics, and of pictures of head. auto: on a terminal, unless NO_COLOR is "
      "set")
      ->group("Messages");
}

void set_color(Console& console, const std::string& color) {
  console.set_color(color == "always"  ? When::always
                    : color == "never" ? When::never
                                       : When::automatic);
}

// Returns the last line of output for a run that ended with a data error. The line says what the
// user can do.
std::string advice(const DataError& error, const CLI::App& verb) {
  const Diagnostic& last = error.diagnostics().back();
  const bool is_fatal = last.severity == Severity::fatal;
  const bool has_offset = last.byte_offset != Diagnostic::kNoOffset;
  if (is_fatal && !has_offset) return "stopped at files that do not fit each other";
  if (dynamic_cast<const OpeningError*>(&error) != nullptr) {
    return "the data cannot be opened; --max-errors does not change that";
  }
  const bool writes = verb.get_option_no_throw("--out-option") != nullptr;
  if (writes && !has_offset && last.line == 0) {
    return "stopped at what the format that is written cannot say";
  }
  if (is_fatal) {
    return "stopped at bad data that nothing tolerates; sheaf check lists all of it";
  }
  const CLI::Option* const max_errors = verb.get_option_no_throw("--max-errors");
  if (max_errors == nullptr) return "stopped at bad data; sheaf check lists all of it";
  return fmt::format(
      "stopped at bad data; {}--max-errors tolerates it, sheaf check lists all of it",
      max_errors->count() > 0 ? "a larger " : "");
}

int run_verb(const Verb& verb, Console& console) {
  try {
    return verb.run();
  } catch (const DataError& error) {
    console.print_diagnostics(error.diagnostics());
    console.print_error(advice(error, *verb.app));
    return kExitBadData;
  } catch (const std::bad_alloc&) {
    if (verb.app->get_option_no_throw("--memory-limit") == nullptr) throw;
    throw std::runtime_error(
        "there is not enough memory; set --memory-limit to see which part needs how much");
  }
}

int run(int argc, char** argv, Console& console) {
  CLI::App app(command_description(), "sheaf");
  app.footer(command_footer());
  app.set_help_flag("-h,--help", "Print this help");
  app.set_version_flag("--version", std::string(kVersion), "Print the version");
  app.require_subcommand(0, 1);
  app.formatter(help_formatter());
  std::string color = "auto";
  std::vector<Verb> verbs = {
      add_head(app, console),    add_check(app, console), add_stat(app, console),
      add_report(app, console),  add_order(app, console), add_read(app, console),
      add_convert(app, console), add_merge(app, console), add_index(app, console),
      add_formats(app),          add_transforms(app)};
  for (Verb& verb : add_position(app, console)) verbs.push_back(std::move(verb));
  verbs.push_back(add_ctf2bin(app, console));
  verbs.push_back(add_config(app, console));
  for (const Verb& verb : verbs) add_color_option(*verb.app, color);
  verbs.push_back(add_completion(app));
  verbs.push_back(add_help(app));
  app.set_help_all_flag("--help-all", "Print the help of all verbs");  // verbs do not inherit it
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return finish_parsing(app, error, console);
  }
  set_color(console, color);
  for (const Verb& verb : verbs) {
    if (verb.app->parsed()) return run_verb(verb, console);
  }
  const CLI::App& group = parsed_verb(app);  // has verbs, and the user typed none of them
  const std::string path = verb_path(group);
  if (path.empty()) console.print(first_steps());
  console.print_error(fmt::format("{}{}a verb is needed: {}{}", path, path.empty() ? "" : ": ",
                                  fmt::join(verb_names(group), ", "), more(app)));
  return kExitBadUsage;
}

// Runs the command. Catches every exception and turns its kind into an exit code.
int guarded_run(int argc, char** argv) {
  Console console;
  try {
    return run(argc, argv, console);
  } catch (const OutputClosed&) {
    return kExitGood;
  } catch (const Interrupted& error) {
    console.print_error("ended by a signal");
    return kExitSignal + error.signal();
  } catch (const ConfigTextError& error) {
    console.print_diagnostics({&error.diagnostic(), 1});
    return kExitBadUsage;
  } catch (const ConfigError& error) {
    console.print_error(error.what());
    return kExitBadUsage;
  } catch (const std::bad_alloc&) {
    console.print_error("there is not enough memory");
    return kExitBadData;
  } catch (const std::exception& error) {
    console.print_error(error.what());
    return kExitBadData;
  }
}

// Fixes the size from which glibc maps a block on its own. By default, glibc raises this threshold
// with each freed block, up to 32 MiB. The heap would then keep memory that a memory limit counts
// as freed.
void keep_heap_small() noexcept {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
}

}  // namespace
}  // namespace sheaf::cli

int main(int argc, char** argv) {
  sheaf::cli::keep_heap_small();
  std::signal(SIGPIPE, SIG_IGN);  // a write then fails with EPIPE, and Output throws OutputClosed
  return sheaf::cli::guarded_run(argc, argv);
}
