#include <cstdint>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/extend/byte_source.h"

#include "data_stat.h"
#include "options/data_options.h"
#include "output/console.h"
#include "output/counted.h"
#include "output/format_stat.h"
#include "output/output.h"
#include "output/progress.h"
#include "scan_data.h"
#include "verbs/verbs.h"

namespace sheaf::cli {
namespace {

struct StatOptions {
  DataOptions data;
  When progress = When::automatic;
  bool has_no_duplicates = false;
  bool json = false;
};

StatReport collect(const StatOptions& options, Console& console) {
  StatReport report;
  report.path = data_name(options.data);
  Progress progress(console, options.progress, data_size_bytes(options.data));
  progress.opening();
  const OpenData open = cli::open(options.data);
  const std::span<const Stream> streams = open.data->streams();
  if (!options.json) print_found_streams(console, options.data, open);
  report.streams.assign(streams.begin(), streams.end());
  report.data.streams.resize(streams.size());
  const ScanWork work = [&](const ScanUnit& unit) {
    Diagnostics diagnostics(0);
    const Chunk chunk = open.data->read(unit.range, diagnostics);
    const auto part = std::make_shared<DataStat>(
        stat_of(streams, chunk, *unit.sequences, unit.range.first, !options.has_no_duplicates));
    part->places = diagnostics.error_count();
    part->warning_places = diagnostics.warning_count();
    return [&report, &progress, part, end = unit.end_bytes] {
      report.data.add(std::move(*part));
      progress.update(end);
    };
  };
  progress.begin();
  scan_data(*open.data, *open.executor, work, options.data.run.memory_limit_bytes);
  progress.finish();
  if (!options.has_no_duplicates) report.duplicates = report.data.duplicates();
  report.warnings = open.data->warnings();
  return report;
}

int run_stat(const StatOptions& options, Console& console) {
  const StatReport report = collect(options, console);
  Output output;
  if (options.json) {
    append_stat_json(output.text(), report);
  } else {
    append_stat(output.text(), report);
  }
  output.flush();
  if (report.data.places > 0) {
    console.print_note(left_out_text(report.data.holes, report.data.places) +
                       "; sheaf check lists them");
  }
  if (report.data.warning_places > 0) {
    console.print_note(counted(report.data.warning_places, "warning") +
                       " about samples; sheaf check lists them");
  }
  console.print_diagnostics(report.warnings);
  return kExitGood;
}

constexpr const char* kStatDescription = R"(Read a whole file and show what is in it, in numbers

Counts of sequences and samples; lengths; values; how full samples are; streams that are absent;
sequences whose content is that of an earlier one, byte for byte. Sequences with wrong places are
left out and counted. Counts and percentiles are exact (pNN: the least length that NN % of the
sequences do not exceed), and nothing depends on the number of threads.

Looking for duplicates takes 16 bytes of memory a sequence; --no-duplicates does without.)";

constexpr const char* kStatFooter = R"(Examples:
  sheaf stat train.ctf
  sheaf stat train.ctf --stream features:dense:64 --json | python3 -m json.tool

Exit codes:
  0 good, also where sequences were left out; 1 the file cannot be read; 2 bad usage)";

}  // namespace

Verb add_stat(CLI::App& parent, Console& console) {
  CLI::App* const app = parent.add_subcommand("stat", kStatDescription);
  app->footer(kStatFooter);
  const auto options = std::make_shared<StatOptions>();
  add_data_options(*app, options->data);
  app->add_flag("--no-duplicates", options->has_no_duplicates, "Do not look for duplicates")
      ->group("Output");
  app->add_flag(
         "--json", options->json,
         "A JSON object: path, sequences, samples, holes, places, warning_places, duplicates, "
         "lengths, streams, warnings")
      ->group("Output");
  add_progress_options(*app, options->progress);
  return {app, [options, &console] {
            read_spec(options->data, console);
            return run_stat(*options, console);
          }};
}

}  // namespace sheaf::cli
