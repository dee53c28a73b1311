#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/open.h"
#include "sheaf/reader.h"

#include "options/cache_options.h"
#include "options/data_options.h"
#include "options/options.h"
#include "options/order_options.h"
#include "output/checksum.h"
#include "output/console.h"
#include "output/delivery_progress.h"
#include "output/format_minibatch.h"
#include "output/output.h"
#include "output/position_file.h"
#include "output/progress.h"
#include "output/speed.h"
#include "verbs/verbs.h"

namespace sheaf::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct ReadOptions {
  DataOptions data;
  OrderChoice order;
  std::string format = "summary";
  std::vector<std::string> streams;  // streams to print; empty: all
  std::int64_t minibatches_max = std::numeric_limits<std::int64_t>::max();
  std::string resume;
  std::string save_position;
  When progress = When::automatic;
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

// Returns the numbers of the streams to print.
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

// Returns the layout to print.
//
// Throws: ConfigError if --format matrix stands with --json or with a layout that it cannot print.
Layout packing_of(const ReadOptions& options) {
  const bool is_matrix = options.format == "matrix";
  if (is_matrix && options.json) {
    throw ConfigError(
        "--json: --format matrix prints lines of numbers; --format json has them too");
  }
  const Layout chosen =
      chosen_packing(options.order, options.data, is_matrix ? Layout::packed : Layout::padded);
  if (is_matrix && (chosen == Layout::padded || chosen == Layout::ragged)) {
    throw ConfigError(
        fmt::format("--format matrix prints the packed layout: --packing is packed or frames, or "
                    "left out; got \"{}\"",
                    to_string(chosen)));
  }
  return chosen;
}

// Throws: ConfigError if --format matrix would print dense rows of more than kRowMax values.
void check_matrix(const ReadOptions& options, const Deserializer& data,
                  std::span<const std::int64_t> streams) {
  constexpr std::int64_t kRowMax = std::int64_t{1} << 24;
  if (options.format != "matrix") return;
  for (const std::int64_t number : streams) {
    const Stream& stream = data.streams()[static_cast<std::size_t>(number)];
    const std::int64_t size = stream.sample_shape.size();
    if (size <= kRowMax) continue;
    throw ConfigError(fmt::format(
        "--format matrix prints dense rows, of up to {} values: stream \"{}\" has dense "
        "rows of {} values; --format json prints those that are there",
        kRowMax, stream.name, size));
  }
}

// Returns the counts that `--format none` prints at the end. `size` is the size of the data.
Speed speed_of(const OrderOptions& order, const OpenData& open, const Reader& reader,
               const Position& first, std::int64_t size) {
  Speed speed;
  speed.stats = reader.stats();
  // In file order, a place gives the exact number of bytes read. In other orders, the number of
  // samples gives an estimate.
  const bool counts_sequences = !order.split_frames && order.long_sequences == LongSequences::error;
  if (order.algorithm == OrderAlgorithm::file && counts_sequences) {
    speed.bytes = bytes_before(reader.position().place, *open.data, size) -
                  bytes_before(first.place, *open.data, size);
  } else {
    speed.bytes = bytes_of_samples(speed.stats.samples, *open.data, size);
  }
  return speed;
}

/// Keeps the position file up to date. save() writes the text of the minibatches before the
/// position.
class PositionKeeper {
 public:
  PositionKeeper(const ReadOptions& options, std::int64_t output_bytes_before, Output& output)
      : path_(options.save_position), output_bytes_before_(output_bytes_before), output_(output) {}

  void save(const Position& position, Durability durability) {
    if (path_.empty()) return;
    output_.flush();
    save_position(path_, {position, output_bytes_before_ + output_.bytes()}, durability);
  }

 private:
  const std::string& path_;
  std::int64_t output_bytes_before_;
  Output& output_;
};

/// The results of a run.
struct Delivery {
  Checksum checksum;
  double first_minibatch_seconds = 0;
  bool is_whole = false;  // the reader reached the end of the run
};

// Returns the epoch of the minibatch after a place. Truncated sequences are an exception: their
// place is in the next epoch when all sequences of an epoch have begun. `carry` says whether slots
// still hold the rest of some of them.
std::int64_t epoch_after(const OrderOptions& order, const Place& place) {
  const bool is_rest = order.truncation_length && !place.carry.empty() && place.carry.front() == 1;
  return place.epoch - (is_rest ? 1 : 0);
}

// Returns whether the run ends once an epoch has delivered `minibatches_max` minibatches. The run
// ends if no epoch follows that of `place`. With --save-position, the run always ends: a later run
// resumes at the position and needs the rest of the epoch.
bool is_run_over(const ReadOptions& options, const OrderOptions& order, const Place& place) {
  if (!options.save_position.empty()) return true;
  const bool is_endless = !order.sweeps && !order.epoch_size;
  return is_endless || (order.epochs && epoch_after(order, place) >= *order.epochs - 1);
}

void deliver(const ReadOptions& options, const OrderOptions& order,
             std::span<const std::int64_t> streams, Reader& reader, Clock::time_point start,
             PositionKeeper& keeper, Output& output, Delivery& delivery, OpeningProgress& opening,
             DeliveryProgress& progress) {
  const bool is_silent = options.format == "none";
  std::int64_t number = 0;
  std::int64_t in_epoch = 0;
  Position before = reader.position();
  bool is_opening = true;
  while (true) {
    if (in_epoch == options.minibatches_max && is_run_over(options, order, before.place)) return;
    const auto minibatch = reader.next();
    if (is_opening) {  // the first minibatch waits for the index
      opening.finish();
      progress.begin(before.place);
      is_opening = false;
    }
    delivery.is_whole = !minibatch;
    if (!minibatch) return;
    const bool is_wanted = in_epoch++ < options.minibatches_max;
    if (minibatch->ends_epoch) in_epoch = 0;
    before = minibatch->position;
    if (!is_wanted) continue;
    if (number++ == 0) delivery.first_minibatch_seconds = seconds_since(start);
    if (is_silent) delivery.checksum.add(*minibatch);
    if (!is_silent && minibatch->sequence_count() > 0) {
      append(output.text(), options, *minibatch, number - 1, streams);
      const bool has_line = !output.text().empty() && output.text().back() != '\n';
      if (has_line) output.end_line();  // a matrix may have no columns
    }
    keeper.save(minibatch->position, Durability::process);
    progress.update(*minibatch);
  }
}

// Adds what the run itself does not know to its speed.
void complete(Speed& speed, const ReadOptions& options, const OrderOptions& order,
              const Deserializer& data, const Delivery& delivery) {
  speed.first_minibatch_seconds = delivery.first_minibatch_seconds;
  speed.peak_rss_bytes = peak_rss_bytes();
  speed.checksum = delivery.checksum.value();
  speed.worker = {.index = order.worker_index, .count = order.worker_count, .source = {}};
  if (options.order.worker) speed.worker.source = options.order.worker->source;
  speed.has_cache = !chosen_cache(options.data).folder.empty();
  if (delivery.is_whole) speed.indexed = indexed_sequences(data);
}

int run_read(ReadOptions& options, Console& console) {
  const OrderOptions order = chosen_order(options.order, options.data);
  const Layout packing = packing_of(options);
  print_worker_warning(console, options.order);
  if (!options.save_position.empty()) check_position_path(options.save_position);
  std::int64_t output_bytes_before = 0;
  if (!options.resume.empty()) {
    SavedPosition saved = load_position(options.resume);
    options.data.run.start = std::move(saved.position);
    output_bytes_before = saved.output_bytes;
  }

  const auto start = Clock::now();
  const bool needs_size = options.format == "none" || shows_progress(console, options.progress);
  const std::int64_t file_bytes = pass_bytes(options.data, needs_size);
  OpeningProgress opening(console, options.progress, file_bytes);
  const OpenData open = cli::open(options.data, order);
  if (!options.json) print_found_streams(console, options.data, open);
  Reader reader = make_reader(open, order, packing, options.data.run,
                              chosen_row_samples(options.order, options.data),
                              chosen_padding(options.order, options.data));
  const std::vector<std::int64_t> streams = chosen_streams(options, *open.data);
  check_matrix(options, *open.data, streams);
  const Position first = reader.position();
  const std::optional<PartBytes> part = part_bytes(*open.data);
  std::int64_t size_bytes = part ? part->size_bytes : file_bytes;
  if (size_bytes == 0 && needs_size && !part) size_bytes = data_size_bytes(options.data, true);

  Output output;
  PositionKeeper keeper(options, output_bytes_before, output);
  keeper.save(first, Durability::process);  // replaces the position of an earlier run
  Delivery delivery{Checksum(reader.streams())};
  // Minibatches printed on a terminal already show the progress.
  const bool shows_lines = output.is_terminal() && options.format != "none";
  DeliveryProgress progress(console, !shows_lines && shows_progress(console, options.progress),
                            *open.data, order, size_bytes);
  try {
    deliver(options, order, streams, reader, start, keeper, output, delivery, opening, progress);
    progress.finish();
  } catch (const Error&) {
    output.flush();  // print the minibatches before the error
    throw;
  }
  if (options.format == "none") {
    const double seconds = seconds_since(start);
    Speed speed = speed_of(order, open, reader, first, size_bytes);
    speed.seconds = seconds;
    complete(speed, options, order, *open.data, delivery);
    append_speed(output.text(), speed, options.json);
    output.end_line();
  }
  output.flush();
  print_findings(console, reader);
  keeper.save(reader.position(), Durability::machine);
  return kExitGood;
}

void add_output_options(CLI::App& app, ReadOptions& options) {
  constexpr const char* kGroup = "Output";
  add_choice(app, "--format", options.format, {"summary", "matrix", "keys", "json", "none"},
             "What to print for each minibatch. summary: a line of counts and shapes; matrix: "
             "CNTK's packed matrix, a line of values for each column that holds a sample (sets "
             "--packing packed, unless --packing is frames or truncated); keys: JSON with the keys "
             "of the sequences; json: JSON with every array, flat, in row-major order; none: "
             "nothing, and at the end a line about speed and padding. The line has a checksum of "
             "everything delivered, which does not depend on order, packing or threads")
      ->group(kGroup);
  app.add_option("--streams", options.streams, "The streams to print, in this order")
      ->type_name("A,B")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(kGroup);
  add_count(app, "--max-minibatches", options.minibatches_max, {},
            "Deliver only the first N minibatches of each epoch. With --save-position: stop after "
            "N minibatches")
      ->group("Minibatches");
  app.add_flag("--json", options.json,
               "Print the formats summary and none as JSON objects, too; not for matrix")
      ->group(kGroup);
  app.add_option("--resume", options.resume,
                 "Go on from a position that --save-position wrote. Give the same options about "
                 "data, order and packing again")
      ->type_name("FILE")
      ->group("Position");
  app.add_option("--save-position", options.save_position,
                 "Write the position to this file after each minibatch, with the number of bytes "
                 "printed so far, so that you can resume a run that was killed at any moment. "
                 "sheaf refuses to replace a file that holds no position")
      ->type_name("FILE")
      ->group("Position");
}

constexpr const char* kReadDescription = R"(Deliver a file's minibatches

Delivers the minibatches that a training loop would get, in the same order. The minibatches depend
on the data and on the options about data, order and packing. Threads, memory and the index file
never change them.)";

constexpr const char* kReadFooter = R"(Examples:
  sheaf read train.ctf
  sheaf read train.ctf --stream features:dense:64 --minibatch-size 32 --format json
  sheaf read train.ctf --order cntk --seed 7 --window-chunks 8 --epochs 3 --worker 0/4
  sheaf read train.ctf --truncation-length 20 --minibatch-size 640 --format json
  sheaf read train.ctf --row-samples 512 --minibatch-size 8192 --format none
  sheaf read train.ctf --format none --json
  sheaf read 'part-*.ctf' --order keyed
  sheaf read features.ctf --join labels.ctf
  sheaf read x.ctf --stream x:dense:64 --join y.ctf --stream y:sparse:10
  sheaf read train.ctf --order keyed --sweeps 9 --cache /scratch/train --cache-limit 20GB
  sheaf read train.ctf --order keyed --seed 7 --max-minibatches 3 --save-position at.json
  sheaf read train.ctf --order keyed --seed 7 --resume at.json  # the same options again

Exit codes:
  0 good, also if the program that reads standard output has ended; 1 more errors in the data
  than --max-errors tolerates, or a file that cannot be read; 2 bad usage)";

}  // namespace

Verb add_read(CLI::App& parent, Console& console) {
  CLI::App* const app = parent.add_subcommand("read", kReadDescription);
  app->footer(kReadFooter);
  const auto options = std::make_shared<ReadOptions>();
  add_data_options(*app, options->data, {.has_mix = true});
  add_max_errors_option(*app, options->data);
  add_order_options(*app, options->order);
  add_cache_options(*app, options->data);
  add_output_options(*app, *options);
  add_progress_options(*app, options->progress);
  return {app, [options, &console] {
            read_spec(options->data, console);
            return run_read(*options, console);
          }};
}

}  // namespace sheaf::cli
