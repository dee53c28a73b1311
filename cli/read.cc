#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/byte_source.h"
#include "sheaf/error.h"
#include "sheaf/reader.h"

#include "checksum.h"
#include "console.h"
#include "data_options.h"
#include "format_minibatch.h"
#include "later_options.h"
#include "options.h"
#include "output.h"
#include "position_file.h"
#include "speed.h"
#include "verbs.h"

namespace sheaf::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct ReadOptions {
  DataOptions data;
  OrderOptions order;
  std::string unit = "samples";
  std::string sweep_ends = "cross";
  std::string packing;  // empty: what the format is for
  std::string format = "summary";
  std::vector<std::string> streams;  // to print; empty: all
  std::int64_t minibatches_max = std::numeric_limits<std::int64_t>::max();
  std::string resume;
  std::string save_position;
  bool json = false;
};

void append(std::string& out, const ReadOptions& options, const Minibatch& minibatch,
            std::int64_t number, std::span<const std::int64_t> streams) {
  if (options.format == "keys") {
    append_keys(out, minibatch);
  } else if (options.format == "matrix") {
    append_matrix(out, minibatch, streams);
  } else if (options.format == "json" || options.json) {
    append_minibatch(out, minibatch, streams, options.format == "json");
  } else {
    append_summary(out, minibatch, number, streams);
  }
}

// Numbers of the streams to print.
std::vector<std::int64_t> chosen_streams(const ReadOptions& options, const Deserializer& data) {
  std::vector<std::int64_t> chosen;
  std::string known;
  for (const std::string& name : options.streams) {
    std::int64_t number = 0;
    for (const Stream& stream : data.streams()) {
      if (stream.name == name) break;
      ++number;
    }
    chosen.push_back(number);
    if (number < std::ssize(data.streams())) continue;
    for (const Stream& stream : data.streams()) known += (known.empty() ? "" : ", ") + stream.name;
    throw ConfigError(
        fmt::format("--streams: there is no stream \"{}\"; there are: {}", name, known));
  }
  for (std::int64_t i = 0; options.streams.empty() && i < std::ssize(data.streams()); ++i) {
    chosen.push_back(i);
  }
  return chosen;
}

// Throws: ConfigError for a --packing that --format matrix does not print.
Layout chosen_packing(const ReadOptions& options) {
  const bool is_matrix = options.format == "matrix";
  Layout chosen = is_matrix ? Layout::packed : Layout::padded;
  for (const Layout layout : {Layout::padded, Layout::ragged, Layout::packed, Layout::frames}) {
    if (options.packing == to_string(layout)) chosen = layout;
  }
  if (is_matrix && (chosen == Layout::padded || chosen == Layout::ragged)) {
    throw ConfigError(
        fmt::format("--format matrix prints the packed layout: --packing is packed or frames, or "
                    "left out; got \"{}\"",
                    options.packing));
  }
  return chosen;
}

// What `--format none` says at the end.
Speed speed_of(const ReadOptions& options, const OpenData& open, const Reader& reader,
               const Position& first) {
  const std::int64_t size = open_file(options.data.path)->size();
  Speed speed;
  speed.stats = reader.stats();
  speed.bytes = bytes_before(reader.position().place, *open.data, size) -
                bytes_before(first.place, *open.data, size);
  return speed;
}

int run_read(ReadOptions& options, Console& console) {
  options.order.unit =
      options.unit == "sequences" ? MinibatchUnit::sequences : MinibatchUnit::samples;
  options.order.cut_at_sweep_end = options.sweep_ends == "cut";
  const Layout packing = chosen_packing(options);
  if (!options.resume.empty()) options.data.run.start = load_position(options.resume);

  const auto start = Clock::now();
  const OpenData open = cli::open(options.data);
  if (!options.json) print_found_streams(console, options.data, *open.data);
  Reader reader = make_reader(open, options.order, packing, options.data.run);
  const std::vector<std::int64_t> streams = chosen_streams(options, *open.data);
  const Position first = reader.position();
  const bool is_silent = options.format == "none";

  Output output;
  Checksum checksum(reader.streams());
  double first_minibatch_seconds = 0;
  const auto deliver = [&] {
    for (std::int64_t number = 0; number < options.minibatches_max; ++number) {
      const auto minibatch = reader.next();
      if (!minibatch) return;
      if (number == 0) first_minibatch_seconds = seconds_since(start);
      if (is_silent) checksum.add(*minibatch);
      if (is_silent || minibatch->sequence_count() == 0) continue;
      append(output.text(), options, *minibatch, number, streams);
      const bool has_line = !output.text().empty() && output.text().back() != '\n';
      if (has_line) output.end_line();  // a matrix may have no column
    }
  };
  try {
    deliver();
  } catch (const Error&) {
    output.flush();  // what was good before it
    throw;
  }
  if (is_silent) {
    const double seconds = seconds_since(start);
    Speed speed = speed_of(options, open, reader, first);
    speed.seconds = seconds;
    speed.first_minibatch_seconds = first_minibatch_seconds;
    speed.peak_rss_bytes = peak_rss_bytes();
    speed.checksum = checksum.value();
    append_speed(output.text(), speed, options.json);
    output.end_line();
  }
  output.flush();
  print_findings(console, reader);
  if (!options.save_position.empty()) save_position(options.save_position, reader.position());
  return kExitGood;
}

void add_order_options(CLI::App& app, ReadOptions& options) {
  constexpr const char* kGroup = "Order and size of minibatches";
  add_count(app, "--minibatch-size", options.order.minibatch_size, {1},
            "A minibatch has at most so many, but at least one whole sequence")
      ->group(kGroup);
  add_choice(app, "--unit", options.unit, {"samples", "sequences"}, "What --minibatch-size counts")
      ->group(kGroup);
  add_count(app, "--sweeps", options.order.sweeps, {},
            "How often to deliver all sequences; 0: without end")
      ->group(kGroup);
  add_choice(
      app, "--sweep-ends", options.sweep_ends, {"cross", "cut"},
      "cross: a minibatch may hold the end of a sweep and the start of the next; cut: it may "
      "not")
      ->group(kGroup);
  add_count(app, "--max-minibatches", options.minibatches_max, {}, "Stop after so many minibatches")
      ->group(kGroup);
  add_choice(app, "--packing", options.packing, {"padded", "ragged", "packed", "frames"},
             "padded: sequences side by side, filled up with zeros; ragged: back to back; packed: "
             "CNTK's layout, short sequences behind each other in parallel slots; frames: one "
             "sample a sequence, no time axis. --format matrix makes packed the default")
      ->default_str("padded")
      ->group(kGroup);
}

void add_output_options(CLI::App& app, ReadOptions& options) {
  constexpr const char* kGroup = "Output";
  add_choice(
      app, "--format", options.format, {"summary", "matrix", "keys", "json", "none"},
      "For each minibatch - summary: a line of counts and shapes; matrix: CNTK's packed matrix, a "
      "line of values for each column that holds a sample; keys: JSON with the keys of its "
      "sequences; json: JSON with every array, flat, in row-major order. none: a single line at "
      "the end about speed, and a checksum of all that was delivered, which does not depend on "
      "order, packing or threads")
      ->group(kGroup);
  app.add_option("--streams", options.streams, "Which streams to print, and in which order")
      ->type_name("A,B")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(kGroup);
  app.add_flag("--json", options.json, "JSON objects also for the formats summary and none")
      ->group(kGroup);
  app.add_option("--resume", options.resume, "Go on from a position that --save-position wrote")
      ->type_name("FILE")
      ->group("Position");
  app.add_option("--save-position", options.save_position,
                 "Write the position after the last minibatch, when all is printed")
      ->type_name("FILE")
      ->group("Position");
}

constexpr const char* kDescription = R"(Deliver a file's minibatches

It delivers what a training loop would get, in the same order. What is delivered depends on the data
and on the options about data, order and packing; not on threads, memory or the index file.)";

constexpr const char* kFooter = R"(Examples:
  sheaf read train.ctf
  sheaf read train.ctf --stream features:dense:64 --minibatch-size 32 --format json
  sheaf read train.ctf --format none --json
  sheaf read train.ctf --max-minibatches 100 --save-position at.json
  sheaf read train.ctf --resume at.json

Exit codes:
  0 good, also where the reader of standard output has gone; 1 bad data, more than --max-errors
  tolerates, or the file cannot be read; 2 bad usage)";

}  // namespace

Verb add_read(CLI::App& parent, Console& console) {
  CLI::App* const app = parent.add_subcommand("read", kDescription);
  app->footer(kFooter);
  const auto options = std::make_shared<ReadOptions>();
  add_data_options(*app, options->data);
  add_max_errors_option(*app, options->data);
  add_later_options(*app);
  add_order_options(*app, *options);
  add_output_options(*app, *options);
  return {app, [options, &console] { return run_read(*options, console); }};
}

}  // namespace sheaf::cli
