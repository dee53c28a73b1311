#include "options/order_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/error.h"

#include "options/data_options.h"
#include "options/options.h"
#include "output/console.h"

namespace sheaf::cli {
namespace {

constexpr std::int64_t kEpochSizeMax = std::numeric_limits<std::int64_t>::max() / 2;
constexpr std::int64_t kRowSamplesMax = 1'000'000'000;

constexpr Range kWindow = {.min = 1, .word = "all", .meaning = Range{}.max};

constexpr const char* kOrderGroup = "Order";
constexpr const char* kSizeGroup = "Minibatches";
constexpr const char* kWorkerGroup = "Workers";

void check_algorithm(const std::string& name) {
  if (name != "file" && name != "cntk" && name != "keyed") {
    throw ConfigError(fmt::format("--order is one of file, cntk, keyed: got \"{}\"", name));
  }
}

std::uint64_t parse_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const char* const text_end = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), text_end, seed);
  if (error != std::errc() || end != text_end) {
    throw ConfigError(fmt::format("--seed takes a whole number from 0 to {}: got \"{}\"",
                                  std::numeric_limits<std::uint64_t>::max(), text));
  }
  return seed;
}

void set_worker_of_environment(OrderChoice& choice) {
  try {
    choice.worker = worker();
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("--worker env: {}", error.what()));
  }
  choice.order.worker_index = choice.worker->index;
  choice.order.worker_count = choice.worker->count;
}

void parse_worker(const std::string& text, OrderChoice& choice) {
  if (text == "env") {
    set_worker_of_environment(choice);
    return;
  }
  choice.worker.reset();
  OrderOptions& order = choice.order;
  const auto fail = [&text] {
    throw ConfigError(fmt::format(
        "--worker is R/W, worker R of W, with R from 0 to W - 1, or env: got \"{}\"", text));
  };
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) fail();
  try {
    order.worker_index = parse_count("--worker", text.substr(0, slash), {});
    order.worker_count = parse_count("--worker", text.substr(slash + 1), {1});
  } catch (const ConfigError&) {
    fail();
  }
  if (order.worker_index >= order.worker_count) fail();
}

// Returns the number that a text stands for.
//
// Throws: ConfigError if the text is not a number, or does not fit 64 bits.
PadValue parse_pad_value(const std::string& text) {
  const char* const end = text.data() + text.size();
  std::int64_t whole = 0;
  if (const auto [rest, error] = std::from_chars(text.data(), end, whole);
      error == std::errc() && rest == end) {
    return whole;
  }
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const bool has_digits_alone = text.find_first_not_of("-0123456789") == std::string::npos;
  if (error == std::errc() && rest == end && std::isfinite(number) && !has_digits_alone) {
    return number;
  }
  throw ConfigError(
      fmt::format("--pad-values: expected a number of 64 bits after \"=\", found \"{}\"", text));
}

// Parses STREAM=NUMBER, or several of them separated by commas.
void parse_pad_values(const std::string& text,
                      std::map<std::string, PadValue, std::less<>>& values) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string each = text.substr(begin, end - begin);
    const std::size_t equals = each.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      throw ConfigError(fmt::format(
          "--pad-values is STREAM=NUMBER, several with commas between: got \"{}\"", each));
    }
    values.insert_or_assign(each.substr(0, equals), parse_pad_value(each.substr(equals + 1)));
    begin = end + 1;
  }
}

void add_padding_options(CLI::App& verb, OrderChoice& choice) {
  verb.add_option_function<std::string>(
          "--pad-values",
          [&choice](const std::string& text) { parse_pad_values(text, choice.pad_values); },
          "The padding value of each dense stream; 0 for a stream without one. Example: "
          "tokens=50256,labels=-100")
      ->type_name("STREAM=N,...")
      ->group(kSizeGroup);
  add_choice(verb, "--pad-side", choice.pad_side, {"right", "left"},
             "On which side of a sequence --packing padded puts the padding")
      ->default_str("right")
      ->group(kSizeGroup);
  add_count(verb, "--pad-multiple", choice.pad_multiple, {1, kRowSamplesMax},
            "Pad to a multiple of N steps, at least to the longest sequence of the minibatch")
      ->group(kSizeGroup);
  add_count(verb, "--pad-length", choice.pad_length, {1, kRowSamplesMax},
            "Pad every minibatch to N steps. A sequence longer than N is an error")
      ->group(kSizeGroup);
}

void add_epoch_options(CLI::App& verb, OrderChoice& choice) {
  add_count(verb, "--sweeps", choice.sweeps, {.word = "endless", .meaning = 0},
            "How often an epoch delivers every sequence")
      ->default_str("1")
      ->group(kOrderGroup);
  add_count(verb, "--epoch-size", choice.epoch_size, {1, kEpochSizeMax},
            "Number of samples in an epoch, in place of --sweeps. A sequence belongs to the epoch "
            "that it starts in")
      ->group(kOrderGroup);
  add_count(verb, "--epochs", choice.epochs, {.word = "endless", .meaning = 0},
            "How many epochs to deliver. No minibatch has sequences of two epochs")
      ->group(kOrderGroup);
  verb.add_flag("--split-frames", choice.order.split_frames,
                "Make each sample a sequence of its own, before the order is made")
      ->group(kOrderGroup);
}

void add_size_options(CLI::App& verb, OrderChoice& choice) {
  add_count(verb, "--minibatch-size", choice.order.minibatch_size, {1},
            "Size of a minibatch, of all workers together. With --order file and cntk, a minibatch "
            "has at most N samples, and at least one sequence. --order keyed divides each sweep "
            "evenly: a minibatch exceeds N by less than its longest sequence. With --unit "
            "sequences, N is the maximum in every order")
      ->group(kSizeGroup);
  add_choice(
      verb, "--unit", choice.unit, {"samples", "sequences", "cost"},
      "What --minibatch-size counts. cost: the cost that the data declare for each sequence; "
      "that of a text file is its bytes")
      ->group(kSizeGroup);
  add_choice(verb, "--sweep-ends", choice.sweep_ends, {"cross", "cut"},
             "Where minibatches end. cross: a minibatch may hold sequences of two sweeps; cut: a "
             "minibatch ends where a sweep ends, as always with --order keyed")
      ->default_str("cross")
      ->group(kSizeGroup);
  add_choice(verb, "--batching", choice.batching, {"plain", "bucketed"},
             "How --order keyed fills minibatches. plain: in the order of the sweep; bucketed: "
             "with sequences of similar length. --minibatch-size then counts padding too")
      ->default_str("plain")
      ->group(kSizeGroup);
  add_choice(verb, "--sizes", choice.sizes, {"even", "exact"},
             "How many sequences --order keyed gives a minibatch. even: a sweep is divided evenly; "
             "exact: exactly --minibatch-size, which counts --unit sequences then, and fewer in "
             "the last minibatch of a sweep or of an epoch")
      ->default_str("even")
      ->group(kSizeGroup);
  verb.add_flag("--drop-last", choice.order.drop_last,
                "With --sizes exact, leave out the last minibatch of a sweep or of an epoch where "
                "it would be short")
      ->group(kSizeGroup);
  add_count(verb, "--truncation-length", choice.truncation_length, {1},
            "Cut sequences into pieces of N steps, for truncated backpropagation through time. A "
            "minibatch has minibatch size / N slots. A long sequence goes on in its slot in the "
            "next minibatch")
      ->group(kSizeGroup);
  add_choice(verb, "--packing", choice.packing,
             {"padded", "ragged", "packed", "frames", "truncated"},
             "How the arrays of a minibatch look. padded: sequences side by side, filled up with "
             "zeros; ragged: sequences back to back, without padding; packed: CNTK's layout, where "
             "short sequences follow each other in a slot; frames: no time axis, for sequences of "
             "one sample; truncated: the layout of --truncation-length")
      ->default_str("padded")
      ->group(kSizeGroup);
  add_count(verb, "--row-samples", choice.row_samples, {1, kRowSamplesMax},
            "Give each slot of the packed layout exactly N steps. sheaf takes the longest "
            "sequences first and puts each into the fullest slot with room for it. --long says "
            "what becomes of a sequence longer than N")
      ->group(kSizeGroup);
  add_choice(verb, "--long", choice.long_sequences, {"error", "split", "truncate", "drop"},
             "What to do with sequences longer than --row-samples. error: their minibatch is an "
             "error; split: cut them into pieces that fit, which the order treats as sequences; "
             "truncate: keep the first samples that fit; drop: leave them out")
      ->default_str("error")
      ->group(kSizeGroup);
  add_padding_options(verb, choice);
}

void add_worker_options(CLI::App& verb, OrderChoice& choice) {
  verb.add_option_function<std::string>(
          "--worker", [&choice](const std::string& text) { parse_worker(text, choice); },
          "Be worker R of W, counted from 0. Each sequence goes to one worker. env: the worker "
          "that torchrun, mpirun, srun or another launcher describes in environment variables")
      ->type_name(kWorkerSyntax)
      ->default_str("0/1")
      ->group(kWorkerGroup);
  add_choice(verb, "--timeline", choice.timeline, {"local", "global"},
             "How --order file and cntk share minibatches. local: a worker fills its share of "
             "--minibatch-size with sequences of its own; global: all workers look at the same "
             "sequences, and each delivers those that are its own")
      ->default_str("local")
      ->group(kWorkerGroup);
  add_choice(
      verb, "--balance", choice.balance, {"cost", "count"},
      "What --order keyed divides evenly among the workers in each minibatch. cost: samples; "
      "count: sequences, which with --sizes exact differ by at most one")
      ->default_str("cost")
      ->group(kWorkerGroup);
}

// Throws: ConfigError for a window or a seed with file order. A seed is valid if there are
//         transforms, which may draw random numbers in any order.
void check_file_order(const OrderChoice& choice, bool has_transforms) {
  if (choice.seed && !has_transforms) {
    throw ConfigError(
        "--seed: --order file has no seed, since it shuffles nothing; --order keyed and cntk have "
        "one");
  }
  const char* const window = choice.order.window_chunks    ? "--window-chunks"
                             : choice.order.window_samples ? "--window-samples"
                                                           : nullptr;
  if (window == nullptr) return;
  throw ConfigError(fmt::format(
      "{}: --order file has no window, since it shuffles nothing; --order keyed and cntk have one",
      window));
}

// Throws: ConfigError for an option that the chosen order does not have.
void check_kind(const OrderChoice& choice) {
  const bool is_keyed = choice.algorithm == "keyed";
  if (is_keyed && !choice.timeline.empty()) {
    throw ConfigError(
        "--timeline: all workers of --order keyed look at the same minibatches: leave it out");
  }
  if (is_keyed && choice.sweep_ends == "cross") {
    throw ConfigError(
        "--sweep-ends cross: --order keyed divides each sweep evenly, so no minibatch has "
        "sequences "
        "of two: leave it out");
  }
  const char* const keyed_alone = !choice.balance.empty()    ? "--balance"
                                  : !choice.batching.empty() ? "--batching"
                                  : !choice.sizes.empty()    ? "--sizes"
                                  : choice.order.drop_last   ? "--drop-last"
                                                             : nullptr;
  if (is_keyed || keyed_alone == nullptr) return;
  throw ConfigError(
      fmt::format("{}: needs --order keyed, and the order is {}", keyed_alone, choice.algorithm));
}

// Throws: ConfigError for an option that --truncation-length excludes.
void check_truncation(const OrderChoice& choice) {
  const auto fail = [](std::string_view reason) {
    throw ConfigError(fmt::format("--truncation-length: {}", reason));
  };
  if (choice.order.split_frames) fail("a single frame cannot be cut: leave --split-frames out");
  if (choice.unit != "samples") {
    fail(fmt::format("--minibatch-size counts samples where sequences are cut: leave --unit {} out",
                     choice.unit));
  }
  if (choice.timeline == "global") {
    fail("each worker has slots of its own, which is --timeline local: leave global out");
  }
}

// Throws: ConfigError for an option that --long excludes. `order` is the order after all options.
void check_long(const OrderChoice& choice, const OrderOptions& order) {
  if (choice.long_sequences.empty() || choice.long_sequences == "error") return;
  const auto fail = [&](std::string_view reason) {
    throw ConfigError(fmt::format("--long {}: {}", choice.long_sequences, reason));
  };
  if (!order.row_samples) fail("--row-samples or --pad-length must say how long a row is");
  if (order.split_frames) fail("no frame is longer than a row: leave --split-frames out");
  if (order.truncation_length) {
    fail("--truncation-length says, too, where sequences are cut: leave one out");
  }
  if (order.unit == MinibatchUnit::cost && choice.long_sequences != "drop") {
    fail("a cost belongs to a whole sequence: leave --unit cost out, or take --long drop");
  }
}

// Throws: ConfigError for two options that set the same size.
void check_sizes(const OrderChoice& choice) {
  if (choice.sweeps && choice.epoch_size) {
    throw ConfigError("--sweeps and --epoch-size both say how long an epoch is: leave one out");
  }
  if (choice.order.window_chunks && choice.order.window_samples) {
    throw ConfigError(
        "--window-chunks and --window-samples both say how large the window is: leave one out");
  }
}

// Returns nothing, which the library takes as endless, for the 0 of the command line.
std::optional<std::int64_t> unless_endless(std::int64_t number) {
  return number == 0 ? std::nullopt : std::optional(number);
}

SweepEnds sweep_ends_of(const OrderChoice& choice) {
  return choice.sweep_ends == "cut" ? SweepEnds::cut : SweepEnds::cross;
}

MinibatchUnit unit_of(const std::string& name) {
  return name == "sequences" ? MinibatchUnit::sequences
         : name == "cost"    ? MinibatchUnit::cost
                             : MinibatchUnit::samples;
}

Sizes sizes_of(const OrderChoice& choice) {
  return choice.sizes == "exact" ? Sizes::exact : Sizes::even;
}

LongSequences long_sequences_of(const std::string& name) {
  return name == "split"      ? LongSequences::split
         : name == "truncate" ? LongSequences::truncate
         : name == "drop"     ? LongSequences::drop
                              : LongSequences::error;
}

OrderAlgorithm algorithm_of(const std::string& name) {
  return name == "keyed"  ? OrderAlgorithm::keyed
         : name == "cntk" ? OrderAlgorithm::cntk
                          : OrderAlgorithm::file;
}

// Applies the given options to the order of a spec.
//
// Throws: ConfigError for options that the order does not have.
void change_order(const OrderChoice& choice, const CLI::App& verb, bool has_transforms,
                  OrderOptions& order) {
  if (is_given(verb, "--order")) order.algorithm = algorithm_of(choice.algorithm);
  OrderChoice said = choice;
  said.algorithm = to_string(order.algorithm);
  check_kind(said);
  if (order.algorithm == OrderAlgorithm::file) check_file_order(said, has_transforms);
  if (choice.truncation_length) check_truncation(said);

  const OrderOptions& sizes = choice.order;
  order.worker_index = sizes.worker_index;
  order.worker_count = sizes.worker_count;
  if (choice.seed) order.seed = *choice.seed;
  if (sizes.window_chunks || sizes.window_samples) {
    order.window_chunks = sizes.window_chunks;
    order.window_samples = sizes.window_samples;
  }
  if (is_given(verb, "--split-frames")) order.split_frames = true;
  if (is_given(verb, "--minibatch-size")) order.minibatch_size = sizes.minibatch_size;
  if (is_given(verb, "--unit")) order.unit = unit_of(choice.unit);
  if (choice.sweeps) {
    order.sweeps = unless_endless(*choice.sweeps);
    order.epoch_size.reset();
  }
  if (choice.epoch_size) order.epoch_size = choice.epoch_size;
  if (is_given(verb, "--epochs")) order.epochs = unless_endless(choice.epochs);
  if (!choice.sweep_ends.empty()) order.sweep_ends = sweep_ends_of(choice);
  if (!choice.timeline.empty()) {
    order.timeline = choice.timeline == "global" ? Timeline::global : Timeline::local;
  }
  if (!choice.balance.empty()) {
    order.balance = choice.balance == "count" ? Balance::count : Balance::cost;
  }
  if (!choice.batching.empty()) {
    order.batching = choice.batching == "bucketed" ? Batching::bucketed : Batching::plain;
  }
  if (!choice.sizes.empty()) order.sizes = sizes_of(choice);
  if (is_given(verb, "--drop-last")) order.drop_last = true;
  if (choice.truncation_length) order.truncation_length = *choice.truncation_length;
  if (!choice.long_sequences.empty()) {
    order.long_sequences = long_sequences_of(choice.long_sequences);
  }
}

}  // namespace

void add_shuffle_options(CLI::App& verb, OrderChoice& choice) {
  verb.add_option_function<std::string>(
          "--order",
          [&choice](const std::string& name) {
            check_algorithm(name);
            choice.algorithm = name;
          },
          "The order of the sequences. file: the order of the file; cntk: shuffled exactly as CNTK "
          "2.x shuffles; keyed: shuffled, the same for any number of workers")
      ->type_name("file|cntk|keyed")
      ->default_str(choice.algorithm)
      ->group(kOrderGroup);
  verb.add_option_function<std::string>(
          "--seed", [&choice](const std::string& text) { choice.seed = parse_seed(text); },
          "Number that selects the order of --order cntk and keyed. Each sweep of a seed has its "
          "own order")
      ->type_name("N")
      ->default_str("0")
      ->group(kOrderGroup);
  add_count(verb, "--window-chunks", choice.order.window_chunks, kWindow,
            "How many chunks to hold in memory and mix, of all workers together. Without a window: "
            "as many as make 4 GiB")
      ->group(kOrderGroup);
  add_count(verb, "--window-samples", choice.order.window_samples, kWindow, "The same, in samples")
      ->group(kOrderGroup);
}

void add_order_options(CLI::App& verb, OrderChoice& choice) {
  add_shuffle_options(verb, choice);
  add_epoch_options(verb, choice);
  add_size_options(verb, choice);
  add_worker_options(verb, choice);
}

OrderOptions chosen_order(const OrderChoice& choice, std::int64_t chunk_size_bytes,
                          bool has_transforms) {
  check_sizes(choice);
  check_kind(choice);
  OrderOptions order = choice.order;
  order.unit = unit_of(choice.unit);
  order.sweep_ends = sweep_ends_of(choice);
  order.timeline = choice.timeline == "global" ? Timeline::global : Timeline::local;
  if (choice.sweeps) order.sweeps = unless_endless(*choice.sweeps);
  order.epoch_size = choice.epoch_size;
  order.epochs = unless_endless(choice.epochs);
  if (choice.truncation_length) {
    check_truncation(choice);
    order.truncation_length = *choice.truncation_length;
  }
  order.long_sequences = long_sequences_of(choice.long_sequences);
  order.row_samples = choice.row_samples ? choice.row_samples : choice.pad_length;
  check_long(choice, order);
  order.seed = choice.seed.value_or(0);
  if (choice.algorithm == "file") {
    check_file_order(choice, has_transforms);
    return order;
  }
  order.algorithm = algorithm_of(choice.algorithm);
  order.balance = choice.balance == "count" ? Balance::count : Balance::cost;
  order.batching = choice.batching == "bucketed" ? Batching::bucketed : Batching::plain;
  order.sizes = sizes_of(choice);
  if (!order.window_chunks && !order.window_samples) {
    order.window_chunks = default_window_chunks(chunk_size_bytes);
  }
  return order;
}

OrderOptions chosen_order(const OrderChoice& choice, const DataOptions& data) {
  if (!data.spec) {
    return chosen_order(choice, data.format.chunk_size_bytes, !data.transforms.empty());
  }
  check_sizes(choice);
  Spec spec = *data.spec;
  change_order(choice, *data.verb, !spec.data.transforms.empty(), spec.read.order);
  if (!data.choice.files.empty()) {  // read_spec() has applied --minibatch-size
    spec.read.order.minibatch_size = data.spec->read.order.minibatch_size;
  }
  spec.read.row_samples = chosen_row_samples(choice, data);
  spec.read.padding = chosen_padding(choice, data);
  OrderOptions order = order_of(spec);
  check_long(choice, order);
  return order;
}

void print_worker_warning(Console& console, const OrderChoice& choice) {
  if (choice.worker && !choice.worker->warning.empty()) {
    console.print_note("--worker env: " + choice.worker->warning);
  }
}

Layout chosen_packing(const OrderChoice& choice, const DataOptions& data, Layout otherwise) {
  if (!data.spec) return chosen_packing(choice, otherwise);
  const Layout layout = data.spec->read.packing;
  return chosen_packing(choice, layout == Layout::padded ? otherwise : layout);
}

std::optional<std::int64_t> chosen_row_samples(const OrderChoice& choice, const DataOptions& data) {
  if (choice.row_samples || !data.spec) return choice.row_samples;
  return data.spec->read.row_samples;
}

Padding chosen_padding(const OrderChoice& choice, const DataOptions& data) {
  Padding padding;
  if (data.spec) padding = data.spec->read.padding;
  if (!choice.pad_values.empty()) padding.pad_values = choice.pad_values;
  if (!choice.pad_side.empty()) {
    padding.pad_side = choice.pad_side == "left" ? PadSide::left : PadSide::right;
  }
  if (choice.pad_multiple || choice.pad_length) {
    padding.pad_multiple = choice.pad_multiple;
    padding.pad_length = choice.pad_length;
  }
  return padding;
}

Layout chosen_packing(const OrderChoice& choice, Layout otherwise) {
  const std::string& name = choice.packing;
  if (choice.row_samples) {
    if (choice.truncation_length) {
      throw ConfigError(
          "--row-samples and --truncation-length: the one packs whole sequences, the other cuts "
          "them: leave one out");
    }
    if (name.empty() || name == to_string(Layout::packed)) return Layout::packed;
    throw ConfigError(
        fmt::format("--row-samples: slots of a fixed length are those of packed: leave --packing "
                    "out; got \"{}\"",
                    name));
  }
  if (choice.truncation_length) {
    if (name.empty() || name == to_string(Layout::truncated)) return Layout::truncated;
    throw ConfigError(
        fmt::format("--truncation-length: pieces of sequences are packed as truncated: leave "
                    "--packing out; got \"{}\"",
                    name));
  }
  if (name == to_string(Layout::truncated)) {
    throw ConfigError("--packing truncated: --truncation-length must say how many steps it has");
  }
  for (const Layout layout : {Layout::padded, Layout::ragged, Layout::packed, Layout::frames}) {
    if (name == to_string(layout)) return layout;
  }
  return otherwise;
}

}  // namespace sheaf::cli
