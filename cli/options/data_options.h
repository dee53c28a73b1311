/// \file
/// What every verb needs to know about the data it reads.

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

/// What a verb calls the data and some options about it.
struct DataNames {
  const char* path = "FILE";
  const char* path_description =
      "The data. The extension tells the format. sheaf reads several files, or patterns such as "
      "'part-*.ctf', one after the other. - means standard input";
  bool has_several = true;         // whether `path` takes several files
  bool has_join = true;            // whether there is --join
  bool has_mix = false;            // whether there is --mix
  bool has_transforms = true;      // whether there is --transform
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
  std::vector<std::string> paths = {};           // and patterns, as given: one after the other
  std::shared_ptr<const ByteSource> input = {};  // standard input, by take_standard_input()
  std::vector<std::string> joined = {};          // as given to --join
  MixChoice mix = {};                            // replaces paths
  std::vector<std::string> streams = {};         // as given to --stream
  std::vector<std::string> transforms = {};      // as given to --transform
  std::string part = {};                         // as given to --part
  SpecChoice choice = {};          // replaces the options above and some of those below
  std::optional<Spec> spec = {};   // what the choice says, by read_spec()
  const CLI::App* verb = nullptr;  // knows which --join is before which --stream
  std::string missing_sequences = "drop";
  std::string lengths = "any";
  std::int64_t length_tolerance = 0;
  std::vector<std::string> length_streams = {};
  std::string same_keys = "refuse";
  std::string precision = {};  // none: as the file has it
  std::string compatibility = "strict";
  std::string missing_streams = "error";
  std::string keys;            // empty: the kind of the format
  std::string index = "auto";  // a verb may say another one, which changes a spec, too
  std::int64_t threads = 0;    // 0 means auto: one for each processor
  FormatOptions format = {};   // without what the texts above say
  CacheOptions cache = {};     // as given; chosen_cache() says which one there is
  RunOptions run = {};
};

/// Data that are open, and the threads that work on them.
struct OpenData {
  std::unique_ptr<FileSystem> files;  // where the data are, if not those of the system
  std::unique_ptr<Executor> executor;
  std::shared_ptr<const Deserializer> data;  // behind both, so that it ends first
  std::vector<OpenedData> members = {};      // of a join
  std::string name = {};                     // in messages of the library
};

/// Add FILE and the options about data.
///
/// Lifetime: `options` must outlive the parsing.
void add_data_options(CLI::App& verb, DataOptions& options, const DataNames& names = {});

/// Returns whether a path stands for standard input: `-`, and what the system calls it.
[[nodiscard]] bool is_standard_input(const std::string& path);

/// Reads standard input to its end, into a temporary file without a name, and returns its bytes.
/// Input that is compressed is decompressed: its first bytes tell how.
///
/// Throws: as spool() and decompressed().
[[nodiscard]] std::shared_ptr<const ByteSource> standard_input();

/// Where a path is `-`, reads standard input to its end, into a temporary file that the path names
/// from then on. Other paths, and --join, stay as they are.
///
/// Throws: IoError; ConfigError where two paths are `-`, or the first bytes do not tell the format
///         and --data-format is not given.
void take_standard_input(DataOptions& options);

/// What messages and reports call the data: the path, or all of them as they were given.
[[nodiscard]] std::string data_name(const DataOptions& options);

/// The sizes of all files.
///
/// Throws: as find_files and open_file.
[[nodiscard]] std::int64_t data_size_bytes(const DataOptions& options);

/// Returns how many bytes the chunks of a part have, by `--part` or by the spec. Returns nothing
/// for data that are no part.
[[nodiscard]] std::optional<std::int64_t> part_size_bytes(const DataOptions& options,
                                                          const Deserializer& data);

/// Returns the same, and 0 where a file cannot be had: opening the data says why.
[[nodiscard]] std::int64_t pass_bytes(const DataOptions& options);

/// All files that are read.
///
/// Throws: as find_files.
[[nodiscard]] std::vector<std::string> data_files(const DataOptions& options);

/// Returns what a word of --index stands for.
[[nodiscard]] IndexMode index_mode(const std::string& word);

/// Returns what is read: the data of a spec, with the index files and the precision that the
/// options say; or the data that the options say.
///
/// Throws: ConfigError for a --stream or a --transform that makes no sense.
[[nodiscard]] DataSpec chosen_data(const DataOptions& options);

/// Add --max-errors.
void add_max_errors_option(CLI::App& verb, DataOptions& options);

/// Throws: as sheaf::open; ConfigError for a --stream or a --transform that makes no sense.
[[nodiscard]] OpenData open(const DataOptions& options);

/// The same for an order, which may want other chunks.
[[nodiscard]] OpenData open(const DataOptions& options, const OrderOptions& order);

/// The same for a source that is open already, in place of the files.
[[nodiscard]] OpenData open(const DataOptions& options, const OrderOptions& order,
                            std::shared_ptr<const ByteSource> source);

/// The same for what a spec says. `run`: the memory limit; `files`: none for those of the system.
[[nodiscard]] OpenData open(const Spec& spec, std::int64_t threads, const RunOptions& run,
                            std::unique_ptr<FileSystem> files = nullptr);

/// A reader on the threads of `open`.
///
/// Throws: ConfigError, as make_sequencer, make_packer and Reader.
[[nodiscard]] Reader make_reader(const OpenData& open, const OrderOptions& order, Layout packing,
                                 RunOptions run, std::optional<std::int64_t> row_samples = {},
                                 const Padding& padding = {});

/// Prints the streams that were found in the data on standard error, as the options that declare
/// the streams. Prints nothing where the user declared every stream, or where transforms make other
/// streams. `members` are the members of a join.
void print_found_streams(Console& console, const DataOptions& options, const Deserializer& data,
                         std::span<const OpenedData> members);
void print_found_streams(Console& console, const DataOptions& options, const OpenData& open);

/// Print what was wrong with what a reader delivered, what it left out, and its warnings.
void print_findings(Console& console, const Reader& reader);

}  // namespace sheaf::cli
