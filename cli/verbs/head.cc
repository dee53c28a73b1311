#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/error.h"
#include "sheaf/reader.h"

#include "options/data_options.h"
#include "options/options.h"
#include "output/console.h"
#include "output/format_minibatch.h"
#include "output/output.h"
#include "output/picture.h"
#include "output/progress.h"
#include "verbs/verbs.h"

namespace sheaf::cli {
namespace {

// The sizes are small, so that head prints the first sequences of a large file at once.
constexpr std::int64_t kChunkSize = std::int64_t{1} << 20;
constexpr std::int64_t kInferenceSize = std::int64_t{64} << 20;

struct HeadOptions {
  DataOptions data;
  std::int64_t sequences = 10;
  std::vector<std::string> keys;  // if not empty, head prints these sequences instead
  std::string pictures = "auto";
  When progress = When::automatic;
  bool json = false;
};

/// A sequencer without steps. The reader reads sequences by key, and reads nothing ahead.
class NoSteps final : public Sequencer {
 public:
  [[nodiscard]] std::string_view algorithm() const noexcept override { return "none"; }
  [[nodiscard]] std::map<std::string, std::string> options() const override { return {}; }
  [[nodiscard]] std::optional<Step> step(const Place& /*from*/, OrderCursor& /*cursor*/,
                                         const StepRoom& /*room*/) const override {
    return {};
  }
};

void append_json(std::string& out, const Minibatch& minibatch) {
  out += "{\"key\":";
  append_quoted(out, key_text(minibatch, 0));
  out += ",\"streams\":{";
  for (std::size_t i = 0; i < minibatch.streams().size(); ++i) {
    const Stream& stream = minibatch.streams()[i];
    if (i > 0) out += ',';
    append_quoted(out, stream.name);
    out += ':';
    append_samples(out, stream, minibatch.view(static_cast<std::int64_t>(i), 0));
  }
  out += "}}";
}

/// Whether and in which colours to draw sequences.
struct Pictures {
  bool are_shown = false;
  Colors colors = Colors::none;
};

Pictures pictures_of(const HeadOptions& options, const Output& output, const Console& console) {
  const bool is_wanted = options.pictures == "always" ||
                         (options.pictures == "auto" && output.is_terminal() && !options.json);
  const bool has_colors = console.colors_output(output.is_terminal());
  return {.are_shown = is_wanted, .colors = has_colors ? terminal_colors() : Colors::none};
}

void append_readable(Output& output, const Minibatch& minibatch, const Pictures& pictures) {
  std::string& out = output.text();
  std::size_t width = 0;
  for (const Stream& stream : minibatch.streams()) width = std::max(width, stream.name.size());
  const std::size_t indent = width + 4;
  out += key_text(minibatch, 0);
  for (std::size_t i = 0; i < minibatch.streams().size(); ++i) {
    const Stream& stream = minibatch.streams()[i];
    out += "\n  " + stream.name + std::string(indent - 2 - stream.name.size(), ' ');
    const SequenceView view = minibatch.view(static_cast<std::int64_t>(i), 0);
    append_samples_readable(out, stream, view, indent);
    if (!pictures.are_shown) continue;
    std::string picture;
    if (append_picture(picture, stream, view, indent, pictures.colors)) {
      output.append_as_is(picture);
    }
  }
}

void print(Output& output, const HeadOptions& options, const Minibatch& minibatch,
           const Pictures& pictures) {
  if (options.json) {
    append_json(output.text(), minibatch);
  } else {
    append_readable(output, minibatch, pictures);
  }
  output.end_line();
}

/// Returns the numeric key that a text stands for.
///
/// Throws: ConfigError if the text is not a number.
SequenceKey number_of(const std::string& text) {
  SequenceKey key;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, key.low);
  if (error == std::errc() && stop == end) return key;
  throw ConfigError(fmt::format(
      "--key takes a whole number from 0 to {}, or with --keys text any text: got \"{}\"",
      std::numeric_limits<std::uint64_t>::max(), text));
}

/// Returns the sequence with a key. If there is none, or its data are wrong, prints the reason on
/// standard error and returns nothing. The key is `number`, or `text` if `number` is empty.
std::optional<Minibatch> find(Reader& reader, const HeadOptions& options, const std::string& text,
                              const std::optional<SequenceKey>& number, Console& console) {
  try {
    std::optional<Minibatch> found = number ? reader.sequence(*number) : reader.sequence(text);
    if (!found) {
      console.print_error(
          fmt::format("{}: no sequence has the key \"{}\"", data_name(options.data), text));
    }
    return found;
  } catch (const DataError& error) {
    console.print_diagnostics(error.diagnostics());
    console.print_error(fmt::format(
        "{}: the sequence with the key \"{}\" has wrong data and is left out of what is "
        "delivered",
        data_name(options.data), text));
    return std::nullopt;
  }
}

int run_keys(const HeadOptions& options, Console& console) {
  OpeningProgress opening(console, options.progress,
                          pass_bytes(options.data, shows_progress(console, options.progress)));
  const OpenData open = cli::open(options.data);
  std::vector<std::optional<SequenceKey>> numbers(options.keys.size());
  if (!has_text_keys(open.data->index())) {
    std::ranges::transform(options.keys, numbers.begin(), number_of);
  }
  if (!options.json) print_found_streams(console, options.data, open);
  RunOptions run = options.data.run;
  run.executor = open.executor.get();
  Reader reader(open.data, std::make_unique<NoSteps>(), ragged_packer(), run);
  Output output;
  const Pictures pictures = pictures_of(options, output, console);
  bool are_all_there = true;
  for (std::size_t i = 0; i < options.keys.size(); ++i) {
    if (const auto minibatch = find(reader, options, options.keys[i], numbers[i], console)) {
      opening.finish();  // the first key waits for the index
      print(output, options, *minibatch, pictures);
      output.flush();  // keeps the order of sequences and error messages
    } else {
      are_all_there = false;
    }
  }
  console.print_diagnostics(reader.warnings());
  return are_all_there ? kExitGood : kExitBadData;
}

// The first sequences need only the beginning of the index, but only a complete one is written.
void complete_index(const OpenData& open) {
  open.data->build_index(*open.executor, nullptr);
  for (std::int64_t i = 0; open.data->index().chunk(ChunkIndex{i}); ++i) {
  }
}

int run_head(const HeadOptions& options, Console& console) {
  const OrderOptions order{.minibatch_size = 1, .unit = MinibatchUnit::sequences};
  OpeningProgress opening(console, options.progress, 0);
  const OpenData open = cli::open(options.data);
  if (!options.json) print_found_streams(console, options.data, open);
  if (options.data.index == "rebuild") complete_index(open);
  Reader reader = make_reader(open, order, Layout::ragged, options.data.run);
  Output output;
  const Pictures pictures = pictures_of(options, output, console);
  const auto print_first = [&] {
    for (std::int64_t printed = 0; printed < options.sequences;) {
      const auto minibatch = reader.next();
      opening.finish();
      if (!minibatch) return;
      if (minibatch->sequence_count() == 0) continue;  // the sequence was left out
      print(output, options, *minibatch, pictures);
      ++printed;
    }
  };
  try {
    print_first();
  } catch (const Error&) {
    output.flush();  // print the good sequences before the bad one
    throw;
  }
  output.flush();
  print_findings(console, reader);
  return kExitGood;
}

/// Sets the sizes to the defaults of the other verbs. With the same sizes, one index file serves
/// all verbs.
void use_other_verbs_defaults(const CLI::App& app, DataOptions& data) {
  const FormatOptions defaults;
  data.format.inference_size_bytes = defaults.inference_size_bytes;
  if (app.count("--chunk-bytes") == 0) data.format.chunk_size_bytes = defaults.chunk_size_bytes;
}

constexpr const char* kHeadDescription =
    R"(Print the first sequences of a file, or some by their keys

On a terminal, head also draws what numbers alone do not show: an image, the features of a sequence
as a map, samples of one value as a curve. Encoded images need --transform STREAM:image.decode.

Without --stream, head shows the streams that it finds in the first 64 MiB of the file, and prints
the options that declare them on standard error. It reads no more of the file than it needs. With
--index auto, require or rebuild, head uses the same index file as the other verbs, and looks for
streams in the whole file.

With --key, head finds sequences through the index, at once if there is an index file: sheaf index
makes one. Without an index file, head scans the file up to the key, and the whole file to find
streams that are not declared.)";

constexpr const char* kHeadFooter = R"(Examples:
  sheaf head train.ctf
  sheaf head -n 2 train.ctf --stream features:dense:64 --stream labels:sparse:10
  sheaf head -n 1 train.ctf --json
  sheaf head train.ctf --key 318 --key 42
  sheaf head -n 1 feats.scp --pictures always

Exit codes:
  0 good; 1 bad data before the last sequence that you asked for, no sequence with a key, or a file
  that cannot be read; 2 bad usage)";

}  // namespace

Verb add_head(CLI::App& parent, Console& console) {
  CLI::App* const app = parent.add_subcommand("head", kHeadDescription);
  app->footer(kHeadFooter);
  const auto options = std::make_shared<HeadOptions>();
  options->data.format.chunk_size_bytes = kChunkSize;
  options->data.format.inference_size_bytes = kInferenceSize;
  // head reads little, and its chunks differ from the chunks of other verbs.
  options->data.index = "off";
  add_data_options(*app, options->data);
  add_max_errors_option(*app, options->data);
  add_count(*app, "-n,--sequences", options->sequences, {}, "How many sequences to print")
      ->group("Output");
  app->add_option("--key", options->keys,
                  "Print the sequence with this key in place of the first sequences. Repeat the "
                  "option for more keys. If several sequences have the key, sheaf prints the first "
                  "one of the file. KEY is a number or a text, as the keys of the data are")
      ->type_name("KEY")
      ->allow_extra_args(false)
      ->group("Output");
  app->add_flag("--json", options->json,
                "Print a JSON object on each line: {\"key\":...,\"streams\":{NAME:[SAMPLE,...]}}. "
                "A dense sample is [VALUE,...], and a sparse sample is [[INDEX,VALUE],...]")
      ->group("Output");
  add_choice(*app, "--pictures", options->pictures, {"auto", "always", "never"},
             "Draw images, features and curves below their numbers. auto: on a terminal, without "
             "--json")
      ->group("Output");
  add_progress_options(*app, options->progress);
  return {app, [app, options, &console] {
            read_spec(options->data, console);
            if (options->keys.empty()) {
              if (options->data.index != "off") use_other_verbs_defaults(*app, options->data);
              return run_head(*options, console);
            }
            if (app->count("--sequences") > 0) {
              throw ConfigError(
                  "--key and --sequences both say which sequences to print: leave one out");
            }
            use_other_verbs_defaults(*app, options->data);
            if (app->count("--index") == 0) options->data.index = "auto";
            return run_keys(*options, console);
          }};
}

}  // namespace sheaf::cli
