#include "sheaf/position.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/error.h"
#include "sheaf/extend/order_report.h"
#include "sheaf/reader.h"

#include "options/data_options.h"
#include "options/options.h"
#include "options/order_options.h"
#include "output/console.h"
#include "output/format_minibatch.h"
#include "output/output.h"
#include "output/position_file.h"
#include "output/progress.h"
#include "verbs/verbs.h"

namespace sheaf::cli {
namespace {

struct ShowOptions {
  std::string path;
  bool json = false;
};

struct SeekOptions {
  DataOptions data;
  OrderChoice order;
  std::optional<std::int64_t> sample;
  std::optional<std::int64_t> sweep;
  std::optional<std::int64_t> epoch;
  std::string output;
  When progress = When::automatic;
  bool json = false;
};

// Returns a text of the position file as a terminal can show it. The file may contain any bytes.
std::string printable(const std::string& text) {
  const bool is_plain = !text.empty() && std::ranges::all_of(text, [](char c) {
    return static_cast<unsigned char>(c) >= ' ' && c != '\x7f';
  });
  if (is_plain) return text;
  std::string quoted;
  append_quoted(quoted, text);
  return quoted;
}

void append_line(std::string& out, std::string_view name, std::string_view value) {
  fmt::format_to(std::back_inserter(out), "{:<10}{}\n", name, value);
}

void append_readable(std::string& out, const SavedPosition& saved) {
  const RunIdentity& run = *saved.position.run;
  const Place& place = saved.position.place;
  append_line(out, "order", printable(run.algorithm));
  append_line(out, "data", printable(run.data));
  std::string_view name = "options";
  for (const auto& [option, value] : run.options) {
    append_line(out, name, fmt::format("{} = {}", printable(option), printable(value)));
    name = "";
  }
  append_line(out, "epoch", fmt::format("{}", place.epoch));
  append_line(out, "sweep", fmt::format("{}", place.sweep));
  append_line(out, "sequence", fmt::format("{} of the sweep lie before it", place.sequence));
  append_line(out, "sample", fmt::format("{} of the sweep lie before it", place.sample));
  if (!place.carry.empty()) {
    append_line(out, "carry", fmt::format("{}", fmt::join(place.carry, " ")));
  }
  append_line(out, "output", fmt::format("{} bytes", saved.output_bytes));
}

void print(const SavedPosition& saved, bool is_json) {
  Output output;
  if (is_json) {
    output.text() = to_json(saved) + "\n";
  } else {
    append_readable(output.text(), saved);
  }
  output.flush();
}

int run_show(const ShowOptions& options) {
  print(load_position(options.path), options.json);
  return kExitGood;
}

// Returns `count` times `samples`.
//
// Throws: ConfigError if the product does not fit 64 bits, or the data have no samples.
std::int64_t multiple(std::string_view option, std::int64_t count, std::int64_t samples) {
  if (count > 0 && samples == 0) {
    throw ConfigError(fmt::format("{} {}: the data have no samples", option, count));
  }
  if (samples > 0 && count > std::numeric_limits<std::int64_t>::max() / samples) {
    throw ConfigError(
        fmt::format("{} {} lies too far: samples of a run are counted in 64 bits", option, count));
  }
  return count * samples;
}

std::int64_t sweep_samples(const OrderOptions& order, const Index& index) {
  const LongReport report = count_long_sequences(index, order);
  return report.of_samples - report.left_out_samples;
}

// Returns the sample to seek, counted from the start of the run.
std::int64_t wanted_sample(const SeekOptions& options, const OrderOptions& order,
                           const Index& index) {
  if (options.sample) return *options.sample;
  if (options.sweep) return multiple("--sweep", *options.sweep, sweep_samples(order, index));
  if (order.epoch_size) return multiple("--epoch", *options.epoch, *order.epoch_size);
  if (!order.sweeps && *options.epoch > 0) {
    throw ConfigError(
        fmt::format("--epoch {}: with --sweeps endless the first epoch has no end, and none "
                    "follows it",
                    *options.epoch));
  }
  return multiple("--epoch", multiple("--epoch", *options.epoch, order.sweeps.value_or(0)),
                  sweep_samples(order, index));
}

int run_seek(const SeekOptions& options, Console& console) {
  const int targets = (options.sample ? 1 : 0) + (options.sweep ? 1 : 0) + (options.epoch ? 1 : 0);
  if (targets != 1) {
    throw ConfigError("one of --sample, --sweep and --epoch says where to: got " +
                      std::string(targets == 0 ? "none" : "more"));
  }
  const OrderOptions order = chosen_order(options.order, options.data);
  const Layout packing = chosen_packing(options.order, options.data, Layout::padded);
  print_worker_warning(console, options.order);
  check_position_path(options.output);
  OpeningProgress opening(console, options.progress,
                          pass_bytes(options.data, shows_progress(console, options.progress)));
  const OpenData open = cli::open(options.data, order);
  if (!options.json) print_found_streams(console, options.data, open);
  SavedPosition found;
  found.position = make_reader(open, order, packing, options.data.run,
                               chosen_row_samples(options.order, options.data),
                               chosen_padding(options.order, options.data))
                       .position();
  const std::shared_ptr<const Counts> counts(open.data, &open.data->index());
  found.position.place =
      make_sequencer(counts, order)->place_of(wanted_sample(options, order, open.data->index()));
  opening.finish();
  save_position(options.output, found, Durability::machine);
  print(found, options.json);
  return kExitGood;
}

constexpr const char* kPositionDescription = R"(Show positions of runs, and make them

A position says where a run stands, and to which run it belongs. sheaf read writes a position with
--save-position, and goes on from a position with --resume.)";

constexpr const char* kPositionFooter = R"(Examples:
  sheaf read train.ctf --save-position at.json
  sheaf position show at.json
  sheaf position seek train.ctf --sweeps 9 --sweep 3 --output at.json)";

constexpr const char* kShowDescription = R"(Show what a position file holds

A position belongs to a run: to its data, and to its options about data, order and packing. It
stands before a sequence of a sweep.)";

constexpr const char* kShowFooter = R"(Examples:
  sheaf position show at.json
  sheaf position show at.json --json

Exit codes:
  0 good; 1 the file cannot be read; 2 bad usage, or no position is in the file)";

constexpr const char* kSeekDescription = R"(Write the position of a place in a run

The place is the first sequence that starts at or after a sample of the run, a sweep or an epoch.
sheaf read goes on there with --resume and the same options about data, order and packing. For
several workers, make one for each with its --worker.)";

constexpr const char* kSeekFooter = R"(Examples:
  sheaf position seek train.ctf --order cntk --sweeps 9 --sweep 3 --output at.json
  sheaf read train.ctf --order cntk --sweeps 9 --resume at.json

Exit codes:
  0 good; 1 bad data, or a file cannot be read or written; 2 bad usage, also where the run ends
  before the place)";

constexpr const char* kJsonText = "Print the JSON object of the position file";

void add_show_options(CLI::App& app, ShowOptions& options) {
  app.add_option("FILE", options.path, "The position file")->required();
  app.add_flag("--json", options.json, kJsonText)->group("Output");
}

void add_seek_options(CLI::App& app, SeekOptions& options) {
  constexpr const char* kGroup = "Place";
  add_data_options(app, options.data);
  add_order_options(app, options.order);
  add_count(app, "--sample", options.sample, {},
            "The place after N samples of the run, over all sweeps")
      ->group(kGroup);
  add_count(app, "--sweep", options.sweep, {}, "The place after N sweeps of the run")
      ->group(kGroup);
  add_count(app, "--epoch", options.epoch, {}, "The place after N epochs")->group(kGroup);
  app.add_option("--output", options.output,
                 "The file to write. sheaf refuses to replace a file that holds no position")
      ->type_name("FILE")
      ->required()
      ->group("Output");
  app.add_flag("--json", options.json, kJsonText)->group("Output");
  add_progress_options(app, options.progress);
}

}  // namespace

std::vector<Verb> add_position(CLI::App& parent, Console& console) {
  CLI::App* const app = parent.add_subcommand("position", kPositionDescription);
  app->footer(kPositionFooter);
  CLI::App* const show = app->add_subcommand("show", kShowDescription);
  const auto show_options = std::make_shared<ShowOptions>();
  add_show_options(*show, *show_options);
  show->footer(kShowFooter);
  CLI::App* const seek = app->add_subcommand("seek", kSeekDescription);
  const auto seek_options = std::make_shared<SeekOptions>();
  add_seek_options(*seek, *seek_options);
  seek->footer(kSeekFooter);
  return {{show, [show_options] { return run_show(*show_options); }},
          {seek, [seek_options, &console] {
             read_spec(seek_options->data, console);
             return run_seek(*seek_options, console);
           }}};
}

}  // namespace sheaf::cli
