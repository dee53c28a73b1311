#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/order_report.h"

#include "options/data_options.h"
#include "options/options.h"
#include "options/order_options.h"
#include "output/console.h"
#include "output/format_order.h"
#include "output/order_advice.h"
#include "output/order_summary.h"
#include "output/order_windows.h"
#include "output/output.h"
#include "output/progress.h"
#include "output/sequence_values.h"
#include "output/speed.h"
#include "verbs/verbs.h"

namespace sheaf::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kPaddingPlannedMax = 2'000'000;
constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

struct ReportOptions {
  DataOptions data;
  OrderChoice order;
  std::string noise_of;
  std::int64_t steps_max = 0;
  When progress = When::automatic;
  bool json = false;
};

/// The chunks of the data, all of them.
std::vector<ChunkInfo> chunks_of(const Index& index) {
  std::vector<ChunkInfo> chunks;
  for (ChunkIndex chunk{}; const auto info = index.chunk(chunk); chunk = next(chunk)) {
    chunks.push_back(*info);
  }
  return chunks;
}

OrderReportOptions report_options(const ReportOptions& options, const OpenData& open,
                                  std::span<const ChunkInfo> chunks, Console& console) {
  OrderReportOptions report;
  report.steps_max = options.steps_max;
  if (options.steps_max > 0) report.planned_max = kUnlimited;  // it was asked for
  report.chunk_bytes = [chunks](ChunkIndex chunk) {
    return static_cast<double>(chunks[static_cast<std::size_t>(chunk)].decoded_size_bytes);
  };
  if (!options.noise_of.empty()) {
    Progress progress(console, options.progress, data_size_bytes(options.data));
    const auto values = std::make_shared<const SequenceValues>(
        *open.data, *open.executor, options.noise_of,
        [&progress](std::int64_t done) { progress.update(done); });
    progress.finish();
    report.value = [values](ChunkIndex chunk, std::int64_t sequence) {
      return (*values)(chunk, sequence);
    };
  }
  return report;
}

// What the other way of batching pads.
void add_paddings(OrderSummary& summary, const std::shared_ptr<const Counts>& counts) {
  const std::optional<double> own = summary.report.padding;
  if (!summary.is_keyed() || !own || summary.order.split_frames) return;
  const bool is_plain = summary.order.batching == Batching::plain;
  OrderOptions other = summary.order;
  other.batching = is_plain ? Batching::bucketed : Batching::plain;
  const std::optional<double> others =
      measure_order(counts, other, {.planned_max = kPaddingPlannedMax}).padding;
  summary.plain_padding = is_plain ? own : others;
  summary.bucketed_padding = is_plain ? others : own;
}

// Wrong data do not matter here.
void time_first_minibatch(const ReportOptions& options, const OpenData& open, Layout packing,
                          OrderSummary& summary) {
  RunOptions run = options.data.run;
  run.max_errors = kUnlimited;
  const auto start = Clock::now();
  try {
    Reader reader = make_reader(open, summary.order, packing, run);
    if (reader.next()) summary.first_minibatch_seconds = seconds_since(start);
  } catch (const ConfigError& error) {
    if (!std::string_view(error.what()).starts_with("memory_limit_bytes")) throw;
    summary.refusal = error.what();
  }
}

OrderSummary collect(const ReportOptions& options, Console& console) {
  OrderSummary summary;
  summary.path = data_name(options.data);
  summary.order = chosen_order(options.order, options.data);
  summary.memory_limit_bytes = options.data.run.memory_limit_bytes.value_or(0);
  summary.noise_of = options.noise_of;
  const Layout packing = chosen_packing(options.order, options.data, Layout::padded);
  summary.is_padded = packing == Layout::padded;

  const auto start = Clock::now();
  const OpenData open = cli::open(options.data, summary.order);
  const std::vector<ChunkInfo> chunks = chunks_of(open.data->index());
  summary.open_seconds = seconds_since(start);
  if (!options.json) print_found_streams(console, options.data, open);
  for (const ChunkInfo& chunk : chunks) summary.data_bytes += chunk.size_bytes;
  time_first_minibatch(options, open, packing, summary);

  const OrderReportOptions how = report_options(options, open, chunks, console);
  const std::shared_ptr<const Counts> counts(open.data, &open.data->index());
  summary.report = measure_order(counts, summary.order, how);
  summary.index_bytes = open.data->index().memory_bytes();
  add_paddings(summary, counts);
  if (!summary.is_file() && !summary.order.truncation_length && summary.report.sequences > 0) {
    summary.windows = measure_windows(summary, counts, how);
  }
  summary.advice = advice_on(summary);
  return summary;
}

int run_order(const ReportOptions& options, Console& console) {
  const OrderSummary summary = collect(options, console);
  Output output;
  if (options.json) {
    append_order_json(output.text(), summary);
  } else {
    append_order(output.text(), summary);
  }
  output.flush();
  return kExitGood;
}

constexpr const char* kOrderDescription = R"(Say how good an order is, and what it costs

It plans what sheaf read would deliver with the same options, for all workers, and measures it: how
well it is shuffled, how even the work is, and what is held in memory and read. Then it says what
to change. Of the data it reads one minibatch, for the time that takes; with --noise-of all.

Noise is the deviation of minibatch means from the mean of the data, over that of a full shuffle: 1
is as good as that, and 2 takes four times the sequences for a mean as sure. Without --noise-of it
is that of each sequence's place in the file, as if the file were sorted by what is to be learned:
the worst case.

Excess is what the slowest worker of a step has more than the mean, in samples. Foreign is what
workers read besides the data themselves.)";

constexpr const char* kOrderFooter = R"(Examples:
  sheaf order train.ctf --order keyed
  sheaf order train.ctf --order keyed --worker 0/8 --memory-limit 2GiB
  sheaf order train.ctf --order cntk --window-chunks 16 --minibatch-size 512
  sheaf order train.ctf --noise-of labels
  sheaf order train.ctf --order keyed --batching bucketed --json

Exit codes:
  0 good, whatever the advice; 1 the file cannot be read; 2 bad usage, also where --noise-of names
  what has no numbers, or the same in all sequences)";

void add_report_options(CLI::App& app, ReportOptions& options) {
  constexpr const char* kGroup = "Report";
  app.add_option("--noise-of", options.noise_of,
                 "Measure noise by what this stream has first in each sequence: its value; of a "
                 "sparse stream, its index, such as a class. Reads all of the data")
      ->type_name("STREAM")
      ->group(kGroup);
  add_count(app, "--steps", options.steps_max, {1, kUnlimited},
            "Look at so many steps, of all workers, however long it takes; without, at a sweep, or "
            "as much of it as takes some seconds")
      ->default_str("")
      ->group(kGroup);
  app.add_flag("--json", options.json,
               "A JSON object: the numbers, as docs/cli.md lists them, and advice with codes")
      ->group("Output");
}

}  // namespace

Verb add_order(CLI::App& parent, Console& console) {
  CLI::App* const app = parent.add_subcommand("order", kOrderDescription);
  app->footer(kOrderFooter);
  const auto options = std::make_shared<ReportOptions>();
  add_data_options(*app, options->data);
  add_order_options(*app, options->order);
  add_report_options(*app, *options);
  add_progress_options(*app, options->progress);
  return {app, [options, &console] {
            read_spec(options->data, console);
            return run_order(*options, console);
          }};
}

}  // namespace sheaf::cli
