// sheaf config: lists the settings of CNTK configurations.

#include "sheaf/extend/config.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sheaf/config_reader.h"
#include "sheaf/error.h"
#include "sheaf/extend/format.h"
#include "sheaf/spec.h"

#include "options/spec_option.h"
#include "output/console.h"
#include "output/counted.h"
#include "output/format_diagnostic.h"
#include "output/output.h"
#include "verbs/verbs.h"

namespace sheaf::cli {
namespace {

struct ConfigVerbOptions {
  std::string file;
  std::vector<std::string> words;
  std::string section;
  bool has_readers_only = false;
  bool is_raw = false;
  bool describes = false;
  bool prints_spec = false;
  std::string relative_to;
  bool json = false;
};

/// One setting, neither a section nor an array of sections.
struct Line {
  std::string path;
  std::string value;
  ConfigLocation location;
};

/// A reader section and the lines that describe what the reader does. A section with an error has
/// no ReaderWords. Listing::errors has that error.
struct ReaderWords {
  std::string path;
  std::vector<std::string> lines;
};

/// The printed contents of a configuration.
struct Listing {
  std::vector<ReaderWords> readers;
  std::vector<Line> lines;
  std::vector<std::string> networks;  // paths of skipped sections
  std::vector<Diagnostic> warnings;
  std::int64_t warnings_left_out = 0;
  std::vector<Diagnostic> errors;
  std::int64_t errors_left_out = 0;
  bool has_no_reader = false;  // no reader to describe
};

constexpr std::size_t kErrorsMax = 1000;

bool is_network(std::string_view key) {
  return CLI::detail::to_lower(std::string(key)).find("networkbuilder") != std::string::npos;
}

/// Walks over sections, in order. An error in one setting does not stop the listing of the others.
class Lister {
 public:
  Lister(Listing& listing, bool is_raw) : listing_(listing), is_raw_(is_raw) {}

  void list(const ConfigSection& section) {
    for (const ConfigValue& value : section.settings()) {
      try {
        list(value);
      } catch (const ConfigTextError& error) {
        add(error.diagnostic());
      }
    }
  }

 private:
  // Adds an error, unless an earlier setting had the same error: a bad name fails in every setting
  // that uses the name.
  void add(const Diagnostic& error) {
    std::string location =
        fmt::format("{} {} {}\n{}", error.path, error.byte_offset, error.code, error.hint);
    if (!locations_.insert(std::move(location)).second) return;
    if (listing_.errors.size() < kErrorsMax) {
      listing_.errors.push_back(error);
    } else {
      ++listing_.errors_left_out;
    }
  }

  void list(const ConfigValue& value) {
    const bool is_of_sections = value.key() == "deserializers" || value.key() == "transforms";
    if (is_of_sections && !is_raw_) {
      for (const ConfigSection& section : value.sections()) list(section);
    } else if (value.is_section()) {
      if (is_network(value.key())) {
        listing_.networks.push_back(value.path());
      } else {
        list(value.section());
      }
    } else if (!value.is_array() || !list_sections(value, is_of_sections)) {
      add(value);
    }
  }

  /// Lists the elements of an array that contains sections. Returns false for any other array,
  /// which is a plain value.
  bool list_sections(const ConfigValue& array, bool is_of_sections) {
    const std::vector<ConfigValue> elements = array.elements();
    const auto is_section = [](const ConfigValue& value) { return value.is_section(); };
    if (!is_of_sections && std::ranges::none_of(elements, is_section)) return false;
    for (const ConfigValue& element : elements) list(element);
    return true;
  }

  void add(const ConfigValue& value) {
    listing_.lines.push_back({.path = value.path(),
                              .value = is_raw_ ? value.raw() : value.as<std::string>(),
                              .location = value.location()});
  }

  Listing& listing_;
  bool is_raw_;
  std::unordered_set<std::string> locations_;  // identify the errors so far
};

// Describes the readers in words. An error in one reader does not stop the others.
void describe_readers(const Config& config, Listing& listing) {
  for (const ConfigSection& section : config.reader_sections()) {
    ReaderWords words{.path = section.path(), .lines = {}};
    try {
      words.lines = describe(configured_reader(section));
    } catch (const ConfigTextError& error) {
      if (listing.errors.size() < kErrorsMax) {
        listing.errors.push_back(error.diagnostic());
      } else {
        ++listing.errors_left_out;
      }
      continue;
    }
    listing.readers.push_back(std::move(words));
  }
}

Listing list(const ConfigVerbOptions& options) {
  Listing listing;
  ConfigOptions reading;
  if (options.is_raw) reading = {.dialect = ConfigDialect::cntk, .resolves_names = false};
  try {
    const Config config = Config::from_file(options.file, options.words, reading);
    Lister lister(listing, options.is_raw);
    if (options.describes) {
      describe_readers(config, listing);
      listing.has_no_reader = listing.readers.empty() && listing.errors.empty();
    } else if (options.has_readers_only) {
      for (const ConfigSection& section : config.reader_sections()) lister.list(section);
    } else {
      lister.list(config.section_at(options.section));
    }
    listing.warnings.assign(config.warnings().begin(), config.warnings().end());
    listing.warnings_left_out = config.warnings_left_out();
  } catch (const ConfigTextError& error) {
    listing.errors.push_back(error.diagnostic());
  }
  return listing;
}

/// Returns a value on one line. Each run of newlines and tabs becomes one blank.
std::string on_one_line(std::string_view text) {
  std::string line;
  bool is_blank = false;
  for (const char byte : text) {
    const bool breaks = byte == '\n' || byte == '\r' || byte == '\t';
    if (breaks && !is_blank) line += ' ';
    if (!breaks) line += byte;
    is_blank = breaks;
  }
  return line;
}

nlohmann::ordered_json json_of(const std::vector<Diagnostic>& diagnostics) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    std::string text;
    append_diagnostic(text, diagnostic);
    list.push_back(nlohmann::ordered_json::parse(text));
  }
  return list;
}

void append_json(std::string& out, const Listing& listing) {
  nlohmann::ordered_json settings = nlohmann::ordered_json::array();
  for (const Line& line : listing.lines) {
    settings.push_back({{"setting", line.path},
                        {"value", line.value},
                        {"path", line.location.path},
                        {"line", line.location.line},
                        {"column", line.location.column}});
  }
  nlohmann::ordered_json readers = nlohmann::ordered_json::object();
  for (const ReaderWords& reader : listing.readers) readers[reader.path] = reader.lines;
  const nlohmann::ordered_json json = {{"settings", std::move(settings)},
                                       {"readers", std::move(readers)},
                                       {"networks", listing.networks},
                                       {"warnings", json_of(listing.warnings)},
                                       {"warnings_left_out", listing.warnings_left_out},
                                       {"errors", json_of(listing.errors)},
                                       {"errors_left_out", listing.errors_left_out}};
  out += json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

void print_messages(const Listing& listing, Console& console) {
  console.print_diagnostics(listing.warnings);
  if (listing.warnings_left_out > 0) {
    console.print_note(counted(listing.warnings_left_out, "more warning"));
  }
  for (const std::string& path : listing.networks) {
    console.print_note(path + ": describes a network, and is passed over");
  }
  if (listing.has_no_reader) console.print_note("no section of the configuration is a reader");
  console.print_diagnostics(listing.errors);
  if (listing.errors_left_out > 0) {
    console.print_note(counted(listing.errors_left_out, "more error"));
  }
}

// Prints the spec that a reader section stands for. A spec resolves relative paths against its own
// folder, which is not known yet. The printed paths are therefore absolute, or relative to the
// folder of --relative-to.
int print_spec(const ConfigVerbOptions& options, Console& console) {
  Spec spec = spec_of_config(
      {.files = options.file, .section = options.section, .words = options.words}, console);
  for (FilesSpec* const files : files_of(spec.data)) {
    std::vector<std::string*> paths = paths_among(files->format.extra);
    for (std::string& path : files->files) paths.push_back(&path);
    for (std::string* const path : paths) {
      *path = std::filesystem::absolute(*path).string();
      if (options.relative_to.empty()) continue;
      const std::filesystem::path folder = std::filesystem::absolute(options.relative_to);
      *path = std::filesystem::path(*path).lexically_relative(folder.lexically_normal()).string();
    }
  }
  Output output;
  output.text() += to_json(spec);
  output.flush();
  return kExitGood;
}

int run_config(const ConfigVerbOptions& options, Console& console) {
  if (!options.relative_to.empty() && !options.prints_spec) {
    throw ConfigError("--relative-to is about the paths of --spec");
  }
  if (options.prints_spec) return print_spec(options, console);
  const Listing listing = list(options);
  Output output;
  if (options.json) {
    append_json(output.text(), listing);
  } else {
    for (const ReaderWords& reader : listing.readers) {
      output.text() += on_one_line(reader.path);
      output.end_line();
      for (const std::string& line : reader.lines) {
        output.text() += "  " + on_one_line(line);
        output.end_line();
      }
    }
    for (const Line& line : listing.lines) {
      output.text() += on_one_line(line.path) + '\t' + on_one_line(line.value);
      output.end_line();
    }
  }
  output.flush();
  if (!options.json) print_messages(listing, console);
  return listing.errors.empty() ? kExitGood : kExitBadData;
}

constexpr const char* kConfigDescription = R"(Show what is set in a CNTK configuration

Prints a line for each setting: its path, a tab, and its value, with names such as $DataDir$
replaced. '@' and a number name an element of an array of sections. Prints errors and warnings on
standard error, with file, line and column. After an error, prints the other settings nevertheless.

Passes over sections that describe networks (...NetworkBuilder...).)";

constexpr const char* kConfigFooter = R"(Examples:
  sheaf config train.cntk --describe
  sheaf config train.cntk --readers
  sheaf config train.cntk --section Train/reader --spec > train.json
  sheaf config train.cntk --section Train/reader --set DataDir=/data --set 'Train=[reader=[file=b]]'

Exit codes:
  0 good, also with warnings; 1 something is wrong in the file, or it cannot be read; 2 bad usage)";

}  // namespace

Verb add_config(CLI::App& parent, Console& console) {
  CLI::App* const app = parent.add_subcommand("config", kConfigDescription);
  app->footer(kConfigFooter);
  const auto options = std::make_shared<ConfigVerbOptions>();
  app->add_option("FILE", options->file,
                  "A configuration. A+B names several: settings of B override those of A")
      ->required()
      ->type_name("FILE");
  app->add_option("--set", options->words,
                  "Override a setting, as an argument of CNTK's command line does. Repeat the "
                  "option for each")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group("Configuration");
  app->add_flag(
         "--raw", options->is_raw,
         "Show what CNTK's own parser finds, including junk, and keep names such as $DataDir$")
      ->group("Configuration");
  CLI::Option* const section =
      app->add_option("--section", options->section, "Show only this section, such as Train/reader")
          ->type_name("NAME/NAME")
          ->group("Output");
  app->add_flag("--readers", options->has_readers_only,
                "Show only the sections of readers: those with readerType or deserializers, and "
                "those whose name ends in \"reader\"")
      ->excludes(section)
      ->group("Output");
  app->add_flag(
         "--describe", options->describes,
         "Describe what each reader section does and what it ignores, in place of the settings")
      ->excludes(section)
      ->group("Output");
  app->add_flag("--spec", options->prints_spec,
                "Print the spec in JSON that a reader section stands for, in place of the "
                "settings. sheaf read --spec reads it. Its paths are absolute")
      ->group("Output");
  app->add_option("--relative-to", options->relative_to,
                  "Write the paths of --spec relative to DIR, the folder of the spec")
      ->type_name("DIR")
      ->group("Output");
  app->add_flag("--json", options->json,
                "Print a JSON object: settings (setting, value, path, line, column), readers (in "
                "words), networks, warnings, warnings_left_out, errors, errors_left_out")
      ->group("Output");
  return {app, [options, &console] { return run_config(*options, console); }};
}

}  // namespace sheaf::cli
