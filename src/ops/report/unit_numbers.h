// What the sequences of a unit look like, in numbers.

#pragma once

#include <cstddef>
#include <cstdint>
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
#include "ops/report/key_numbers.h"
#include "ops/report/slices.h"
#include "ops/report/stream_roles.h"
#include "ops/report/stream_sums.h"

namespace sheaf::internal {

/// What a pass looks for. Of data with very many streams, the values of the first ones alone.
struct PassPlan {
  static constexpr std::size_t kStreamsMax = 32;

  /// `labels`: which streams are labels and not input.
  PassPlan(std::span<const Stream> of_data, std::vector<bool> are_labels);

  /// Returns how many streams are looked at value by value.
  [[nodiscard]] std::size_t detailed() const noexcept { return sources.size(); }

  std::span<const Stream> streams;
  std::vector<bool> labels;                // [stream]
  std::vector<std::uint64_t> name_hashes;  // [stream]
  std::vector<IdSource> sources;           // of the streams that are looked at
};

/// The totals of one stream that do not depend on the order of the data.
struct StreamTotals {
  explicit StreamTotals(const Stream& stream) : values(stream) {}

  StreamSums values;
  IdCounts ids;
  IdSlots slice_ids;
};

/// Consecutive sequences that begin with one id.
struct IdRun {
  std::int64_t id = 0;
  std::int64_t first = 0;  // number of the first of these sequences, from that of the unit
  std::int64_t count = 0;
};

/// What one stream has in a unit.
struct StreamPart {
  ValueStat values = {};
  std::int64_t samples = 0;
  std::int64_t absent = 0;       // sequences without the stream
  std::int64_t stored_min = -1;  // stored pairs of a sparse sample; -1 without a sample
  std::int64_t stored_max = -1;
  std::vector<ExtentStat> extents = {};  // of samples of variable shape
  bool has_ids = true;                   // no value was seen that is no id
  std::vector<IdRun> runs = {};
  double largest = 0;  // the largest absolute value, and the slice that has it
  ChunkRange largest_in = {};
  std::optional<ChunkRange> non_finite_in = {};  // the first slice with NaN or infinity
};

/// A sequence by its place and its length.
struct PlacedLength {
  std::int64_t length = 0;
  SmallPlace place = {};
};

/// The numbers of a unit.
struct UnitNumbers {
  ChunkRange range = {};
  std::int64_t holes = 0;
  std::int64_t error_places = 0;
  std::int64_t warning_places = 0;
  std::vector<Diagnostic> described = {};
  std::vector<std::int64_t> lengths = {};  // of the good sequences, in order
  Histogram length_counts = {};
  PlacedLength longest = {};   // the first one
  PlacedLength shortest = {};  // the first one with a sample
  std::vector<HashedSequence> hashes = {};
  std::vector<StreamPart> streams = {};  // [stream]
  std::vector<Slice> slices = {};
  KeyNumbers keys = {};
};

/// Totals for as many threads as work at a time.
class TotalsPool {
 public:
  using Totals = std::vector<StreamTotals>;  // [stream]

  /// Lifetime: `plan` must outlive the pool.
  explicit TotalsPool(const PassPlan& plan) : plan_(plan) {}

  [[nodiscard]] std::unique_ptr<Totals> take();
  void give(std::unique_ptr<Totals> totals);

  /// Returns the sum of all totals.
  ///
  /// Pre: all totals were given back.
  [[nodiscard]] Totals sum() const;

 private:
  [[nodiscard]] Totals empty_totals() const;

  const PassPlan& plan_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Totals>> free_;
};

/// Reads a unit, and adds its values to `totals`. `described_max` errors and as many warnings are
/// described.
[[nodiscard]] UnitNumbers numbers_of_unit(const PassPlan& plan, const Deserializer& data,
                                          const ScanUnit& unit, std::int64_t described_max,
                                          TotalsPool::Totals& totals);

}  // namespace sheaf::internal
