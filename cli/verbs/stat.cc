#include "sheaf/stat.h"

#include <cstdint>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "options/data_options.h"
#include "options/option_words.h"
#include "output/console.h"
#include "output/counted.h"
#include "output/format_stat.h"
#include "output/output.h"
#include "output/progress.h"
#include "verbs/verbs.h"

namespace sheaf::cli {
namespace {

struct StatVerbOptions {
  DataOptions data;
  When progress = When::automatic;
  bool has_no_duplicates = false;
  bool json = false;
};

StatReport collect(const StatVerbOptions& options, Console& console) {
  Progress progress(console, options.progress,
                    data_size_bytes(options.data, shows_progress(console, options.progress)));
  progress.opening();
  const OpenData open = cli::open(options.data);
  if (!options.json) print_found_streams(console, options.data, open);
  const StatOptions stat{.finds_duplicates = !options.has_no_duplicates,
                         .run = {.memory_limit_bytes = options.data.run.memory_limit_bytes,
                                 .executor = open.executor.get(),
                                 .progress = [&](std::int64_t end) { progress.update(end); }}};
  progress.begin(*open.data);
  StatReport report = with_option_words([&] { return sheaf::stat(*open.data, stat); });
  progress.finish();
  return report;
}

int run_stat(const StatVerbOptions& options, Console& console) {
  const StatReport report = collect(options, console);
  Output output;
  if (options.json) {
    output.text() += to_json(report, data_name(options.data));
  } else {
    append_stat(output.text(), data_name(options.data), report);
  }
  output.flush();
  if (report.error_count > 0) {
    console.print_note(left_out_text(report.holes, report.error_count) +
                       "; sheaf check lists them");
  }
  if (report.warning_count > 0) {
    console.print_note(counted(report.warning_count, "warning") +
                       " about samples; sheaf check lists them");
  }
  console.print_diagnostics(report.warnings);
  return kExitGood;
}

constexpr const char* kStatDescription = R"(Read a whole file and show what is in it, in numbers

Shows the numbers of sequences and samples, the lengths of sequences, the range of values, how full
sparse samples are, how often streams are absent, and how many sequences repeat an earlier sequence
byte for byte. Leaves out sequences with errors, and counts them. Counts and percentiles are
exact: NN % of the sequences are not longer than pNN. The number of threads never changes the
result.

The search for duplicates takes 16 bytes of memory for each sequence. --no-duplicates skips it.)";

constexpr const char* kStatFooter = R"(Examples:
  sheaf stat train.ctf
  sheaf stat train.ctf --stream features:dense:64 --json | python3 -m json.tool
  sheaf stat train.ctf --part 3/8 --json > stat-3.json

Exit codes:
  0 good, also if sequences were left out; 1 the file cannot be read; 2 bad usage)";

}  // namespace

Verb add_stat(CLI::App& parent, Console& console) {
  CLI::App* const app = parent.add_subcommand("stat", kStatDescription);
  app->footer(kStatFooter);
  const auto options = std::make_shared<StatVerbOptions>();
  add_data_options(*app, options->data);
  app->add_flag("--no-duplicates", options->has_no_duplicates, "Do not look for duplicates")
      ->group("Output");
  app->add_flag("--json", options->json,
                "Print a JSON object: path, sequences, samples, holes, places, warning_places, "
                "duplicates, lengths, streams, warnings")
      ->group("Output");
  add_progress_options(*app, options->progress);
  return {app, [options, &console] {
            read_spec(options->data, console);
            return run_stat(*options, console);
          }};
}

}  // namespace sheaf::cli
