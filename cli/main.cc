// The command `sheaf`: data on standard output, all else on standard error.

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "sheaf/error.h"
#include "sheaf/version.h"

#include "data_options.h"
#include "output.h"
#include "verbs.h"

namespace sheaf::cli {
namespace {

constexpr const char* kDescription =
    "sheaf - loads training data made of sequences, in a reproducible order";

constexpr const char* kFooter = R"(
Streams
  A file holds named streams; --stream says which to read and what they are:
    --stream features:dense:64         64 values a sample
    --stream image:dense:8x8           the same, as a shape
    --stream labels:sparse:10          index:value pairs, indices 0 to 9
    --stream x:dense:3:alias=F0        called F0 in the file
    --stream words:sparse:9000:mb      its samples are what the minibatch size counts

Examples
  sheaf head -n 2 train.ctf --stream features:dense:64 --stream labels:sparse:10
  sheaf check train.ctf --stream features:dense:64 --stream labels:sparse:10
  sheaf read train.ctf --stream features:dense:64 --minibatch-size 32 --format json
  sheaf read train.ctf --stream features:dense:64 --format none --json
  sheaf read train.ctf --stream x:dense:3 --max-minibatches 100 --save-position at.json
  sheaf read train.ctf --stream x:dense:3 --resume at.json

Output
  Data go to standard output, diagnostics and messages to standard error.

Exit codes
  0  good, also where the reader of standard output has gone
  1  bad data, or bytes that cannot be read or written
  2  bad usage: options that are unknown or contradict each other or the data
)";

// The help, with descriptions that fit a terminal.
class Formatter : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    constexpr std::size_t kWidth = 66;
    std::string text = option->get_description();
    std::size_t line = 0;  // where it begins
    while (text.size() - line > kWidth) {
      const std::size_t space = text.rfind(' ', line + kWidth);
      if (space == std::string::npos || space < line) break;
      text[space] = '\n';
      line = space + 1;
    }
    return text;
  }
};

void print_error(const std::string& text) {
  std::fputs(("sheaf: error: " + text + "\n").c_str(), stderr);
}

// Print help or version, or say what is wrong with the arguments.
int finish_parsing(const CLI::App& app, const CLI::ParseError& error) {
  Output output;
  if (dynamic_cast<const CLI::CallForHelp*>(&error) != nullptr) {
    output.text() = app.help();
  } else if (dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr) {
    output.text() = "sheaf " + std::string(kVersion) + "\n";
  } else {
    print_error(std::string(error.what()) + "\n  sheaf --help tells more");
    return kExitBadUsage;
  }
  output.flush();
  return kExitGood;
}

int run(int argc, char** argv) {
  CLI::App app(kDescription, "sheaf");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string(kVersion), "Print the version");
  app.require_subcommand(0, 1);
  app.formatter(std::make_shared<Formatter>());
  const std::vector<Verb> verbs = {add_head(app), add_check(app), add_read(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return finish_parsing(app, error);
  }
  for (const Verb& verb : verbs) {
    if (verb.app->parsed()) return verb.run();
  }
  print_error("a verb is needed: head, check or read\n  sheaf --help tells more");
  return kExitBadUsage;
}

// Every error ends here; its kind makes the exit code.
int guarded_run(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const OutputClosed&) {
    return kExitGood;
  } catch (const ConfigError& error) {
    print_error(error.what());
    return kExitBadUsage;
  } catch (const DataError& error) {
    print_diagnostics(error.diagnostics());
    print_error("stopped at bad data; --max-errors tolerates it, sheaf check lists all of it");
    return kExitBadData;
  } catch (const std::exception& error) {
    print_error(error.what());
    return kExitBadData;
  }
}

}  // namespace
}  // namespace sheaf::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a write then fails with EPIPE, which Output understands
  return sheaf::cli::guarded_run(argc, argv);
}
