#include "data_options.h"

#include <algorithm>
#include <optional>
#include <string_view>
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
constexpr const char* kIndexGroup = "Index file";
constexpr const char* kRunGroup = "Threads and memory";

void add_stream_options(CLI::App& verb, DataOptions& options, const DataNames& names) {
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
             names.precision_description)
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
  add_size(verb, names.chunk_bytes, options.format.chunk_size_bytes,
           "Bytes of the file in a chunk, about; the unit of the index", 1)
      ->group(kDataGroup);
}

void add_format_options(CLI::App& verb, DataOptions& options, const DataNames& names) {
  verb.add_option(names.format, options.format.format,
                  fmt::format("The format of {}, where the extension does not tell it",
                              names.path == std::string_view("FILE") ? "the data" : names.path))
      ->type_name("NAME")
      ->group(kDataGroup);
  add_settings(verb, names.format_option, options.format.extra,
               "What only this format understands, once for each: its page says what there is")
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
  for (const std::string& text : options.streams) {
    format.streams.push_back(parse_stream_option(text));
  }
  if (!options.precision.empty()) {
    format.element_type = options.precision == "double" ? ElementType::f64 : ElementType::f32;
  }
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

void add_data_options(CLI::App& verb, DataOptions& options, const DataNames& names) {
  verb.add_option(names.path, options.path, names.path_description)->required()->type_name("FILE");
  add_stream_options(verb, options, names);
  add_format_options(verb, options, names);
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

OpenData open(const DataOptions& options) { return open(options, OrderOptions{}); }

OpenData open(const DataOptions& options, const OrderOptions& order) {
  FormatOptions format = format_options(options);  // before threads are started for nothing
  format.groups_chunks = order.algorithm == OrderAlgorithm::keyed;
  static_cast<void>(find_format(options.path, format));
  return open_on(start_threads(options.threads), open_file(options.path), std::move(format));
}

OpenData open(const DataOptions& options, const OrderOptions& order,
              std::shared_ptr<const ByteSource> source) {
  FormatOptions format = format_options(options);
  format.groups_chunks = order.algorithm == OrderAlgorithm::keyed;
  return open_on(start_threads(options.threads), std::move(source), std::move(format));
}

OpenData open_on(std::unique_ptr<Executor> executor, std::shared_ptr<const ByteSource> source,
                 FormatOptions options) {
  options.executor = executor.get();
  const Format& format = find_format(source->name(), options);
  return {std::move(executor), format.open(std::move(source), options)};
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
