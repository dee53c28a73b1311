/// \file
/// From data that are open to files.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/reader.h"
#include "sheaf/writer.h"

#include "key_split.h"
#include "options/data_options.h"
#include "output/console.h"
#include "output/progress.h"

namespace sheaf::cli {

/// What to write, and where.
struct Conversion {
  std::string path;  // "-": standard output; with shards or parts, what their names are made of
  WriterOptions writer = {};          // its `existing` holds for each file
  OrderOptions order = {};            // its minibatch_size is chosen here
  std::int64_t shards = 0;            // 0: none
  std::vector<SplitPart> parts = {};  // none: no split
  RunOptions run = {};
  std::int64_t input_bytes = 0;  // of the source, to show how far it is
  std::int64_t turns_bytes = 0;  // memory for minibatches that are being written; 0: no limit
  bool tells_lost_keys =
      true;  // warn where the format keeps none, and they are others than it says
  When progress = When::automatic;
};

/// A file that was written.
struct WrittenFile {
  std::string path;
  std::int64_t bytes = 0;
  std::int64_t sequences = 0;
  std::int64_t samples = 0;  // of its longest stream, or the one that defines the size
};

struct ConversionReport {
  std::vector<WrittenFile> files = {};
  std::int64_t holes = 0;                    // sequences left out because their data are wrong
  std::int64_t places = 0;                   // wrong ones
  std::vector<Diagnostic> diagnostics = {};  // of these, as far as they were kept
  std::vector<Diagnostic> warnings = {};
};

/// The paths of all files that it writes.
[[nodiscard]] std::vector<std::string> output_paths(const Conversion& conversion);

/// How the memory of a conversion is divided.
struct ConversionMemory {
  std::int64_t reader_bytes = 0;  // 0: no limit
  std::int64_t turns_bytes = 0;
  std::int64_t files_bytes = 0;  // what formats keep until they write it
};

/// Throws: ConfigError where the limit leaves nothing to read with.
[[nodiscard]] ConversionMemory divide_memory(std::int64_t limit_bytes, const Conversion& conversion,
                                             std::int64_t threads);

/// Write all sequences, once, in their order. Their bytes depend on the data, the order and the
/// options of the writer alone, not on threads, memory or how it is read.
///
/// Threads: reads and encodes on those of `open`.
/// Throws:  what Reader and Writer throw; ConfigError where a shard or a part would have no
///          sequence; OutputClosed; Interrupted. No file is there under its name then, unless it
///          was giving them their names.
[[nodiscard]] ConversionReport convert(const OpenData& open, const Conversion& conversion,
                                       Console& console);

}  // namespace sheaf::cli
