#include "options/data_options.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "sheaf/diagnostic.h"
#include "sheaf/dtype.h"
#include "sheaf/error.h"
#include "sheaf/extend/archive.h"
#include "sheaf/extend/compressed.h"
#include "sheaf/extend/concatenate.h"
#include "sheaf/extend/format.h"
#include "sheaf/open.h"

#include "options/cache_options.h"
#include "options/format_list.h"
#include "options/mix_options.h"
#include "options/option_words.h"
#include "options/options.h"
#include "options/stream_option.h"
#include "options/transform_option.h"
#include "output/counted.h"
#include "verbs/given_source.h"
#include "verbs/opening_error.h"

namespace sheaf::cli {
namespace {

constexpr std::int64_t kThreadsMax = 1024;
constexpr const char* kIndexOtherwise = "auto";  // default of --index, unless a verb sets another

constexpr const char* kDataGroup = "Data";
constexpr const char* kFilesGroup = "Several files";
constexpr const char* kIndexGroup = "Index file";
constexpr const char* kRunGroup = "Threads and memory";

void add_stream_options(CLI::App& verb, DataOptions& options, const DataNames& names) {
  verb.add_option(
          "--stream", options.streams,
          "Read this stream. Repeat the option for each stream. Without the option, sheaf "
          "reads all streams that the file has. DIM is the number of values in a dense "
          "sample, or its shape, such as 8x8. For a sparse stream, all indices are below "
          "DIM. Without DIM, or with ?, sheaf finds DIM in the data. alias=A: the file "
          "calls the stream A. mb: the minibatch size counts the samples of this stream. "
          "dtype=T: the type of this stream's values, as --dtype takes it. index=i64: indices "
          "have 64 bits. Write \\: for a colon in a name")
      ->type_name(kStreamSyntax)
      ->allow_extra_args(false)
      ->group(kDataGroup);
  add_choice(verb, "--dtype,--precision", options.precision,
             {"float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8", "uint16"},
             names.precision_description, {{"float", "float32"}, {"double", "float64"}})
      ->group(kDataGroup);
  verb.add_flag("--skip-sequence-ids", options.format.skip_sequence_ids,
                "Make each row a sequence of its own, whatever its id")
      ->group(kDataGroup);
  add_choice(
      verb, "--keys", options.keys, {"numeric", "text"},
      "Type of the sequence ids: 64-bit numbers or texts. Without the option: texts for speech, "
      "else numbers")
      ->group(kDataGroup);
  add_choice(verb, "--missing-streams", options.missing_streams, {"error", "allow"},
             "What to do with a sequence that lacks a stream. error: raise an error; allow: "
             "deliver the sequence without the stream")
      ->group(kDataGroup);
  add_choice(verb, "--compatibility", options.compatibility, {"strict", "cntk"},
             "Which data are wrong. strict: everything that the format's page does not allow; "
             "cntk: only what CNTK 2.x refuses")
      ->group(kDataGroup);
  add_size(verb, fmt::format("{},{}", names.chunk_size, names.old_chunk_size),
           options.format.chunk_size_bytes,
           "About how many bytes of the file a chunk has. The index lists chunks", 1)
      ->group(kDataGroup);
}

void add_transform_option(CLI::App& verb, DataOptions& options) {
  verb.add_option("--transform", options.transforms,
                  fmt::format("Apply a transform to each sequence. Repeat the option for several, "
                              "which sheaf applies in this order. as=A+B among the options names "
                              "the streams that the transform makes. TYPE is one of {}. sheaf "
                              "transforms lists the types and their options",
                              transform_names()))
      ->type_name(kTransformSyntax)
      ->allow_extra_args(false)
      ->group(kDataGroup);
}

void add_format_options(CLI::App& verb, DataOptions& options, const DataNames& names) {
  verb.add_option(names.format, options.format.format,
                  fmt::format("The format of {}, if the extension does not tell it",
                              names.path == std::string_view("FILE") ? "the data" : names.path))
      ->type_name(format_names(FormatUse::reading))
      ->group(kDataGroup);
  // Hints in messages of formats have the usual name, so each verb knows this name, too.
  const std::string_view usual = DataNames().format_option;
  const std::string also = names.format_option == usual ? "" : fmt::format(",{}", usual);
  add_settings(verb, names.format_option + also, options.format.extra,
               with_format_options("Set an option of one format (repeatable)", FormatUse::reading))
      ->group(kDataGroup);
}

void add_index_options(CLI::App& verb, DataOptions& options) {
  add_choice(verb, "--index", options.index, {"auto", "off", "rebuild", "require"},
             "How to use the index file beside the data. auto: use an index file that fits the "
             "data, and write one after the scan of a file larger than 16 MiB; off: use none; "
             "rebuild: scan the data and write the index file; require: refuse to scan")
      ->group(kIndexGroup);
  verb.add_option("--index-dir", options.format.index.directory,
                  "Folder of the index files, if not the folder of the data")
      ->type_name("DIR")
      ->group(kIndexGroup);
}

void add_file_options(CLI::App& verb, DataOptions& options, const DataNames& names) {
  CLI::Option* paths = nullptr;
  if (names.has_several) {
    paths = verb.add_option(names.path, options.paths, names.path_description);
  } else {
    const auto set = [&options](const std::string& path) { options.paths = {path}; };
    paths = verb.add_option_function<std::string>(names.path, set, names.path_description);
  }
  paths->type_name("FILE");
  if (!names.has_join) return;
  verb.add_option("--join", options.joined,
                  fmt::format("A file, or a pattern, with other streams of the same sequences. "
                              "Repeat the option for each. sheaf matches the sequences by key and "
                              "keeps the order of {}. A --stream belongs to the --join before it",
                              names.path))
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group(kFilesGroup);
  add_choice(verb, "--missing-sequences", options.missing_sequences, {"drop", "error", "absent"},
             "What to do with a sequence that a joined file lacks. drop: leave it out and count "
             "it; error: raise an error; absent: deliver it without the streams of that file")
      ->group(kFilesGroup);
  add_choice(verb, "--lengths", options.lengths, {"any", "equal", "primary", "at_least"},
             "Which numbers of samples joined files may have for a sequence. any: any numbers; "
             "equal: the same numbers, but for --length-tolerance; primary: at least as many as "
             "FILE has. Longer ones are cut, and a sequence that is too short is an error. "
             "at_least: as primary, but longer ones stay whole, for --split-frames")
      ->group(kFilesGroup);
  verb.add_option("--length-tolerance", options.length_tolerance,
                  "How many samples joined files may differ by, with --lengths equal: all are cut "
                  "to the shortest")
      ->type_name("N")
      ->group(kFilesGroup);
  verb.add_option("--length-streams", options.length_streams,
                  "The streams whose files --lengths compares, such as features,labels. Without "
                  "this option, --lengths compares all files")
      ->delimiter(',')
      ->type_name("NAME,...")
      ->group(kFilesGroup);
  add_choice(verb, "--same-keys", options.same_keys, {"refuse", "number"},
             "What to do with a key that several files have, where the files are read one after "
             "the other. refuse: raise an error; number: give all sequences new keys 0, 1, 2, ...")
      ->group(kFilesGroup);
}

// Returns the texts of --stream for a file. File 0 is FILE, file i is the one of the i-th --join.
std::vector<std::string> streams_of(const DataOptions& options, std::size_t file) {
  if (options.joined.empty()) return options.streams;
  const CLI::Option* const stream = options.verb->get_option("--stream");
  const CLI::Option* const join = options.verb->get_option("--join");
  std::vector<std::string> streams;
  std::size_t before = 0;  // count of --join so far
  auto text = options.streams.begin();
  for (const CLI::Option* option : options.verb->parse_order()) {
    if (option == join) ++before;
    if (option != stream) continue;
    if (before == file) streams.push_back(*text);
    ++text;
  }
  return streams;
}

FormatOptions format_options(const DataOptions& options, std::size_t file = 0) {
  FormatOptions format = options.format;
  for (const std::string& text : streams_of(options, file)) {
    format.streams.push_back(parse_stream_option(text));
  }
  if (!options.precision.empty()) format.dtype = dtype_named(options.precision);
  format.compatibility =
      options.compatibility == "cntk" ? Compatibility::cntk : Compatibility::strict;
  format.missing_streams =
      options.missing_streams == "allow" ? MissingStreams::allow : MissingStreams::error;
  if (!options.keys.empty()) {
    format.keys = options.keys == "text" ? KeyType::text : KeyType::numeric;
  }
  format.index.mode = index_mode(options.index);
  return format;
}

FilesSpec files_spec(std::vector<std::string> paths, const DataOptions& options,
                     std::size_t file = 0) {
  return {.files = std::move(paths),
          .format = format_options(options, file),
          .same_keys = options.same_keys == "number" ? ConcatenatedKeys::number
                                                     : ConcatenatedKeys::distinct};
}

// Returns the format of standard input by the first bytes, because its name has no extension.
std::string recognized_format(const ByteSource& source) {
  std::string bytes(static_cast<std::size_t>(std::min(source.size(), kRecognizedBytes)), '\0');
  source.read_at(0, std::as_writable_bytes(std::span(bytes)));
  for (const Recognition least : {Recognition::certain, Recognition::possible}) {
    std::vector<std::string_view> names;
    for (const Format& format : builtin_formats()) {
      if (format.recognize != nullptr && format.recognize(bytes) >= least) {
        names.push_back(format.name);
      }
    }
    if (names.size() == 1) return std::string(names.front());
  }
  return std::string(find_format(source.name(), source, {}).name);  // throws with the reason
}

// Returns all files of data that are read with these options.
//
// Throws: as find_files.
std::vector<std::string> files_in(const DataSpec& data, const DataOptions& options) {
  const std::unique_ptr<FileSystem> files_of_input =
      options.input == nullptr ? nullptr : given_source(options.input);
  FileSystem& system = files_of_input == nullptr ? system_files() : *files_of_input;
  std::vector<std::string> all;
  for (const FilesSpec* const files : files_of(data)) {
    const std::vector<std::string> more = find_files(files->files, system);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

// Returns the spec that the options about data make.
DataSpec data_spec(const DataOptions& options) {
  std::vector<TransformSpec> transforms = parse_transform_options(options.transforms);
  if (!options.mix.members.empty()) {
    MixtureSpec mixture{.members = {}, .options = mixture_options(options.mix)};
    for (const std::string& path : mixed_paths(options.mix)) {
      mixture.members.push_back({files_spec({path}, options)});
    }
    return {std::move(mixture), std::move(transforms)};
  }
  FilesSpec files = files_spec(options.paths, options);
  if (options.joined.empty()) return {std::move(files), std::move(transforms)};
  JoinSpec join;
  join.missing_sequences = options.missing_sequences == "error"    ? MissingSequences::error
                           : options.missing_sequences == "absent" ? MissingSequences::absent
                                                                   : MissingSequences::drop;
  join.lengths = options.lengths == "equal"      ? Lengths::equal
                 : options.lengths == "primary"  ? Lengths::primary
                 : options.lengths == "at_least" ? Lengths::at_least
                                                 : Lengths::any;
  join.length_tolerance = options.length_tolerance;
  join.length_streams = options.length_streams;
  join.members.push_back({std::move(files)});
  for (const std::string& joined : options.joined) {
    join.members.push_back({files_spec({joined}, options, join.members.size())});
  }
  DataSpec data{std::move(join), std::move(transforms)};
  share_format_options(data);
  return data;
}

// Returns a spec for opening the data. Opening uses only the algorithm and the seed of an order.
// The spec has no cache.
Spec spec_for(DataSpec data, const OrderOptions& order) {
  return {.data = std::move(data),
          .read = {.order = {.algorithm = order.algorithm, .seed = order.seed}}};
}

std::unique_ptr<Executor> start_threads(std::int64_t threads) {
  const int count = threads == 0 ? available_processors() : static_cast<int>(threads);
  try {
    return thread_pool(count);
  } catch (const std::system_error& error) {
    throw ConfigError(
        fmt::format("--threads: {} threads could not be started: {}", count, error.what()));
  }
}

void add_part_option(CLI::App& verb, DataOptions& options) {
  verb.add_option("--part", options.part,
                  "Work on part I of N of the data, counted from 0: each part is a range of "
                  "chunks. sheaf merge puts the results of all parts together")
      ->type_name("I/N")
      ->group(kDataGroup);
}

// Returns the data of a spec, changed by the options given beside the spec.
DataSpec data_of_spec(const DataOptions& options) {
  DataSpec data = options.spec->data;
  // A configuration names no transforms. The options may add some.
  std::ranges::move(parse_transform_options(options.transforms),
                    std::back_inserter(data.transforms));
  for (FilesSpec* const files : files_of(data)) {
    IndexOptions& index = files->format.index;
    const bool has_mode = is_given(*options.verb, "--index") || options.index != kIndexOtherwise;
    if (has_mode) index.mode = index_mode(options.index);
    if (is_given(*options.verb, "--index-dir")) index.directory = options.format.index.directory;
    if (!options.precision.empty()) files->format.dtype = dtype_named(options.precision);
    files->format.takes_first_form = options.format.takes_first_form;
  }
  return data;
}

}  // namespace

IndexMode index_mode(const std::string& word) {
  return word == "off"       ? IndexMode::off
         : word == "rebuild" ? IndexMode::rebuild
         : word == "require" ? IndexMode::require
                             : IndexMode::automatic;
}

DataSpec chosen_data(const DataOptions& options) {
  DataSpec data = options.spec ? data_of_spec(options) : data_spec(options);
  if (!options.part.empty()) {
    data.part = with_option_words([&] { return parse_part(options.part); });
  }
  return data;
}

void add_data_options(CLI::App& verb, DataOptions& options, const DataNames& names) {
  options.names = names;
  options.verb = &verb;
  add_spec_options(verb, options.choice, names);
  add_file_options(verb, options, names);
  if (names.has_mix) add_mix_options(verb, options);
  add_stream_options(verb, options, names);
  if (names.has_transforms) add_transform_option(verb, options);
  add_part_option(verb, options);
  add_format_options(verb, options, names);
  add_index_options(verb, options);
  add_count(verb, "--threads", options.threads, {0, kThreadsMax, "auto", 0},
            "Number of threads. auto: one for each processor. The number never changes the result")
      ->group(kRunGroup);
  add_limit(verb, "--memory-limit", options.run.memory_limit_bytes,
            "Most memory for the index and for what is read ahead, such as 64M or 1.5GiB, or a "
            "number of bytes. none: no limit")
      ->group(kRunGroup);
}

void add_max_errors_option(CLI::App& verb, DataOptions& options) {
  add_count(
      verb, "--max-errors", options.run.max_errors, {.word = "any", .meaning = Range{}.max},
      "How many errors in the data to tolerate. sheaf leaves out each sequence with an error. "
      "With 0, the first error ends the run")
      ->group(kDataGroup);
}

bool is_standard_input(const std::string& path) {
  return path == "-" || path == "/dev/stdin" || path == "/dev/fd/0";
}

std::shared_ptr<const ByteSource> standard_input() {
  return decompressed(spool(STDIN_FILENO, "standard input"), {.by_content = true});
}

void take_standard_input(DataOptions& options) {
  const auto count = std::ranges::count_if(options.paths, is_standard_input) +
                     std::ranges::count_if(options.joined, is_standard_input);
  if (!options.names.has_standard_input || count == 0) return;
  if (count > 1) throw ConfigError("-: standard input can be read once");
  if (std::ranges::any_of(options.joined, is_standard_input)) {
    throw ConfigError("--join -: standard input is a FILE, which --join adds streams to");
  }
  options.input = standard_input();
  std::ranges::replace_if(options.paths, is_standard_input, std::string(options.input->name()));
  if (options.format.format.empty()) options.format.format = recognized_format(*options.input);
}

OpenData open(const DataOptions& options) { return open(options, OrderOptions{}); }

OpenData open(const DataOptions& options, const OrderOptions& order) {
  Spec spec = spec_for(chosen_data(options), order);
  spec.read.cache = chosen_cache(options);
  return with_option_words([&] {
    return open(spec, options.threads, options.run,
                options.input == nullptr ? nullptr : given_source(options.input));
  });
}

OpenData open(const DataOptions& options, const OrderOptions& order,
              std::shared_ptr<const ByteSource> source) {
  DataSpec data{files_spec({std::string(source->name())}, options),
                parse_transform_options(options.transforms)};
  const Spec spec = spec_for(std::move(data), order);
  return open(spec, options.threads, options.run, given_source(std::move(source)));
}

OpenData open(const Spec& spec, std::int64_t threads, const RunOptions& run,
              std::unique_ptr<FileSystem> files) try {
  OpenData open{.files = std::move(files), .executor = start_threads(threads), .data = nullptr};
  OpenedData opened = sheaf::open(spec, {.files = open.files.get(),
                                         .executor = open.executor.get(),
                                         .memory_limit_bytes = run.memory_limit_bytes});
  open.data = std::move(opened.data);
  open.members = std::move(opened.members);
  open.name = std::move(opened.name);
  open.format = std::move(opened.format);
  open.window_chunks = opened.window_chunks;
  return open;
} catch (const DataError& error) {
  throw OpeningError(error);
}

Reader make_reader(const OpenData& open, const OrderOptions& order, Layout packing, RunOptions run,
                   std::optional<std::int64_t> row_samples, const Padding& padding) {
  const std::shared_ptr<const Counts> counts(open.data, &open.data->index());
  run.executor = open.executor.get();
  return Reader(open.data, make_sequencer(counts, order),
                make_packer(packing, order, row_samples, padding), run);
}

void print_found_streams(Console& console, const DataOptions& options, const OpenData& open) {
  print_found_streams(console, options, *open.data, open.members);
}

void print_found_streams(Console& console, const DataOptions& options, const Deserializer& data,
                         std::span<const OpenedData> members) {
  if (options.spec) return;
  // Streams after transforms are not the streams of the file. Members are untransformed.
  if (members.empty() && !options.transforms.empty()) return;
  const auto are_declared = [&](std::size_t file) {
    const std::vector<std::string> texts = streams_of(options, file);
    return !texts.empty() && std::ranges::all_of(texts, [](const std::string& text) {
      return parse_stream_option(text).sample_shape.has_value();
    });
  };
  bool are_all_declared = are_declared(0);
  std::string text =
      stream_options_for_shell((members.empty() ? data : *members.front().data).streams());
  for (std::size_t file = 1; file < members.size(); ++file) {
    are_all_declared = are_all_declared && are_declared(file);
    text += fmt::format(" --join {} {}", quoted_for_shell(options.joined[file - 1]),
                        stream_options_for_shell(members[file].data->streams()));
  }
  if (!are_all_declared) console.print("streams found: " + terminal_text(text));
}

std::string data_name(const DataOptions& options) {
  if (options.spec) return fmt::format("{}", fmt::join(data_files(options), ", "));
  if (!options.mix.members.empty()) {
    return fmt::format("{}", fmt::join(mixed_paths(options.mix), ", "));
  }
  std::string name = fmt::format("{}", fmt::join(options.paths, ", "));
  for (const std::string& joined : options.joined) name += " + " + joined;
  return name;
}

std::vector<std::string> data_files(const DataOptions& options) {
  return files_in(chosen_data(options), options);
}

std::int64_t data_size_bytes(const DataOptions& options, bool is_shown) {
  return data_size_bytes(chosen_data(options), options, is_shown);
}

std::int64_t data_size_bytes(const DataSpec& data, const DataOptions& options, bool is_shown) {
  std::vector<std::string> files = files_in(data, options);
  std::int64_t size = 0;
  std::erase_if(files, [&](const std::string& file) {
    const bool is_input = options.input != nullptr && file == options.input->name();
    if (is_input) size += options.input->size();
    return is_input || (!is_shown && system_files().is_folder(file));
  });
  for (const std::int64_t each : stored_sizes(files)) size += each;
  return size;
}

std::int64_t pass_bytes(const DataOptions& options, bool is_needed) {
  if (!is_needed) return 0;
  try {
    return data_size_bytes(options, true);
  } catch (const Error&) {
    return 0;
  }
}

void print_findings(Console& console, const Reader& reader) {
  const ReaderStats stats = reader.stats();
  console.print_diagnostics(reader.diagnostics());
  if (stats.error_count > 0) {
    console.print_note(left_out_text(stats.holes, stats.error_count));
  }
  console.print_diagnostics(reader.warnings());
}

}  // namespace sheaf::cli
