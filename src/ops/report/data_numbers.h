// What all of the data look like, in numbers.

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
#include "ops/report/key_numbers.h"
#include "ops/report/length_costs.h"
#include "ops/report/slices.h"
#include "ops/report/stream_sums.h"
#include "ops/report/unit_numbers.h"

namespace sheaf::internal {

/// The longest run of sequences that begin with one id.
struct LongestRun {
  std::int64_t id = 0;
  std::int64_t first = 0;  // number of the first sequence in the data
  std::int64_t count = 0;
};

/// Puts together runs that go on in the next unit.
class RunMeter {
 public:
  /// Adds runs of the next unit, whose first sequence has the number `first`.
  void add(const std::vector<IdRun>& runs, std::int64_t first);

  [[nodiscard]] const LongestRun& longest() const noexcept { return longest_; }
  [[nodiscard]] std::int64_t sequences() const noexcept { return sequences_; }

 private:
  LongestRun last_;
  LongestRun longest_;
  std::int64_t sequences_ = 0;
};

/// The numbers of one stream.
struct StreamNumbers {
  StreamPart part = {};  // of all units; without runs
  RunMeter runs = {};

  // Of the streams that are looked at value by value.
  std::vector<std::int64_t> bins = {};
  DimRanges dims = {};
  IdCounts ids = {};  // where part.has_ids
};

/// The largest number of workers that a report tells about.
inline constexpr std::size_t kWorkersMax = 64;

/// The numbers of a data set.
struct DataNumbers {
  std::vector<Stream> streams = {};
  std::vector<bool> labels = {};  // [stream]: whether the stream is a label
  std::vector<StreamNumbers> stream_numbers = {};

  std::int64_t sequences = 0;  // good ones
  std::int64_t holes = 0;
  std::int64_t bytes = 0;  // of the files, up to the end of the last unit
  std::int64_t error_places = 0;
  std::int64_t warning_places = 0;
  std::vector<Diagnostic> errors = {};    // the first ones
  std::vector<Diagnostic> warnings = {};  // the first ones
  bool is_cut = false;                    // the rest of the data cannot be read

  Histogram lengths = {};
  PlacedLength longest = {};
  PlacedLength shortest = {};
  PaddingMeter padding = {};

  /// The samples of the sequences whose number, counted without holes, is i modulo kWorkersMax.
  std::array<std::int64_t, kWorkersMax> worker_samples = {};

  SequenceSample hashes{kHashesMax};
  std::vector<Slice> slices = {};
  KeyNumbers keys = {};
  ChunkIndex chunk_end = {};  // the number behind the last chunk

  /// Returns how many streams were looked at value by value.
  [[nodiscard]] std::size_t detailed() const noexcept {
    return stream_numbers.size() < PassPlan::kStreamsMax ? stream_numbers.size()
                                                         : PassPlan::kStreamsMax;
  }
};

/// How many errors, and how many warnings, a report describes.
inline constexpr std::int64_t kDescribedMax = 20;

/// How a pass runs.
struct PassOptions {
  std::optional<std::int64_t> memory_limit_bytes = {};
  std::function<void(std::int64_t)> progress = {};  // gets the bytes done so far
};

/// Reads all data once. `labels` tells which streams are labels. A DataError of the index ends the
/// pass, and becomes a description.
///
/// Throws: as scan_data(), without DataError.
[[nodiscard]] DataNumbers numbers_of_data(const Deserializer& data, std::vector<bool> labels,
                                          Executor& executor, const PassOptions& options);

}  // namespace sheaf::internal
