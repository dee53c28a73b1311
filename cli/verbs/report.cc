#include "sheaf/report.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_sink.h"

#include "interrupt.h"
#include "options/data_options.h"
#include "options/option_words.h"
#include "options/options.h"
#include "output/console.h"
#include "output/output.h"
#include "output/progress.h"
#include "verbs/verbs.h"

namespace sheaf::cli {
namespace {

/// The conditions that make `sheaf report` end with exit code 1.
struct FailOn {
  bool error = false;
  bool warning = false;
  bool leak = false;
  std::optional<double> drift = {};
};

struct ReportVerbOptions {
  DataOptions data;
  std::string path;     // output file of the page or the JSON; empty: none
  std::string against;  // empty: no comparison
  std::vector<std::string> fail_on;
  When progress = When::automatic;
  bool has_no_values = false;
  bool overwrite = false;
  bool json = false;
};

Existing existing(const ReportVerbOptions& options) {
  return options.overwrite ? Existing::replace : Existing::refuse;
}

double drift_of(std::string_view text) {
  double drift = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, drift);
  if (error == std::errc() && stop == end && drift >= 0 && drift <= 1) return drift;
  throw ConfigError(fmt::format("--fail-on drift=X takes a number from 0 to 1: got \"{}\"", text));
}

// Throws: ConfigError for an unknown --fail-on, and for leak or drift without --against.
FailOn fail_on_of(const ReportVerbOptions& options) {
  constexpr std::string_view kDrift = "drift=";
  FailOn fail;
  for (const std::string& each : options.fail_on) {
    if (each == "error") {
      fail.error = true;
    } else if (each == "warning") {
      fail.warning = true;
    } else if (each == "leak") {
      fail.leak = true;
    } else if (each.starts_with(kDrift)) {
      fail.drift = drift_of(std::string_view(each).substr(kDrift.size()));
    } else {
      throw ConfigError(
          fmt::format("--fail-on takes error, warning, leak or drift=X: got \"{}\"", each));
    }
  }
  if ((fail.leak || fail.drift) && options.against.empty()) {
    throw ConfigError("--fail-on leak and drift compare with other data: --against names them");
  }
  return fail;
}

// Throws: ConfigError.
void check_path(const ReportVerbOptions& options) {
  if (options.path.empty()) return;
  std::vector<std::string> sources = options.data.paths;
  if (!options.against.empty()) sources.push_back(options.against);
  check_report_path(options.path, sources, existing(options));
}

// Returns the data to compare with. They are read with the same options as the data.
std::optional<DataSpec> data_against(const ReportVerbOptions& options) {
  if (options.against.empty()) return std::nullopt;
  DataSpec data = chosen_data(options.data);
  data.part.reset();
  auto* const files = std::get_if<FilesSpec>(&data.content);
  if (files == nullptr) {
    throw ConfigError("--against compares files: leave out --join and --mix");
  }
  files->files = {options.against};
  return data;
}

DataReport collect(const ReportVerbOptions& options, Console& console) {
  const bool is_shown = shows_progress(console, options.progress);
  Progress progress(console, options.progress, data_size_bytes(options.data, is_shown));
  const std::optional<DataSpec> against = data_against(options);
  const std::int64_t against_bytes =
      against ? data_size_bytes(*against, options.data, is_shown) : 0;
  progress.opening();
  ReportOptions report{
      .shows_values = !options.has_no_values, .against = against, .against_path = options.against};
  const OpenData open = cli::open(options.data);
  if (!options.json) print_found_streams(console, options.data, open);
  report.run = {.memory_limit_bytes = options.data.run.memory_limit_bytes,
                .executor = open.executor.get(),
                .progress = [&](std::int64_t end) { progress.update(end); }};
  progress.begin(*open.data, against_bytes);
  DataReport made = with_option_words(
      [&] { return sheaf::report(open.opened(), data_name(options.data), report); });
  progress.finish();
  return made;
}

void append_verdict(std::string& out, const DataReport& report) {
  for (const Finding& finding : report.verdict) {
    out += fmt::format("{}: {}: {}", to_string(finding.level), finding.section, finding.text);
    if (!finding.advice.empty()) out += ' ' + finding.advice;
    out += '\n';
  }
}

// Returns the reason why the run fails, or an empty text if the run succeeds.
std::string failure(const DataReport& report, const FailOn& fail) {
  const auto has = [&](FindingLevel worst) {
    return std::ranges::any_of(report.verdict,
                               [&](const Finding& finding) { return finding.level <= worst; });
  };
  if (fail.error && (report.error_count > 0 || has(FindingLevel::error))) {
    return "--fail-on error: the verdict has errors";
  }
  if (fail.warning && has(FindingLevel::warning)) {
    return "--fail-on warning: the verdict has warnings";
  }
  if (!report.against) return {};
  const Leaks& leaks = report.against->leaks;
  if (fail.leak && std::max(leaks.same, leaks.same_input) > 0) {
    return fmt::format("--fail-on leak: {} of {} sequences are in both data",
                       std::max(leaks.same, leaks.same_input), leaks.looked_at);
  }
  for (const Drift& drift : report.against->drift) {
    if (!fail.drift || drift.size <= *fail.drift) continue;
    return fmt::format("--fail-on drift={}: the drift of the {} is {:.4f}", *fail.drift, drift.what,
                       drift.size);
  }
  return {};
}

int run_report(const ReportVerbOptions& options, Console& console) {
  const FailOn fail = fail_on_of(options);
  check_path(options);
  const DataReport report = collect(options, console);
  if (!options.path.empty()) {
    const InterruptGuard guard;
    write_report(report, options.path, existing(options));
  }
  Output output;
  if (options.json) {
    output.text() += report.json;
  } else {
    append_verdict(output.text(), report);
  }
  output.flush();
  const std::string why = failure(report, fail);
  if (why.empty()) return kExitGood;
  console.print_error(why);
  return kExitBadData;
}

constexpr const char* kReportDescription =
    R"(Make a page that shows what to know of data before a training

The page says what is wrong and what to do, how long sequences are and what padding, buckets and
packing would cost, whether the file is shuffled, how labels are balanced, which sequences come
twice, and shows sequences. With --against, the page also compares the data with other data: which
sequences are in both, and how much lengths, values and labels differ.

The page is one file, which needs no network and no script. Equal data and options give equal bytes.
Standard output gets the verdict, or with --json all numbers.)";

constexpr const char* kReportFooter = R"(Examples:
  sheaf report train.ctf -o report.html
  sheaf report train.ctf -o report.html --against valid.ctf --fail-on leak --fail-on drift=0.2
  sheaf report train.ctf -o report.html --no-values
  sheaf report --spec train.json --json

Exit codes:
  0 good, also if sequences were left out; 1 --fail-on found what it names, or a file cannot be read
  or written; 2 bad usage)";

}  // namespace

Verb add_report(CLI::App& parent, Console& console) {
  CLI::App* const app = parent.add_subcommand("report", kReportDescription);
  app->footer(kReportFooter);
  const auto options = std::make_shared<ReportVerbOptions>();
  add_data_options(*app, options->data);
  constexpr const char* kGroup = "Output";
  app->add_option("-o,--output", options->path,
                  "The file to write: a page, or JSON if the name ends with .json. Replaces an "
                  "earlier report, but no other file")
      ->type_name("FILE")
      ->group(kGroup);
  app->add_flag("--overwrite", options->overwrite, "Replace the file, whatever it is")
      ->group(kGroup);
  app->add_option(
         "--against", options->against,
         "Other data to compare with, such as those of a test. The options about data hold "
         "for both")
      ->type_name("FILE")
      ->group(kGroup);
  app->add_option("--fail-on", options->fail_on,
                  "End with exit code 1 where the report has errors (error), errors or warnings "
                  "(warning), sequences that are in both data (leak), or a drift above X (drift=X, "
                  "X from 0 to 1). Repeat the option for more")
      ->type_name("WHAT")
      ->allow_extra_args(false)
      ->group(kGroup);
  app->add_flag("--no-values", options->has_no_values,
                "Show only counts and statistics, without values, keys and sequences")
      ->group(kGroup);
  app->add_flag("--json", options->json, "Print all numbers of the report as a JSON object")
      ->group(kGroup);
  add_progress_options(*app, options->progress);
  return {app, [options, &console] {
            read_spec(options->data, console);
            return run_report(*options, console);
          }};
}

}  // namespace sheaf::cli
