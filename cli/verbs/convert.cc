#include "sheaf/convert.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "sheaf/dtype.h"
#include "sheaf/error.h"
#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_sink.h"
#include "sheaf/extend/format.h"
#include "sheaf/select.h"
#include "sheaf/writer.h"

#include "options/data_options.h"
#include "options/file_text.h"
#include "options/format_list.h"
#include "options/help.h"
#include "options/option_words.h"
#include "options/options.h"
#include "options/order_options.h"
#include "options/stream_option.h"
#include "output/console.h"
#include "output/convert_report.h"
#include "output/output.h"
#include "output/progress.h"
#include "output/write_data.h"
#include "verbs/verbs.h"

namespace sheaf::cli {
namespace {

constexpr std::int64_t kShardsMax = 99'999;  // five digits of a file name
constexpr std::int64_t kKeysBytesMax = std::int64_t{1} << 30;
constexpr std::int64_t kReportBytesMax = std::int64_t{64} << 20;  // a larger file is no report

struct ConvertVerbOptions {
  DataOptions data;
  OrderChoice order;
  std::string path;  // "-": standard output; with shards or a split, the stem of the file names
  ConvertOptions convert;
  When progress = When::automatic;
  std::int64_t input_bytes = 0;      // size of the source, for the progress line
  std::vector<std::string> more;     // positional arguments after OUT
  std::vector<std::string> streams;  // as given to --streams
  std::string precision;             // empty: the precision of IN
  std::string split;
  std::string share;
  std::string select_keys;
  std::int64_t max_length = -1;
  std::string report;
  bool overwrite = false;
  bool json = false;
};

bool is_standard(const std::string& path) { return path == kStandardStream; }

// Checks standard input and output against the other options, before any data are read.
//
// Throws: ConfigError for options that exclude each other.
void check_standard_streams(const ConvertVerbOptions& options) {
  const std::string& path = options.path;
  const bool reads_standard_input = std::ranges::any_of(options.data.paths, is_standard_input);
  if (reads_standard_input && (options.data.paths.size() > 1 || !options.data.joined.empty())) {
    throw ConfigError("standard input is read alone: other files, and --join, need it in a file");
  }
  if (reads_standard_input && options.data.format.format.empty()) {
    throw ConfigError(
        "IN is standard input, whose name tells no format: --from does, as --from ctf");
  }
  if (path == "/dev/stdout" || path == "/dev/fd/1") {
    throw ConfigError(fmt::format("OUT {}: - stands for standard output", path));
  }
  if (!is_standard(path)) return;
  if (options.convert.writer.format.format.empty()) {
    throw ConfigError("OUT is standard output, whose name tells no format: --to does, as --to ctf");
  }
  if (options.json) {
    throw ConfigError("--json: the data go to standard output; --report FILE has the same");
  }
  if (options.convert.shards || !options.split.empty()) {
    throw ConfigError("--shards and --split write files, which get their names from OUT: got -");
  }
  if (const Format& format = find_writable_format(path, options.convert.writer.format);
      format.writes_several) {
    throw ConfigError(
        fmt::format("OUT is standard output, and {} is a list and the files that it names: give "
                    "the list a path",
                    format.name));
  }
}

std::string extension(const std::string& path) {
  return std::filesystem::path(path).extension().string();
}

// Throws ConfigError because OUT exists. If the user gave a shell pattern and forgot OUT, the last
// file of the pattern became OUT. The message asks about that case.
[[noreturn]] void refuse_existing(const std::string& path, std::span<const std::string> inputs) {
  const bool is_alike = std::ranges::count(inputs, extension(path), extension) > 0;
  throw ConfigError(fmt::format("{}: exists already{}; --overwrite replaces it", path,
                                is_alike ? "; was OUT forgotten, which is the last file" : ""));
}

// Throws: ConfigError if the report would replace a file that is not an earlier report.
void check_report_path(const std::string& report, std::span<const std::string> outputs,
                       std::span<const std::string> inputs) {
  if (is_standard(report)) {
    throw ConfigError("--report takes the name of a file; --json prints the same");
  }
  std::error_code error;
  const bool is_output = std::ranges::any_of(outputs, [&](const std::string& path) {
    return std::filesystem::path(path).lexically_normal() ==
               std::filesystem::path(report).lexically_normal() ||
           std::filesystem::equivalent(path, report, error);
  });
  if (is_output) throw ConfigError(fmt::format("--report {}: is a file that is written", report));
  if (!check_output_path(report, inputs)) return;
  const std::optional<std::string> text = file_text(report, kReportBytesMax);
  if (text && is_report_json(*text)) return;
  throw ConfigError(fmt::format(
      "--report {}: exists and is no report, so it is not replaced: name another file", report));
}

void check_paths(const ConvertVerbOptions& options) {
  const std::vector<std::string> inputs = data_files(options.data);
  const std::vector<std::string> outputs = output_paths(options.path, options.convert);
  for (const std::string& path : outputs) {
    if (is_standard(path)) continue;
    if (check_output_path(path, inputs) && !options.overwrite) refuse_existing(path, inputs);
  }
  if (!options.report.empty()) check_report_path(options.report, outputs, inputs);
}

// Returns the streams to write. Without --streams, these are all streams.
std::vector<WrittenStream> written_streams(const ConvertVerbOptions& options,
                                           std::span<const Stream> streams) {
  std::vector<WrittenStream> written;
  for (const std::string& text : options.streams) {
    const std::size_t equals = std::min(text.find('='), text.size());
    written.push_back({.name = text.substr(0, equals)});
    if (equals < text.size()) written.back().alias = text.substr(equals + 1);
    if (std::ranges::count(streams, written.back().name, &Stream::name) > 0) continue;
    std::vector<std::string_view> known;
    for (const Stream& stream : streams) known.push_back(stream.name);
    throw ConfigError(fmt::format("--streams: there is no stream \"{}\"; there are: {}",
                                  written.back().name, fmt::join(known, ", ")));
  }
  if (written.empty()) {
    for (const Stream& stream : streams) written.push_back({.name = stream.name});
  }
  if (options.precision.empty()) return written;
  for (WrittenStream& stream : written) {
    const ElementType type = std::ranges::find(streams, stream.name, &Stream::name)->element_type;
    if (type != ElementType::bytes) stream.dtype = dtype_named(options.precision);
  }
  return written;
}

// Divides the positional arguments: the last one is OUT, the others are IN. A spec or a
// configuration takes the place of IN.
//
// Throws: ConfigError if IN or OUT is missing, and as read_spec().
void find_input_and_output(ConvertVerbOptions& options, Console& console) {
  std::vector<std::string>& inputs = options.data.paths;
  std::string& output = options.path;
  if (!output.empty()) inputs.push_back(std::exchange(output, ""));
  std::ranges::move(options.more, std::back_inserter(inputs));
  const SpecChoice& choice = options.data.choice;
  const bool is_chosen = !choice.spec.empty() || !choice.files.empty();
  if (inputs.size() > (is_chosen ? 0 : 1)) {
    output = std::move(inputs.back());
    inputs.pop_back();
  }
  read_spec(options.data, console);
  if (!output.empty()) return;
  throw ConfigError(
      fmt::format("OUT is required\n  sheaf help {} tells more", verb_path(*options.data.verb)));
}

// Throws: ConfigError for an invalid selection.
void choose_sequences(ConvertVerbOptions& options) {
  Selection& selected = options.convert.selected;
  if (!options.share.empty()) {
    selected.share = with_option_words([&] { return parse_share(options.share); });
  }
  if (options.max_length >= 0) selected.max_length = options.max_length;
  if (selected.max_length < selected.min_length) {
    throw ConfigError(fmt::format("--max-length {}: less than --min-length {}", options.max_length,
                                  selected.min_length));
  }
  if (options.select_keys.empty()) return;
  const std::optional<std::string> text = file_text(options.select_keys, kKeysBytesMax);
  if (!text) {
    throw ConfigError(fmt::format("--select-keys {}: more than {} bytes are no list of keys",
                                  options.select_keys, kKeysBytesMax));
  }
  selected.keys = parse_keys(*text);
}

// Completes the options of the conversion, before any data are read.
void prepare(ConvertVerbOptions& options, Console& console) {
  ConvertOptions& convert = options.convert;
  find_input_and_output(options, console);
  check_standard_streams(options);
  // For float32 the reader keeps the type of IN, and the writer counts the values that become
  // infinite. For other types the reader converts: text keeps more digits as float64.
  options.precision = options.data.precision;
  if (options.precision == "float32") options.data.precision.clear();
  if (!options.split.empty()) {
    if (convert.shards) {
      throw ConfigError(
          "--shards and --split both divide what is written: leave one out, and convert each part "
          "into shards");
    }
    convert.split = with_option_words([&] { return parse_split(options.split); });
  }
  choose_sequences(options);
  convert.for_merge = !options.data.part.empty();
  if (convert.for_merge && is_standard(options.path)) {
    throw ConfigError("--part: OUT is standard output: a part is a file, for sheaf merge");
  }
  if (convert.for_merge && std::ranges::any_of(options.data.paths, is_standard_input)) {
    throw ConfigError(
        "--part: IN is standard input, and all parts read the same data: give a file");
  }
  convert.writer.existing = options.overwrite ? Existing::replace : Existing::refuse;
  // The conversion writes each sequence once, even if a spec delivers several sweeps.
  const OrderOptions order = chosen_order(options.order, options.data);
  convert.order = {.algorithm = order.algorithm,
                   .seed = order.seed,
                   .window_chunks = order.window_chunks,
                   .window_samples = order.window_samples};
  static_cast<void>(find_writable_format(options.path, convert.writer.format));
  check_paths(options);
}

OpenData open_input(ConvertVerbOptions& options, Console& console) {
  const OrderOptions& order = options.convert.order;
  if (std::ranges::none_of(options.data.paths, is_standard_input)) {
    options.input_bytes = data_size_bytes(options.data, shows_progress(console, options.progress));
    const OpeningProgress opening(console, options.progress, options.input_bytes, LastLine::none);
    return cli::open(options.data, order);
  }
  const std::shared_ptr<const ByteSource> source = standard_input();
  options.input_bytes = source->size();
  return cli::open(options.data, order, source);
}

// Throws: as convert(). If the memory limit is too small, the message also says how much of the
//         limit is for the writer.
ConvertReport run_conversion(ConvertVerbOptions& options, Console& console) {
  ConvertOptions& convert = options.convert;
  const std::optional<std::int64_t> limit = options.data.run.memory_limit_bytes;
  convert.run.memory_limit_bytes = limit;
  if (options.data.threads > 0) convert.run.threads = static_cast<int>(options.data.threads);
  const std::optional<std::int64_t> reading =
      with_option_words([&] { return reading_memory_bytes(options.path, convert); });
  options.data.run.memory_limit_bytes = reading;
  const OpenData open = open_input(options, console);
  if (!options.json) print_found_streams(console, options.data, open);
  convert.max_errors = options.data.run.max_errors;
  convert.writer.streams = written_streams(options, open.data->streams());
  try {
    return write_data(open, options.path, convert,
                      {console, options.progress, options.input_bytes});
  } catch (const ConfigError& error) {
    if (!std::string_view(error.what()).starts_with("memory_limit_bytes")) {
      if (const auto text = in_option_words(error.what())) throw ConfigError(*text);
      throw;
    }
    throw ConfigError(
        fmt::format("{}; of the {} bytes of --memory-limit {} are for what is written",
                    error.what(), *limit, *limit - *reading));
  }
}

int run_convert(ConvertVerbOptions& options, Console& console) {
  prepare(options, console);
  const ConvertReport report = run_conversion(options, console);
  print_findings(console, report);
  Output output;
  if (!options.report.empty()) {
    append_report_json(output.text(), data_name(options.data), report);
    const std::unique_ptr<ByteSink> file = create_file(options.report);
    file->write(std::as_bytes(std::span(output.text())));
    file->finish();
    output.text().clear();
  }
  if (options.json) {
    append_report_json(output.text(), data_name(options.data), report);
  } else {
    append_report(output.text(), report);
  }
  if (is_standard(options.path)) {
    output.text().pop_back();
    console.print(output.text());
  } else {
    output.flush();
  }
  return kExitGood;
}

void add_selection_options(CLI::App& app, ConvertVerbOptions& options) {
  constexpr const char* kGroup = "Selection";
  app.add_option("--select-keys", options.select_keys,
                 "Write only the sequences whose keys this file lists, one key on each line")
      ->type_name("FILE")
      ->group(kGroup);
  app.add_option(
         "--select-share", options.share,
         "Write only this share of the sequences, such as 0.1. Only the key decides whether a "
         "sequence is written, and a larger share has all sequences of a smaller one")
      ->type_name("SHARE")
      ->group(kGroup);
  add_count(app, "--min-length", options.convert.selected.min_length, {},
            "Write only sequences of at least N samples")
      ->default_str("")
      ->group(kGroup);
  add_count(app, "--max-length", options.max_length, {},
            "Write only sequences of at most N samples")
      ->default_str("")
      ->group(kGroup);
}

void add_output_options(CLI::App& app, ConvertVerbOptions& options) {
  constexpr const char* kGroup = "Output";
  ConvertOptions& convert = options.convert;
  app.add_option(
         "OUT", options.path,
         "The file to write. Its extension tells the format; without an extension, the format "
         "is sheaf. - means standard output")
      ->type_name("FILE");
  app.add_option("MORE", options.more,
                 "More files. sheaf then writes to the last of all files, and reads the others one "
                 "after the other")
      ->type_name("FILE");
  app.add_option("--to", convert.writer.format.format,
                 "The format of OUT, if its name does not tell it")
      ->type_name(format_names(FormatUse::writing))
      ->group(kGroup);
  app.add_option("--streams", options.streams,
                 "The streams to write, in this order. A=B writes the stream A under the name B")
      ->type_name("A,B=C")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(kGroup);
  add_size(app, "--chunk-size,--chunk-bytes", convert.writer.format.chunk_size_bytes,
           "About how many bytes a chunk of OUT has, if its format has chunks", 1)
      ->group(kGroup);
  add_settings(
      app, "--out-option", convert.writer.format.extra,
      with_format_options("Set an option of the format of OUT (repeatable)", FormatUse::writing))
      ->group(kGroup);
  add_count(app, "--shards", convert.shards, {1, kShardsMax},
            "Write N files with about equally many samples: NAME-00000-of-00003.EXT and so on")
      ->default_str("")
      ->group(kGroup);
  app.add_option("--split", options.split,
                 "Write a file for each part: NAME.train.EXT and so on. Only the key decides to "
                 "which part a sequence belongs")
      ->type_name("NAME=SHARE,...")
      ->group(kGroup);
  app.add_flag(
         "--overwrite", options.overwrite,
         "Replace an existing file that has the name of OUT, of a shard, of a part, or of a file "
         "that one of these lists. Without the option, such a file is an error")
      ->group(kGroup);
  app.add_option("--report", options.report,
                 "Write what --json prints to this file, after everything else. sheaf replaces an "
                 "earlier report, and refuses any other existing file")
      ->type_name("FILE")
      ->group(kGroup);
  app.add_flag(
         "--json", options.json,
         "Print a JSON object: input; files, each with path, bytes, sequences and samples; the "
         "sums of these; holes (sequences left out); places (the number of errors); diagnostics; "
         "warnings")
      ->group(kGroup);
  add_progress_options(app, options.progress);
}

constexpr const char* kConvertDescription = R"(Convert data to another format

Reads IN once and writes its sequences to OUT, in the same order or shuffled, on all threads. The
bytes of OUT depend on the data and on the options about data, order and output. Threads and memory
never change them.

OUT appears when it is complete: until then, sheaf writes to a file with a temporary name in the
same folder. Several files appear together. sheaf refuses to replace an existing file. With
--overwrite, the existing file stays until the new one is complete.

With --part, OUT is a part: sheaf merge makes the file of all parts, with the same bytes as a
conversion in one go. A part is a container, whatever format the whole file has.

--spec and --config stand in place of IN. convert takes the order (the algorithm, the seed and the
window) and the number of tolerated errors from them, and writes each sequence once.)";

constexpr const char* kConvertFooter = R"(Examples:
  sheaf convert train.ctf train.cbf
  sheaf convert train.cbf train.ctf --streams features=F,labels
  sheaf convert train.ctf shuffled.cbf --order keyed --seed 7
  sheaf convert train.ctf train.cbf --shards 8 --overwrite
  sheaf convert all.ctf data.cbf --split train=0.9,test=0.1
  sheaf convert all.ctf sample.ctf --select-share 0.01 --max-length 100
  sheaf convert train.ctf train.cbf --max-errors 100 --report left-out.json
  sheaf convert part-00.ctf part-01.ctf all.cbf
  sheaf convert train.ctf part-3.cbf --part 3/8
  sheaf convert features.ctf all.cbf --join labels.ctf
  sheaf convert --spec train.json train.cbf
  zcat train.ctf.gz | sheaf convert - train.cbf --from ctf

Exit codes:
  0 good, also if the program that reads standard output has ended; 1 more errors in the data
  than --max-errors tolerates, or a file that cannot be read or written; 2 bad usage, also if a
  shard or a part would have no sequence; 130 or 143: ended by a signal)";

}  // namespace

Verb add_convert(CLI::App& parent, Console& console) {
  CLI::App* const app = parent.add_subcommand("convert", kConvertDescription);
  app->footer(kConvertFooter);
  const auto options = std::make_shared<ConvertVerbOptions>();
  add_data_options(
      *app, options->data,
      {.path = "IN",
       .path_description =
           "The data. The extension tells the format. sheaf reads the files of a pattern such as "
           "'part-*.ctf' one after the other. - means standard input",
       .has_several = false,
       .has_standard_input = false,  // open_input() reads IN once OUT is known
       .chunk_size = "--in-chunk-size",
       .old_chunk_size = "--in-chunk-bytes",
       .format = "--from",
       .format_option = "--in-option",
       .precision_description = "Type of the values to write. Without the option: float32 for "
                                "text, and otherwise the type that IN stores",
       .is_precision_of_output = true});
  add_max_errors_option(*app, options->data);
  add_shuffle_options(*app, options->order);
  add_output_options(*app, *options);
  add_selection_options(*app, *options);
  return {app, [options, &console] { return run_convert(*options, console); }};
}

}  // namespace sheaf::cli
