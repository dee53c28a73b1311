#include "config_option.h"

#include <optional>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/config.h"
#include "sheaf/config_reader.h"
#include "sheaf/error.h"

#include "console.h"
#include "counted.h"
#include "data_options.h"
#include "help.h"

namespace sheaf::cli {
namespace {

constexpr const char* kConfigGroup = "Configuration";

// What a reader section says.
constexpr const char* kSaidByConfig[] = {"--stream",
                                         "--precision",
                                         "--skip-sequence-ids",
                                         "--keys",
                                         "--missing-streams",
                                         "--compatibility",
                                         "--chunk-bytes",
                                         "--data-format",
                                         "--format-option",
                                         "--join",
                                         "--missing-sequences",
                                         "--same-keys",
                                         "--order",
                                         "--seed",
                                         "--window-chunks",
                                         "--window-samples",
                                         "--split-frames",
                                         "--sweep-ends",
                                         "--batching",
                                         "--truncation-length",
                                         "--row-samples",
                                         "--timeline",
                                         "--balance"};

bool is_given(const CLI::App& verb, const char* name) {
  const CLI::Option* const option = verb.get_option_no_throw(name);
  return option != nullptr && option->count() > 0;
}

void check_no_other(const DataOptions& options) {
  if (!options.paths.empty()) {
    throw ConfigError(
        fmt::format("FILE and --config both say what is read: leave \"{}\" out, or --config",
                    options.paths.front()));
  }
  for (const char* const name : kSaidByConfig) {
    if (!is_given(*options.verb, name)) continue;
    throw ConfigError(
        fmt::format("{}: the section of --config says it: change that with --set KEY=VALUE", name));
  }
}

// The section that was named, or the only one there is.
ConfigSection chosen_section(const Config& config, const ConfigChoice& choice) {
  if (!choice.section.empty()) return config.section_at(choice.section);
  const std::vector<ConfigSection> sections = config.reader_sections();
  if (sections.size() == 1) return sections.front();
  std::string all;
  for (const ConfigSection& section : sections) all += "\n  --section " + section.path().substr(1);
  throw ConfigError(fmt::format("--config: {} in {}: name one{}",
                                sections.empty() ? "no reader section" : "several reader sections",
                                choice.files, all));
}

}  // namespace

void add_config_options(CLI::App& verb, ConfigChoice& choice) {
  verb.add_option(
          "--config", choice.files,
          "A CNTK configuration, or several as A+B: one of its reader sections says what is "
          "read and in which order, in place of FILE and the options about these")
      ->type_name("FILE")
      ->group(kConfigGroup);
  verb.add_option("--section", choice.section,
                  "The reader section, as Train/reader; needed where there are several")
      ->type_name("PATH")
      ->group(kConfigGroup);
  verb.add_option("--set", choice.words,
                  "A setting behind all those of the file, once for each: "
                  "'Train=[reader=[file=b]]' changes what a section says, DataDir=/data what "
                  "$DataDir$ stands for")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group(kConfigGroup);
}

void read_config(DataOptions& options, Console& console) {
  const ConfigChoice& choice = options.config;
  if (choice.files.empty()) {
    if (is_given(*options.verb, "--section") || is_given(*options.verb, "--set")) {
      throw ConfigError("--section and --set belong to a configuration: --config says which");
    }
    if (options.paths.empty()) {
      throw ConfigError(fmt::format("FILE is required, or --config\n  sheaf help {} tells more",
                                    verb_path(*options.verb)));
    }
    return;
  }
  check_no_other(options);
  const Config config = Config::from_file(choice.files, choice.words);
  const auto tell = [&] {
    console.print_diagnostics(config.warnings());
    if (config.warnings_left_out() > 0) {
      console.print_note(counted(config.warnings_left_out(), "more warning"));
    }
  };
  try {
    options.configured = configured_reader(chosen_section(config, choice));
  } catch (const Error&) {
    tell();
    throw;
  }
  tell();
  if (!is_given(*options.verb, "--max-errors")) {
    options.run.max_errors = options.configured->max_errors;
  }
}

}  // namespace sheaf::cli
