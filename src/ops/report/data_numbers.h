// Statistics of a whole data set.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/executor.h"
#include "sheaf/stat.h"
#include "sheaf/types.h"

#include "ops/report/duplicates.h"
#include "ops/report/id_counts.h"
#include "ops/report/id_runs.h"
#include "ops/report/key_numbers.h"
#include "ops/report/length_costs.h"
#include "ops/report/slices.h"
#include "ops/report/stream_sums.h"
#include "ops/report/unit_numbers.h"

namespace sheaf::internal {

/// Statistics of one stream.
struct StreamNumbers {
  StreamPart part = {};  // sums over all units, without runs
  IdRuns runs = {};

  // Only for streams whose values are examined.
  std::vector<std::int64_t> bins = {};
  DimRanges dims = {};
  IdCounts ids = {};  // if part.has_ids
};

/// The largest number of workers that a report covers.
inline constexpr std::size_t kWorkersMax = 64;

/// Statistics of a data set.
struct DataNumbers {
  std::vector<Stream> streams = {};
  std::vector<bool> labels = {};  // [stream]: true for a label
  std::vector<StreamNumbers> stream_numbers = {};

  std::int64_t sequences = 0;  // without holes
  std::int64_t holes = 0;
  std::int64_t bytes = 0;  // size of the files up to the end of the last unit
  std::int64_t error_count = 0;
  std::int64_t warning_count = 0;
  std::vector<Diagnostic> errors = {};    // the first errors
  std::vector<Diagnostic> warnings = {};  // the first warnings
  bool is_cut = false;                    // true if the rest of the data cannot be read

  Histogram lengths = {};
  PlacedLength longest = {};
  PlacedLength shortest = {};
  PaddingMeter padding = {};

  /// Element i counts the samples of the sequences with numbers i, i + kWorkersMax, ..., where
  /// holes have no number.
  std::array<std::int64_t, kWorkersMax> worker_samples = {};

  SequenceSample hashes{kHashesMax};
  std::vector<Slice> slices = {};
  KeyNumbers keys = {};
  ChunkIndex chunk_end = {};  // one past the last chunk

  /// Returns how many streams have their values examined.
  [[nodiscard]] std::size_t detailed() const noexcept {
    return stream_numbers.size() < PassPlan::kStreamsMax ? stream_numbers.size()
                                                         : PassPlan::kStreamsMax;
  }
};

/// How many errors and how many warnings a report describes.
inline constexpr std::int64_t kDescribedMax = 20;

/// Options of a pass over the data.
struct PassOptions {
  std::optional<std::int64_t> memory_limit_bytes = {};
  std::function<void(std::int64_t)> progress = {};  // receives the bytes done so far
  std::size_t hashes_max = kHashesMax;              // of DataNumbers::hashes; at least 2
};

/// Reads all data once. `labels` marks the streams that are labels. If the index throws a
/// DataError, the pass ends early and the result describes the error.
///
/// Throws: as scan_data(), except DataError.
[[nodiscard]] DataNumbers numbers_of_data(const Deserializer& data, std::vector<bool> labels,
                                          Executor& executor, const PassOptions& options);

}  // namespace sheaf::internal
