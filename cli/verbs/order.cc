#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "sheaf/order_summary.h"

#include "options/data_options.h"
#include "options/option_words.h"
#include "options/options.h"
#include "options/order_options.h"
#include "output/console.h"
#include "output/format_order.h"
#include "output/output.h"
#include "output/progress.h"
#include "output/speed.h"
#include "verbs/verbs.h"

namespace sheaf::cli {
namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

struct OrderVerbOptions {
  DataOptions data;
  OrderChoice order;
  std::string noise_of;
  std::int64_t steps_max = 0;
  When progress = When::automatic;
  bool json = false;
};

OrderSummary collect(const OrderVerbOptions& options, Console& console) {
  ReadSpec read;
  read.order = chosen_order(options.order, options.data);
  read.packing = chosen_packing(options.order, options.data, Layout::padded);
  const auto start = std::chrono::steady_clock::now();
  const std::int64_t size_bytes =
      pass_bytes(options.data, shows_progress(console, options.progress));
  std::optional<OpeningProgress> opening(std::in_place, console, options.progress, size_bytes,
                                         LastLine::none);
  const OpenData open = cli::open(options.data, read.order);
  const double open_seconds = seconds_since(start);
  if (!options.json) print_found_streams(console, options.data, open);

  OrderSummaryOptions how{.noise_of = options.noise_of,
                          .steps_max = options.steps_max,
                          .option_text = option_text,
                          .run = {.memory_limit_bytes = options.data.run.memory_limit_bytes,
                                  .executor = open.executor.get()}};
  std::optional<Progress> progress;
  if (!options.noise_of.empty()) {  // without --noise-of, building the index takes longest
    opening.reset();
    progress.emplace(console, options.progress, size_bytes);
    progress->begin(*open.data);
    how.run.progress = [&](std::int64_t done) { progress->update(done); };
  }
  OrderSummary summary = with_option_words([&] { return summarize_order(open.data, read, how); });
  opening.reset();
  if (progress) progress->finish();
  summary.open_seconds += open_seconds;
  if (options.order.worker) summary.worker_source = options.order.worker->source;
  return summary;
}

int run_order(const OrderVerbOptions& options, Console& console) {
  print_worker_warning(console, options.order);
  const OrderSummary summary = collect(options, console);
  Output output;
  if (options.json) {
    output.text() += to_json(summary, data_name(options.data));
  } else {
    append_order(output.text(), data_name(options.data), summary);
  }
  output.flush();
  return kExitGood;
}

constexpr const char* kOrderDescription = R"(Say how good an order is, and what it costs

The verb plans the minibatches that sheaf read delivers with the same options, for all workers. It
measures how well they are shuffled, how even the work is, and how much is held in memory and read.
Then it advises what to change. It reads one minibatch to measure the time, and all data with
--noise-of.

Noise is the deviation of minibatch means from the mean of the data, divided by the same deviation
in a full shuffle. 1 is as good as a full shuffle. With 2, a mean needs four times the sequences to
be as certain. Without --noise-of, the noise is about the number of each sequence in the file, as if
the file were sorted by the values to learn: the worst case.

Excess is how many samples the slowest worker of a step has above the mean. Foreign is how much
the workers read from the data of others.)";

constexpr const char* kOrderFooter = R"(Examples:
  sheaf order train.ctf --order keyed
  sheaf order train.ctf --order keyed --worker 0/8 --memory-limit 2GiB
  sheaf order train.ctf --order cntk --window-chunks 16 --minibatch-size 512
  sheaf order train.ctf --noise-of labels
  sheaf order train.ctf --order keyed --batching bucketed --json

Exit codes:
  0 good, whatever the advice; 1 the file cannot be read; 2 bad usage, also if --noise-of names a
  stream without numbers, or with equal numbers in all sequences)";

void add_report_options(CLI::App& app, OrderVerbOptions& options) {
  constexpr const char* kGroup = "Report";
  app.add_option(
         "--noise-of", options.noise_of,
         "Measure noise by the first value of this stream in each sequence, or by the first "
         "index (such as a class) of a sparse stream. Reads all data")
      ->type_name("STREAM")
      ->group(kGroup);
  add_count(
      app, "--steps", options.steps_max, {1, kUnlimited},
      "Number of steps to measure, of all workers, however long that takes. Default: a sweep, "
      "or as much of a sweep as takes some seconds")
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
  const auto options = std::make_shared<OrderVerbOptions>();
  add_data_options(*app, options->data, {.has_mix = true});
  add_order_options(*app, options->order);
  add_report_options(*app, *options);
  add_progress_options(*app, options->progress);
  return {app, [options, &console] {
            read_spec(options->data, console);
            return run_order(*options, console);
          }};
}

}  // namespace sheaf::cli
