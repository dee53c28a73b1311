// Statistics of the sequences of a unit.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/scan_data.h"
#include "sheaf/stat.h"
#include "sheaf/types.h"

#include "ops/report/duplicates.h"
#include "ops/report/id_counts.h"
#include "ops/report/id_runs.h"
#include "ops/report/key_numbers.h"
#include "ops/report/slices.h"
#include "ops/report/stream_roles.h"
#include "ops/report/stream_sums.h"

namespace sheaf::internal {

/// The plan of a pass. If the data have very many streams, the pass examines only the values of the
/// first kStreamsMax streams.
struct PassPlan {
  static constexpr std::size_t kStreamsMax = 32;

  /// `labels` marks the streams that are labels.
  PassPlan(std::span<const Stream> of_data, std::vector<bool> are_labels);

  /// Returns how many streams have their values examined.
  [[nodiscard]] std::size_t detailed() const noexcept { return sources.size(); }

  std::span<const Stream> streams;
  std::vector<bool> labels;                // [stream]
  std::vector<std::uint64_t> name_hashes;  // [stream]
  std::vector<IdSource> sources;           // of the streams whose values are examined
};

/// The totals of one stream that do not depend on the order of the data.
struct StreamTotals {
  explicit StreamTotals(const Stream& stream) : values(stream) {}

  StreamSums values;
  IdCounts ids;
  IdBins slice_ids;
};

/// Statistics of one stream in a unit.
struct StreamPart {
  ValueStat values = {};
  std::int64_t samples = 0;
  std::int64_t absent = 0;       // sequences without the stream
  std::int64_t stored_min = -1;  // the fewest stored pairs in a sparse sample; -1 without samples
  std::int64_t stored_max = -1;
  std::vector<ExtentStat> extents = {};  // of samples with a variable shape
  bool has_ids = true;                   // false after a value that is not an id
  IdRuns runs = {};                      // numbers the sequences from the start of the unit
  double largest = 0;  // the largest absolute value; the next field is the slice that has it
  ChunkRange largest_in = {};
  std::optional<ChunkRange> non_finite_in = {};  // the first slice with NaN or infinity
};

/// The length of a sequence and its location.
struct PlacedLength {
  std::int64_t length = 0;
  CompactLocation location = {};
};

/// Statistics of a unit.
struct UnitNumbers {
  ChunkRange range = {};
  std::int64_t holes = 0;
  std::int64_t error_count = 0;
  std::int64_t warning_count = 0;
  std::vector<Diagnostic> described = {};
  std::vector<std::int64_t> lengths = {};  // of the sequences without errors, in order
  Histogram length_counts = {};
  PlacedLength longest = {};   // the first of the longest sequences
  PlacedLength shortest = {};  // the first of the shortest sequences that have samples
  std::vector<SequenceContent> contents = {};  // with a hash of at most the limit
  std::vector<StreamPart> streams = {};        // [stream]
  std::vector<Slice> slices = {};
  KeyNumbers keys = {};
};

/// A pool of totals, one for each thread that works at the same time.
class TotalsPool {
 public:
  using Totals = std::vector<StreamTotals>;  // [stream]

  /// Lifetime: `plan` must outlive the pool.
  explicit TotalsPool(const PassPlan& plan) : plan_(plan) {}

  [[nodiscard]] std::unique_ptr<Totals> take();
  void give(std::unique_ptr<Totals> totals);

  /// Returns the sum of all totals.
  ///
  /// Pre: all totals are back in the pool.
  [[nodiscard]] Totals sum() const;

 private:
  [[nodiscard]] Totals empty_totals() const;

  const PassPlan& plan_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Totals>> free_;
};

/// Limits of the result for a unit.
struct UnitLimits {
  std::int64_t described_max = 0;  // errors with a description, and warnings

  // The largest SequenceContent::input in UnitNumbers::contents.
  std::uint64_t hash_max = std::numeric_limits<std::uint64_t>::max();
};

/// Reads a unit and adds its values to `totals`.
[[nodiscard]] UnitNumbers numbers_of_unit(const PassPlan& plan, const Deserializer& data,
                                          const ScanUnit& unit, const UnitLimits& limits,
                                          TotalsPool::Totals& totals);

}  // namespace sheaf::internal
