#include "data_options.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/error.h"

#include "counted.h"
#include "options.h"
#include "stream_option.h"

namespace sheaf::cli {
namespace {

constexpr std::int64_t kThreadsMax = 1024;
constexpr std::int64_t kIndexShare = 8;  // the index may have one part in so many of the memory

constexpr const char* kDataGroup = "Data";
constexpr const char* kFormatOptionSyntax = "KEY=VALUE";
constexpr const char* kIndexGroup = "Index file";
constexpr const char* kRunGroup = "Threads and memory";

void add_stream_options(CLI::App& verb, DataOptions& options) {
  verb.add_option("--stream", options.streams,
                  "A stream to read, once for each; without any, all that the file has. DIM counts "
                  "the values of a dense sample (or is its shape: 8x8), or the indices of a sparse "
                  "one; ? or none: found in the data. alias=A: the file calls it A. mb: its "
                  "samples are the ones that the minibatch size counts. index=i64: indices of 64 "
                  "bits. A colon in a name is written \\:")
      ->type_name(kStreamSyntax)
      ->allow_extra_args(false)
      ->group(kDataGroup);
  add_choice(verb, "--precision", options.precision, {"float", "double"},
             "Type of all values; without it, the one that the file has: of text, float")
      ->group(kDataGroup);
  verb.add_flag("--skip-sequence-ids", options.format.skip_sequence_ids,
                "Each row is a sequence of its own, whatever its id")
      ->group(kDataGroup);
  add_choice(verb, "--keys", options.keys, {"numeric", "text"},
             "What sequence ids are: 64-bit numbers, or texts")
      ->group(kDataGroup);
  add_choice(verb, "--missing-streams", options.missing_streams, {"error", "allow"},
             "What a sequence without one of the streams is: an error, or a sequence where the "
             "stream is absent")
      ->group(kDataGroup);
  add_choice(verb, "--compatibility", options.compatibility, {"strict", "cntk"},
             "What is an error: all that is not as the format's page says, or what CNTK 2.x held "
             "for one")
      ->group(kDataGroup);
  add_size(verb, "--chunk-bytes", options.format.chunk_size_bytes,
           "Bytes of the file in a chunk, about; the unit of the index")
      ->group(kDataGroup);
}

// A setting that only one format understands; the format says whether it makes sense.
void set_format_option(const std::string& text, FormatOptions& options) {
  const std::size_t end = text.find('=');
  if (end == 0 || end == std::string::npos) {
    throw ConfigError(
        fmt::format("--format-option takes {}: got \"{}\"", kFormatOptionSyntax, text));
  }
  const std::string key = text.substr(0, end);
  if (!options.extra.emplace(key, text.substr(end + 1)).second) {
    throw ConfigError(fmt::format("--format-option {} is given twice", key));
  }
}

void add_format_options(CLI::App& verb, DataOptions& options) {
  verb.add_option("--data-format", options.format.format,
                  "The format of the data, where the extension does not tell it")
      ->type_name("NAME")
      ->group(kDataGroup);
  verb.add_option("--format-option", options.format_options,
                  "What only this format understands, once for each: its page says what there is")
      ->type_name(kFormatOptionSyntax)
      ->allow_extra_args(false)
      ->group(kDataGroup);
}

void add_index_options(CLI::App& verb, DataOptions& options) {
  add_choice(verb, "--index", options.index, {"auto", "off", "rebuild", "require"},
             "The index file beside the data. auto: used where it fits, and written when a file "
             "larger than 16 MiB was scanned to its end; rebuild: scan and write; require: refuse "
             "to scan")
      ->group(kIndexGroup);
  verb.add_option("--index-dir", options.format.index.directory,
                  "Where the index file lies, if not beside the data")
      ->type_name("DIR")
      ->group(kIndexGroup);
}

FormatOptions format_options(const DataOptions& options) {
  FormatOptions format = options.format;
  if (format.chunk_size_bytes < 1) {
    throw ConfigError("--chunk-bytes takes a number of bytes of 1 or more: got \"0\"");
  }
  for (const std::string& text : options.streams) {
    format.streams.push_back(parse_stream_option(text));
  }
  if (!options.precision.empty()) {
    format.element_type = options.precision == "double" ? ElementType::f64 : ElementType::f32;
  }
  for (const std::string& text : options.format_options) set_format_option(text, format);
  format.compatibility =
      options.compatibility == "cntk" ? Compatibility::cntk : Compatibility::strict;
  format.missing_streams =
      options.missing_streams == "allow" ? MissingStreams::allow : MissingStreams::error;
  format.keys = options.keys == "text" ? KeyType::text : KeyType::numeric;
  format.index.mode = options.index == "off"       ? IndexMode::off
                      : options.index == "rebuild" ? IndexMode::rebuild
                      : options.index == "require" ? IndexMode::require
                                                   : IndexMode::automatic;
  // A limit so small that its share is nothing must not become none at all.
  if (const std::int64_t limit = options.run.memory_limit_bytes; limit > 0) {
    format.index.memory_limit_bytes = std::max<std::int64_t>(1, limit / kIndexShare);
  }
  return format;
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

}  // namespace

void add_data_options(CLI::App& verb, DataOptions& options) {
  verb.add_option("FILE", options.path, "The data; its extension tells the format")->required();
  add_stream_options(verb, options);
  add_format_options(verb, options);
  add_index_options(verb, options);
  add_count(verb, "--threads", options.threads, {0, kThreadsMax},
            "Threads that do the work; 0: one for each processor. The result is the same")
      ->group(kRunGroup);
  add_size(verb, "--memory-limit", options.run.memory_limit_bytes,
           "Most memory for the index and for what is read ahead: bytes, or as 64MiB, 2GB; 0: no "
           "limit")
      ->group(kRunGroup);
}

void add_max_errors_option(CLI::App& verb, DataOptions& options) {
  add_count(verb, "--max-errors", options.run.max_errors, {},
            "Wrong places tolerated: each spoils its sequence, which is left out whole")
      ->group(kDataGroup);
}

OpenData open(const DataOptions& options) {
  FormatOptions format = format_options(options);  // before threads are started for nothing
  OpenData open{start_threads(options.threads), nullptr};
  format.executor = open.executor.get();
  open.data = open_data(options.path, format);
  return open;
}

Reader make_reader(const OpenData& open, const OrderOptions& order, Layout packing, RunOptions run,
                   std::int64_t row_samples) {
  const std::shared_ptr<const Counts> counts(open.data, &open.data->index());
  run.executor = open.executor.get();
  return Reader(open.data, make_sequencer(counts, order), make_packer(packing, order, row_samples),
                run);
}

void print_found_streams(Console& console, const DataOptions& options, const Deserializer& data) {
  const bool are_declared =
      !options.streams.empty() && std::ranges::all_of(options.streams, [](const std::string& text) {
        return parse_stream_option(text).sample_shape.has_value();
      });
  if (!are_declared) console.print("streams found: " + stream_options_for_shell(data.streams()));
}

void print_findings(Console& console, const Reader& reader) {
  const ReaderStats stats = reader.stats();
  console.print_diagnostics(reader.diagnostics());
  if (stats.error_places > 0) {
    console.print_note(left_out_text(stats.holes, stats.error_places));
  }
  console.print_diagnostics(reader.warnings());
}

}  // namespace sheaf::cli
