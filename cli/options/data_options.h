/// \file
/// The options that every verb has for its data.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/format.h"
#include "sheaf/open.h"
#include "sheaf/reader.h"
#include "sheaf/spec.h"

#include "options/mix_options.h"
#include "options/spec_option.h"
#include "output/console.h"

namespace CLI {
class App;
}

namespace sheaf::cli {

/// The names that a verb uses for its data and for some options about the data.
struct DataNames {
  const char* path = "FILE";
  const char* path_description =
      "The data. The extension tells the format. sheaf reads several files, or patterns such as "
      "'part-*.ctf', one after the other. - means standard input";
  bool has_several = true;         // whether `path` takes several files
  bool has_join = true;            // whether the verb has --join
  bool has_mix = false;            // whether the verb has --mix
  bool has_transforms = true;      // whether the verb has --transform
  bool has_standard_input = true;  // whether `-` as a path stands for standard input
  const char* chunk_size = "--chunk-size";
  const char* old_chunk_size = "--chunk-bytes";
  const char* format = "--data-format";
  const char* format_option = "--format-option";
  const char* precision_description =
      "Type of all values. Without the option: float32 for text, and otherwise the type that the "
      "file stores";
  bool is_precision_of_output = false;  // whether --dtype may stand beside a spec
};

/// Filled by the options that add_data_options() adds.
struct DataOptions {
  DataNames names = {};
  std::vector<std::string> paths = {};           // paths and patterns as given, in order
  std::shared_ptr<const ByteSource> input = {};  // standard input, set by take_standard_input()
  std::vector<std::string> joined = {};          // as given to --join
  MixChoice mix = {};                            // --mix and its options, in place of paths
  std::vector<std::string> streams = {};         // as given to --stream
  std::vector<std::string> transforms = {};      // as given to --transform
  std::string part = {};                         // as given to --part
  SpecChoice choice = {};                        // replaces the options above and some below
  std::optional<Spec> spec = {};                 // the chosen spec, set by read_spec()
  const CLI::App* verb = nullptr;                // has the order of --join and --stream
  std::string missing_sequences = "drop";
  std::string lengths = "any";
  std::int64_t length_tolerance = 0;
  std::vector<std::string> length_streams = {};
  std::string same_keys = "refuse";
  std::string precision = {};  // empty: the type in the file
  std::string compatibility = "strict";
  std::string missing_streams = "error";
  std::string keys;            // empty: the key type of the format
  std::string index = "auto";  // if a verb sets another default, it overrides a spec, too
  std::int64_t threads = 0;    // 0 means auto: one thread for each processor
  FormatOptions format = {};   // without the options above that are texts
  CacheOptions cache = {};     // as given; chosen_cache() adds the spec
  RunOptions run = {};
};

/// Open data, and the threads that work on them.
struct OpenData {
  std::unique_ptr<FileSystem> files;  // the file system of the data; null: the system's files
  std::unique_ptr<Executor> executor;
  std::shared_ptr<const Deserializer> data;  // declared after both, so that it is destroyed first
  std::vector<OpenedData> members = {};      // members of a join
  std::string name = {};                     // the name of the data in messages
  std::string format = {};                   // as OpenedData::format
  std::int64_t window_chunks = 1;            // as OpenedData::window_chunks

  /// Returns the data as the operations of the library take them.
  [[nodiscard]] OpenedData opened() const {
    return {.data = data,
            .name = name,
            .members = members,
            .format = format,
            .window_chunks = window_chunks};
  }
};

/// Adds FILE and the options about data.
///
/// Lifetime: `options` must outlive the parsing.
void add_data_options(CLI::App& verb, DataOptions& options, const DataNames& names = {});

/// Returns whether a path stands for standard input: `-`, or the system's name for it.
[[nodiscard]] bool is_standard_input(const std::string& path);

/// Reads standard input to its end into an unnamed temporary file, and returns its bytes.
/// Decompresses the input if its first bytes show that it is compressed.
///
/// Throws: as spool() and decompressed().
[[nodiscard]] std::shared_ptr<const ByteSource> standard_input();

/// If a path is `-`, reads standard input to its end into a temporary file. From then on the path
/// names this file. Other paths stay the same.
///
/// Throws: IoError; ConfigError if two paths are `-`, --join is `-`, or the first bytes do not tell
///         the format and --data-format is not given.
void take_standard_input(DataOptions& options);

/// Returns the name of the data in messages and reports: the path, or all paths as given.
[[nodiscard]] std::string data_name(const DataOptions& options);

/// Returns the total size of all files for the progress. The size of a folder takes a walk through
/// all of its files, so folders count only if the progress is shown.
///
/// Throws: as find_files and open_file.
[[nodiscard]] std::int64_t data_size_bytes(const DataOptions& options, bool is_shown);

/// Returns the same of other data, which are read with the same options.
[[nodiscard]] std::int64_t data_size_bytes(const DataSpec& data, const DataOptions& options,
                                           bool is_shown);

/// Returns the total size of all files. Returns 0 if nothing needs the size, and if a file cannot
/// be found. Opening the data then reports the reason.
[[nodiscard]] std::int64_t pass_bytes(const DataOptions& options, bool is_needed);

/// Returns all files to read.
///
/// Throws: as find_files.
[[nodiscard]] std::vector<std::string> data_files(const DataOptions& options);

/// Returns the mode that a word of --index stands for.
[[nodiscard]] IndexMode index_mode(const std::string& word);

/// Returns the data to read. With a spec, these are the data of the spec, changed by the options
/// about index files, precision and transforms. Otherwise the options describe the data. --part
/// selects a part of either.
///
/// Throws: ConfigError for an invalid --stream or --transform.
[[nodiscard]] DataSpec chosen_data(const DataOptions& options);

/// Adds --max-errors.
void add_max_errors_option(CLI::App& verb, DataOptions& options);

/// Opens the data.
///
/// Throws: as sheaf::open; ConfigError for an invalid --stream or --transform.
[[nodiscard]] OpenData open(const DataOptions& options);

/// Opens the data for an order. Some orders need other chunks.
[[nodiscard]] OpenData open(const DataOptions& options, const OrderOptions& order);

/// Opens the data of `source`, which is already open, in place of the files.
[[nodiscard]] OpenData open(const DataOptions& options, const OrderOptions& order,
                            std::shared_ptr<const ByteSource> source);

/// Opens the data of a spec. `run` has the memory limit. Without `files`, the files of the system
/// are read.
[[nodiscard]] OpenData open(const Spec& spec, std::int64_t threads, const RunOptions& run,
                            std::unique_ptr<FileSystem> files = nullptr);

/// Returns a reader that runs on the threads of `open`.
///
/// Throws: ConfigError, as make_sequencer, make_packer and Reader.
[[nodiscard]] Reader make_reader(const OpenData& open, const OrderOptions& order, Layout packing,
                                 RunOptions run, std::optional<std::int64_t> row_samples = {},
                                 const Padding& padding = {});

/// Prints the streams found in the data on standard error, as options that declare the streams.
/// Prints nothing if the user declared every stream, or if transforms make other streams. `members`
/// are the members of a join.
void print_found_streams(Console& console, const DataOptions& options, const Deserializer& data,
                         std::span<const OpenedData> members);
void print_found_streams(Console& console, const DataOptions& options, const OpenData& open);

/// Prints the errors in the delivered data, the number of sequences left out, and the warnings of a
/// reader.
void print_findings(Console& console, const Reader& reader);

}  // namespace sheaf::cli
