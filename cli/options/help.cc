#include "options/help.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/error.h"

#include "options/suggest.h"
#include "output/output.h"
#include "verbs/verbs.h"

namespace sheaf::cli {
namespace {

constexpr const char* kCommandDescription =
    R"(sheaf - loads training data made of sequences, in a reproducible order

A file holds named streams: for each sequence, samples that are dense or sparse. sheaf looks at such
files (head, stat, report), checks them (check), says how well an order shuffles them (order),
delivers them in minibatches as a training loop gets them (read), and writes them in other formats
(convert). It reads CNTK's configurations, too (config).)";

constexpr const char* kFirstSteps = R"(What people do first with training data made of sequences:

  sheaf head train.ctf                   shows the first sequences, and the streams
  sheaf check train.ctf                  finds everything that is wrong
  sheaf stat train.ctf                   shows lengths, values and duplicates
  sheaf read train.ctf --format none     says how fast minibatches come
  sheaf convert train.ctf train.sheaf    writes a file that loads faster
)";

constexpr const char* kCommandFooter = R"(Streams:
  Without --stream all streams that a file has are found by reading it, and named
  on standard error. --stream says which to read, and what they are:
    --stream features:dense:64         64 values a sample
    --stream image:dense:8x8           the same, as a shape
    --stream labels:sparse:10          index:value pairs, indices 0 to 9
    --stream labels:sparse             the same; how many is found in the data
    --stream x:dense:3:alias=F0        called F0 in the file
    --stream words:sparse:9000:mb      its samples are what --minibatch-size counts

Examples:
  sheaf head train.ctf
  sheaf check train.ctf --stream features:dense:64 --stream labels:sparse:10
  sheaf stat train.ctf
  sheaf report train.ctf -o report.html
  sheaf read train.ctf --minibatch-size 32 --format json
  sheaf read train.ctf --format none --json
  sheaf convert train.ctf train.cbf
  source <(sheaf completion bash)

Output:
  Data go to standard output, diagnostics and messages to standard error. With
  --json standard output is JSON alone.

Environment:
  NO_COLOR   set to anything: no colour, unless --color always
  TERM       "dumb": the same

Exit codes:
  0  good, also where the reader of standard output has gone
  1  bad data, or bytes that cannot be read or written
  2  bad usage: options that are unknown or contradict each other or the data
  130, 143  ended by SIGINT or SIGTERM, with what was being written cleared away)";

class Formatter : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override {
    std::string text = app->get_description();
    if (app->get_parent() != nullptr) {  // the title of a verb: "sheaf read - deliver ..."
      text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
      text = "sheaf " + verb_path(*app) + " - " + text;
    }
    return paragraphs(text) + "\n";
  }

  std::string make_usage(const CLI::App* app, std::string /*name*/) const override {
    std::string text = "Usage: ";
    text += app->get_parent() == nullptr ? app->get_name() : "sheaf " + verb_path(*app);
    if (!app->get_subcommands({}).empty()) return text + " VERB [OPTIONS]\n";
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_positional()) text += " " + make_option_usage(option);
    }
    return text + " [OPTIONS]\n";
  }

  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const override {
    std::string text;
    for (const CLI::App* verb : app->get_subcommands({})) {
      if (mode == CLI::AppFormatMode::All) {
        text += "\n" + std::string(kTextWidth, '-') + "\n\n" + verb->help();
        text += make_subcommands(verb, mode);
      } else {
        text += fmt::format("  {:<12}{}\n", verb->get_name(), short_description(*verb));
      }
    }
    if (text.empty() || mode == CLI::AppFormatMode::All) return text;
    const std::string path = verb_path(*app);
    return fmt::format("\nVerbs (sheaf help {}{}VERB tells more):\n{}", path,
                       path.empty() ? "" : " ", text);
  }

  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    std::string text = "\n" + (is_positional ? std::string("Arguments") : group) + ":\n";
    for (const CLI::Option* option : options) text += make_option(option, is_positional);
    return text;
  }

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    // Both CLI11 and make_group() put a blank line before a group. One of them goes.
    for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;)
      text.erase(at, 1);
    return text;
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string text = "  " + make_option_name(option, is_positional);
    // Only the first long name is current.
    if (const std::vector<std::string>& names = option->get_lnames(); names.size() > 1) {
      text.resize(text.find("--") + 2 + names.front().size());
    }
    if (const std::size_t comma = text.find(','); comma != std::string::npos) {
      text.insert(comma + 1, " ");
    }
    std::string description = option->get_description();
    if (!is_positional && option->get_type_size() != 0) {
      if (!option->get_type_name().empty()) text += " " + option->get_type_name();
      if (!option->get_default_str().empty()) {
        description += fmt::format(" (default: {})", option->get_default_str());
      }
    }
    return text + "\n" + wrapped(description, 6, kTextWidth) + "\n";
  }

  std::string make_footer(const CLI::App* app) const override {
    return app->get_footer().empty() ? "" : app->get_footer() + "\n";
  }

 private:
  // Breaks the lines of each paragraph anew. Empty lines separate paragraphs.
  static std::string paragraphs(const std::string& text) {
    std::string out;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find("\n\n", begin), text.size());
      std::string paragraph = text.substr(begin, end - begin);
      // A title is a paragraph of one line.
      std::ranges::replace(paragraph, '\n', ' ');
      out += (out.empty() ? "" : "\n\n") + wrapped(paragraph, 0, kTextWidth);
      begin = end + 2;
    }
    return out + "\n";
  }
};

int run_help(CLI::App& command, const std::vector<std::string>& path) {
  Output output;
  CLI::App* verb = &command;
  for (const std::string& name : path) {
    const std::vector<std::string> names = verb_names(*verb);
    if (std::ranges::find(names, name) == names.end()) {
      throw ConfigError(
          fmt::format("there is no verb \"{}\"{}", fmt::join(path, " "), suggestion(name, names)));
    }
    verb = verb->get_subcommand(name);
  }
  output.text() = path.empty()
                      ? command.get_formatter()->make_help(&command, "", CLI::AppFormatMode::Normal)
                      : verb->help();
  output.flush();
  return kExitGood;
}

}  // namespace

const char* command_description() noexcept { return kCommandDescription; }
const char* command_footer() noexcept { return kCommandFooter; }
const char* first_steps() noexcept { return kFirstSteps; }

std::shared_ptr<CLI::FormatterBase> help_formatter() { return std::make_shared<Formatter>(); }

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = 0;  // 0 means that the line is empty
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (column > 0 && column + 1 + word.size() > width) {
      out += '\n';
      column = 0;
    }
    out += column == 0 ? std::string(indent, ' ') : " ";
    column += (column == 0 ? indent : 1) + word.size();
    out += word;
  }
  return out;
}

std::string short_description(const CLI::App& verb) {
  const std::string text = verb.get_description();
  return text.substr(0, text.find('\n'));
}

std::string verb_path(const CLI::App& verb) {
  if (verb.get_parent() == nullptr) return "";
  const std::string group = verb_path(*verb.get_parent());
  return group + (group.empty() ? "" : " ") + verb.get_name();
}

std::vector<std::string> verb_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* verb : command.get_subcommands({})) names.push_back(verb->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

Verb add_help(CLI::App& parent) {
  CLI::App* const app = parent.add_subcommand("help", "Show help for the command or for a verb");
  const auto path = std::make_shared<std::vector<std::string>>();
  app->add_option("VERB", *path, "The verb to tell about, also a verb of a verb: position seek");
  return {app, [path, &parent] { return run_help(parent, *path); }};
}

}  // namespace sheaf::cli
