/// \file
/// Writes data to new files: in another format, in another order, as a selection, or divided into
/// shards or parts.
///
///     const std::shared_ptr<const sheaf::Deserializer> data = sheaf::open_path("train.ctf").data;
///     sheaf::ConvertOptions options;
///     options.selected.max_length = 100;
///     options.split = sheaf::parse_split("train=0.9,test=0.1");
///     const sheaf::ConvertReport report = sheaf::convert(data, "short.cbf", options);
///     for (const sheaf::WrittenFile& file : report.files) {
///       std::cout << file.path << ": " << file.sequences << " sequences\n";
///     }

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/operation.h"
#include "sheaf/reader.h"
#include "sheaf/select.h"
#include "sheaf/writer.h"

namespace sheaf {

/// What to write. The bytes of the files never depend on `run`.
struct ConvertOptions {
  WriterOptions writer = {};    // format and streams; `existing` applies to each file
  OrderOptions order = {};      // only algorithm, seed and window have an effect
  Selection selected = {};      // the sequences to write; by default all
  std::int64_t max_errors = 0;  // how many errors are tolerated, or kAll; sequences with errors are
                                // left out
  std::optional<std::int64_t> shards = {};  // how many files of equal samples; empty: one file
  std::vector<SplitPart> split = {};        // one file for each part of the split; empty: one file

  /// Writes a part of the file, for merge(). The data must be a part, as given by DataSpec::part.
  /// The written part is a container that any version of the library reads. The container stores
  /// the format and the options of the whole file. A part of the data without sequences gives a
  /// container without sequences.
  bool for_merge = false;

  /// Whether the report warns when the format keeps no keys, so that the keys of the data are lost.
  /// Keys 0, 1, 2, ... are not lost: a reader numbers the sequences in the same way.
  bool warns_of_lost_keys = true;

  OperationOptions run = {};
};

/// One file that a conversion wrote.
struct WrittenFile {
  std::string path = {};
  std::int64_t bytes = 0;  // of this file and of the files that the file names
  std::int64_t sequences = 0;
  std::int64_t samples = 0;  // of the longest stream, or the one that defines the minibatch size
};

/// The result of a conversion.
struct ConvertReport {
  std::vector<WrittenFile> files = {};       // in the order of output_paths()
  std::int64_t holes = 0;                    // sequences left out because their data are wrong
  std::int64_t error_count = 0;              // distinct errors
  std::vector<Diagnostic> diagnostics = {};  // the first hundred errors
  std::vector<Diagnostic> warnings = {};     // from reading and from writing
};

/// Reads data once and writes each selected sequence once. At the end, either all files get their
/// names, or none does.
///
/// Order:       sequences come in the order of `options.order`. Shards divide this order into
///              stretches. Each part of a split keeps the order of its sequences.
/// Determinism: the bytes of the files depend on the data and on all options except `run`.
/// Throws:      what Reader and Writer throw. ConfigError if both shards and parts are given; if
///              `for_merge` comes with shards, with another order, or with data that are not a
///              part; if the selection is empty or contradicts itself; if a shard or a part would
///              have no sequence; or if the memory limit is too small.
ConvertReport convert(const std::shared_ptr<const Deserializer>& data, const std::string& path,
                      const ConvertOptions& options = {});

/// Writes the sequences that a reader delivers from now on, in the order of the reader. The options
/// `order` and `max_errors` have no effect, and the memory limit covers only writing, because the
/// reader has its own options. Progress counts all sweeps of the reader.
///
/// Throws: as above; also ConfigError for shards, which need the index, and for `packed` or
///         `truncated` minibatches.
ConvertReport convert(Reader& reader, const std::string& path, const ConvertOptions& options = {});

/// Returns the paths of all files that a conversion writes. For the path "train.cbf", the third of
/// ten shards is "train-00002-of-00010.cbf", and the part "test" is "train.test.cbf".
[[nodiscard]] std::vector<std::string> output_paths(const std::string& path,
                                                    const ConvertOptions& options);

/// Returns how many bytes of the memory limit are left for opening and reading the data. The rest
/// holds encoded sequences until they are written. Returns nothing if there is no limit. Call this
/// function before open(), and pass the result as OpenContext::memory_limit_bytes.
///
/// Throws: ConfigError if the limit leaves no bytes for reading.
[[nodiscard]] std::optional<std::int64_t> reading_memory_bytes(const std::string& path,
                                                               const ConvertOptions& options);

}  // namespace sheaf
