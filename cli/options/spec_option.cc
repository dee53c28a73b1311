#include "options/spec_option.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/config_reader.h"
#include "sheaf/error.h"
#include "sheaf/extend/config.h"
#include "sheaf/spec.h"

#include "options/data_options.h"
#include "options/help.h"
#include "options/mix_options.h"
#include "options/options.h"
#include "options/transform_option.h"
#include "output/console.h"
#include "output/counted.h"

namespace sheaf::cli {
namespace {

constexpr const char* kSpecGroup = "Spec";
constexpr const char* kConfigGroup = "Configuration";

// Returns the options that both a spec and a reader section replace.
std::vector<const char*> said_by_spec(const DataNames& names) {
  std::vector<const char*> said = {
      "--stream",
      "--skip-sequence-ids",
      "--keys",
      "--missing-streams",
      "--compatibility",
      names.chunk_size,
      names.format,
      names.format_option,
      "--join",
      "--missing-sequences",
      "--same-keys",
      "--lengths",
      "--length-tolerance",
      "--length-streams",
      "--mix",
      "--exhausted",
      "--mix-schedule",
  };
  if (!names.is_precision_of_output) said.push_back("--dtype");
  return said;
}

// The options that only a spec replaces.
constexpr const char* kSaidBySpec[] = {"--transform"};

// The options that only a reader section replaces. Beside a spec, these options change the spec.
constexpr const char* kSaidByConfig[] = {
    "--order",        "--seed",       "--window-chunks", "--window-samples",
    "--split-frames", "--sweep-ends", "--batching",      "--truncation-length",
    "--row-samples",  "--long",       "--timeline",      "--balance",
    "--sizes",        "--drop-last"};

// Throws: ConfigError if the user gave paths beside `source`, which is --spec or --config.
void check_no_other(const DataOptions& options, const char* source) {
  if (!options.paths.empty()) {
    throw ConfigError(fmt::format("{} and {} both say what is read: leave \"{}\" out, or {}",
                                  options.names.path, source, options.paths.front(), source));
  }
}

void check_no_other_than_config(const DataOptions& options) {
  check_no_other(options, "--config");
  const auto refuse = [&](const char* name) {
    if (!is_given(*options.verb, name)) return;
    throw ConfigError(
        fmt::format("{}: the section of --config says it: change that with --set KEY=VALUE", name));
  };
  std::ranges::for_each(said_by_spec(options.names), refuse);
  std::ranges::for_each(kSaidByConfig, refuse);
}

void check_no_other_than_spec(const DataOptions& options) {
  check_no_other(options, "--spec");
  const auto refuse = [&](const char* name) {
    if (!is_given(*options.verb, name)) return;
    throw ConfigError(fmt::format("{}: the spec says what is read: change it there", name));
  };
  std::ranges::for_each(said_by_spec(options.names), refuse);
  std::ranges::for_each(kSaidBySpec, refuse);
}

// Returns the section of --section, or the only reader section.
ConfigSection chosen_section(const Config& config, const SpecChoice& choice) {
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

Spec spec_of_config(const SpecChoice& choice, Console& console, std::int64_t minibatch_size) {
  const Config config = Config::from_file(choice.files, choice.words);
  const auto tell = [&] {
    console.print_diagnostics(config.warnings());
    if (config.warnings_left_out() > 0) {
      console.print_note(counted(config.warnings_left_out(), "more warning"));
    }
  };
  try {
    Spec spec =
        configured_reader(chosen_section(config, choice), builtin_formats(), minibatch_size).spec;
    tell();
    return spec;
  } catch (const Error&) {
    tell();
    throw;
  }
}

void add_spec_options(CLI::App& verb, SpecChoice& choice, const DataNames& names) {
  verb.add_option(
          "--spec", choice.spec,
          fmt::format("Read what this spec in JSON says, in place of {} and the options about "
                      "data. Options about order and minibatches change what the spec says about "
                      "them. Relative paths in the spec start at its folder",
                      names.path))
      ->type_name("FILE")
      ->group(kSpecGroup);
  verb.add_option(
          "--config", choice.files,
          fmt::format("Read what a reader section of this CNTK configuration says, in place of {} "
                      "and the options about data and order. A+B names several files",
                      names.path))
      ->type_name("FILE")
      ->group(kConfigGroup);
  verb.add_option("--section", choice.section,
                  "The reader section, such as Train/reader; needed if there are several")
      ->type_name("PATH")
      ->group(kConfigGroup);
  verb.add_option(
          "--set", choice.words,
          "A setting that follows those of the file. Repeat the option for each. "
          "'Train=[reader=[file=b]]' changes a section; DataDir=/data sets the value of $DataDir$")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group(kConfigGroup);
}

void read_spec(DataOptions& options, Console& console) {
  const SpecChoice& choice = options.choice;
  const CLI::App& verb = *options.verb;
  if (choice.files.empty() && (is_given(verb, "--section") || is_given(verb, "--set"))) {
    throw ConfigError("--section and --set belong to a configuration: --config says which");
  }
  if (!choice.spec.empty()) {
    if (!choice.files.empty()) {
      throw ConfigError("--spec and --config both say what is read: leave one out");
    }
    check_no_other_than_spec(options);
    options.spec = load_spec(choice.spec);
  } else if (!choice.files.empty()) {
    check_no_other_than_config(options);
    const std::int64_t size =
        is_given(verb, "--minibatch-size")
            ? std::stoll(verb.get_option("--minibatch-size")->as<std::string>())
            : OrderOptions{}.minibatch_size;
    options.spec = spec_of_config(choice, console, size);
  } else if (options.paths.empty() && options.mix.members.empty()) {
    check_mix_options(options);
    throw ConfigError(
        fmt::format("{} is required, or --config, or --spec\n  sheaf help {} tells more",
                    options.names.path, verb_path(verb)));
  }
  // The command refuses a wrong option before it reads standard input.
  if (!options.spec) check_mix_options(options);
  static_cast<void>(parse_transform_options(options.transforms));
  take_standard_input(options);
  if (options.spec && !is_given(verb, "--max-errors")) {
    options.run.max_errors = options.spec->read.max_errors;
  }
}

}  // namespace sheaf::cli
