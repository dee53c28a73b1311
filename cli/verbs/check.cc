#include "sheaf/check.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/error.h"

#include "options/data_options.h"
#include "options/option_words.h"
#include "options/options.h"
#include "output/console.h"
#include "output/counted.h"
#include "output/format_diagnostic.h"
#include "output/format_minibatch.h"
#include "output/output.h"
#include "output/progress.h"
#include "output/table.h"
#include "verbs/verbs.h"

namespace sheaf::cli {
namespace {

struct CheckVerbOptions {
  DataOptions data;
  std::int64_t shown_max = 100;  // 0: all
  When progress = When::automatic;
  bool json = false;
};

// Checks the data and prints each error as soon as the check finds it. There is a report even if
// the data cannot be opened or read to their end.
class CheckRun {
 public:
  CheckRun(const CheckVerbOptions& options, Console& console)
      : options_(options), console_(console), report_(run()) {}

  [[nodiscard]] const CheckReport& report() const noexcept { return report_; }

  // Returns the report with the errors and warnings that were printed.
  [[nodiscard]] CheckReport described_report() const {
    CheckReport report = report_;
    report.errors.first = errors_;
    report.warnings.first = warnings_;
    return report;
  }

  // Prints how many errors were not shown.
  void print_rest() {
    std::int64_t more = report_.errors.count - shown_errors_;
    for (const std::string& stream : repeated_) {
      const std::int64_t count = report_.missing_streams.at(stream);
      more -= count - 1;
      console_.print_note(fmt::format("stream \"{}\": {} of {} sequences have none", stream, count,
                                      report_.sequences + report_.holes));
    }
    if (more > 0) console_.print(fmt::format("... and {} more", more));
  }

 private:
  CheckReport run() {
    Progress progress(console_, options_.progress,
                      data_size_bytes(options_.data, shows_progress(console_, options_.progress)));
    progress.opening();
    CheckOptions check{.limit = options_.shown_max == 0 ? kAll : options_.shown_max,
                       .described = [this](const Diagnostic& each,
                                           bool is_repeated) { describe(each, is_repeated); },
                       .run = {.memory_limit_bytes = options_.data.run.memory_limit_bytes,
                               .progress = [&](std::int64_t end) { progress.update(end); }}};
    CheckReport report;
    try {
      const OpenData open = cli::open(options_.data);
      if (!options_.json) print_found_streams(console_, options_.data, open);
      check.run.executor = open.executor.get();
      progress.begin(*open.data);
      report = with_option_words([&] { return sheaf::check(open.opened(), check); });
    } catch (const DataError& error) {
      report = sheaf::check(error, check);
      if (const auto part = chosen_data(options_.data).part) {
        report.part = {.part = *part, .limit = check.limit, .is_open = false};
      }
    }
    progress.finish();
    return report;
  }

  void describe(const Diagnostic& diagnostic, bool is_repeated) {
    if (is_repeated) {
      repeated_.insert(diagnostic.stream);
    } else {
      console_.print(diagnostic_text(diagnostic, console_.has_color()));
      shown_errors_ += diagnostic.severity == Severity::warning ? 0 : diagnostic.count;
    }
    if (!options_.json) return;
    (diagnostic.severity == Severity::warning ? warnings_ : errors_).push_back(diagnostic);
  }

  const CheckVerbOptions& options_;
  Console& console_;
  std::vector<Diagnostic> errors_;  // for JSON, here and below
  std::vector<Diagnostic> warnings_;
  std::set<std::string> repeated_;  // streams that most sequences lack, reported once each
  std::int64_t shown_errors_ = 0;
  CheckReport report_;
};

std::string location_text(const Diagnostic& diagnostic) {
  if (diagnostic.byte_offset == Diagnostic::kNoOffset) return "-";
  if (diagnostic.line == 0) return fmt::format("byte {}", diagnostic.byte_offset);
  if (diagnostic.column == 0) return fmt::format("{}", diagnostic.line);
  return fmt::format("{}:{}", diagnostic.line, diagnostic.column);
}

void append_kinds(std::string& out, const CheckedErrors& errors, const char* title) {
  if (errors.by_code.empty()) return;
  std::vector<std::vector<std::string>> rows = {{"", title, "first at"}};
  for (const auto& [code, kind] : errors.by_code) {
    rows.push_back({code, fmt::format("{}", kind.count), location_text(kind.first)});
  }
  append_table(out, rows, 2);
}

// Appends a line such as: stream "labels": 12 sequences have fewer samples than their longest
// stream; samples missing: 1 in 9, 2 in 2, 3 to 4 in 1
void append_difference(std::string& out, const LengthDifference& difference) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "stream \"{}\": {} fewer samples than {} longest stream; samples missing:",
                 terminal_text(difference.stream),
                 difference.sequences == 1 ? "1 sequence has"
                                           : fmt::format("{} sequences have", difference.sequences),
                 difference.sequences == 1 ? "its" : "their");
  std::string_view separator = " ";
  for (const auto& [last, count] : difference.by_size) {
    const std::int64_t first = last / 2 + 1;
    const std::int64_t end = std::min(last, difference.largest);
    fmt::format_to(to, "{}{} in {}", separator,
                   first >= end ? fmt::format("{}", end) : fmt::format("{} to {}", first, end),
                   count);
    separator = ", ";
  }
  out += '\n';
}

void append_readable(std::string& out, const std::string& path, const CheckReport& report) {
  fmt::format_to(
      std::back_inserter(out),
      "{}: sequences {}, samples {}, streams {}; left out {}, wrong places {}, warnings {}\n", path,
      report.sequences, report.samples, report.streams.size(), report.holes, report.errors.count,
      report.warnings.count);
  append_kinds(out, report.errors, "places");
  append_kinds(out, report.warnings, "warnings");
  for (const LengthDifference& each : report.length_differences) append_difference(out, each);
}

int run_check(const CheckVerbOptions& options, Console& console) {
  CheckRun run(options, console);
  const CheckReport& report = run.report();
  run.print_rest();
  if (const std::int64_t more = report.warnings.count - report.warnings.described; more > 0) {
    console.print("... and " + counted(more, "more warning"));
  }
  Output output;
  if (options.json) {
    output.text() += to_json(run.described_report(), data_name(options.data));
  } else {
    append_readable(output.text(), data_name(options.data), report);
  }
  output.flush();
  return report.errors.count > 0 ? kExitBadData : kExitGood;
}

constexpr const char* kCheckDescription =
    R"(Read a whole file and report everything that is wrong with it

Counts every error, and reads on to the end of the file. Describes the first errors on
standard error, in the order of the file, like the messages of a compiler. Prints a summary by kind
on standard output. Counts warnings separately: a warning points out data that are allowed but
unusual.)";

constexpr const char* kCheckFooter = R"(Examples:
  sheaf check train.ctf
  sheaf check train.ctf --stream features:dense:64 --limit all 2> all-of-it.txt
  sheaf check train.ctf --json | python3 -m json.tool
  sheaf check train.ctf --part 3/8 --json > check-3.json

Exit codes:
  0 nothing is wrong; 1 something is wrong, or the file cannot be read; 2 bad usage)";

}  // namespace

Verb add_check(CLI::App& parent, Console& console) {
  CLI::App* const app = parent.add_subcommand("check", kCheckDescription);
  app->footer(kCheckFooter);
  const auto options = std::make_shared<CheckVerbOptions>();
  options->data.format.takes_first_form = true;  // report all wrong samples, not only the first one
  add_data_options(*app, options->data);
  add_count(*app, "--limit", options->shown_max, {.word = "all", .meaning = 0},
            "How many errors, and how many warnings, to describe")
      ->group("Output");
  app->add_flag(
         "--json", options->json,
         "Print a JSON object: path; sequences and samples of the good sequences (samples "
         "also as counted_samples, since minibatch sizes count them); holes (sequences left "
         "out); places (the number of errors); by_code {CODE: {count, first}}; warning_places; "
         "warnings_by_code; streams; length_differences [{stream, sequences, largest, by_size}]; "
         "diagnostics; warnings")
      ->group("Output");
  add_progress_options(*app, options->progress);
  return {app, [options, &console] {
            read_spec(options->data, console);
            return run_check(*options, console);
          }};
}

}  // namespace sheaf::cli
