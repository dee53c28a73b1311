/// \file
/// Converts data: to another format, in another order, a selection, in shards or parts.
///
///     const std::shared_ptr<const sheaf::Deserializer> data = sheaf::open_path("train.ctf").data;
///     sheaf::ConvertOptions options;
///     options.selected.max_length = 100;
///     options.parts = sheaf::parse_split("train=0.9,test=0.1");
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

/// What to write. Only `run` has no effect on the bytes.
struct ConvertOptions {
  WriterOptions writer = {};  // `existing` holds for each file
  OrderOptions order = {};    // algorithm, seed and window alone: each sequence comes once
  Selection selected = {};
  std::int64_t max_errors = 0;              // wrong places tolerated; their sequences are left out
  std::optional<std::int64_t> shards = {};  // how many files of equal samples; empty: one file
  std::vector<SplitPart> parts = {};        // a file for each; none: one file
  bool warns_of_lost_keys = true;  // where the format keeps no keys, and they are not 0, 1, 2
  OperationOptions run = {};
};

struct WrittenFile {
  std::string path = {};
  std::int64_t bytes = 0;
  std::int64_t sequences = 0;
  std::int64_t samples = 0;  // of the longest stream, or the one that defines the size
};

struct ConvertReport {
  std::vector<WrittenFile> files = {};
  std::int64_t holes = 0;                    // sequences left out because their data are wrong
  std::int64_t error_places = 0;             // wrong ones
  std::vector<Diagnostic> diagnostics = {};  // of these places, as far as they were kept
  std::vector<Diagnostic> warnings = {};
};

/// Writes the selected sequences of data, each once, in their order. All files get their names at
/// the end, or none does.
///
/// Order:       `order`; in a file with the order of the data, the order of the data.
/// Determinism: the bytes depend on the data and the options but `run`, not on threads or memory.
/// Throws:      what Reader and Writer throw; ConfigError where shards and parts are both asked
///              for, for a selection that has no sequence or makes no sense, where a shard or a
///              part has no sequence, and where the memory limit is too small.
ConvertReport convert(const std::shared_ptr<const Deserializer>& data, const std::string& path,
                      const ConvertOptions& options = {});

/// The same for what a reader delivers from now on, in the order of the reader. `order` and
/// `max_errors` do not count, nor does the memory limit for reading.
///
/// Throws: also ConfigError for shards, which need the index, and for minibatches that are `packed`
///         or `truncated`.
ConvertReport convert(Reader& reader, const std::string& path, const ConvertOptions& options = {});

/// Returns the paths of all files that a conversion writes: "train-00002-of-00010.cbf" of shards,
/// "train.test.cbf" of the part "test".
[[nodiscard]] std::vector<std::string> output_paths(const std::string& path,
                                                    const ConvertOptions& options);

/// Returns what the memory limit leaves for opening and reading data, after what is kept until it
/// is written; nothing where there is no limit.
///
/// Throws: ConfigError where the limit leaves nothing.
[[nodiscard]] std::optional<std::int64_t> reading_memory_bytes(const std::string& path,
                                                               const ConvertOptions& options);

}  // namespace sheaf
