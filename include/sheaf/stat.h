/// \file
/// Describes data in numbers: counts, lengths, values, duplicates.
///
///     const sheaf::StatReport report =
///         sheaf::stat({.content = sheaf::FilesSpec{.files = {"train.ctf"}}});
///     std::cout << report.lengths.count() << " sequences, the longest of "
///               << report.lengths.max() << " samples\n";

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/open.h"
#include "sheaf/operation.h"
#include "sheaf/part.h"
#include "sheaf/spec.h"
#include "sheaf/types.h"

namespace sheaf {

/// Counts how often each number occurs. Numbers are 0 or more, and counts are exact.
///
/// Cost: memory grows with the number of different values. For lengths of sequences, the memory is
///       small: n different lengths need at least n * n / 2 samples of data.
class Histogram {
 public:
  /// Adds a number `count` times, or adds all numbers of another histogram.
  ///
  /// Pre: number >= 0 and count >= 0.
  void add(std::int64_t number, std::int64_t count = 1);
  void add(const Histogram& other);

  /// Returns how many numbers were counted.
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }

  /// Returns the sum of the numbers.
  [[nodiscard]] std::int64_t total() const noexcept { return total_; }

  // The calls below need at least one number.

  /// Pre: count() > 0.
  [[nodiscard]] std::int64_t min() const;
  [[nodiscard]] std::int64_t max() const;
  [[nodiscard]] double mean() const;

  /// Returns a percentile: the smallest counted number x such that at least `percent` percent of
  /// all numbers are at most x.
  ///
  /// Pre: count() > 0, and 0 < percent <= 100.
  [[nodiscard]] std::int64_t percentile(int percent) const;

  /// Returns each number with its count, in ascending order.
  [[nodiscard]] std::vector<std::pair<std::int64_t, std::int64_t>> counts() const;

 private:
  std::vector<std::int64_t> small_;             // [number]: the count of the number
  std::map<std::int64_t, std::int64_t> large_;  // the counts of larger numbers
  std::int64_t count_ = 0;
  std::int64_t total_ = 0;
};

/// Statistics of the stored values of a stream. A dense stream stores every value; a sparse stream
/// stores pairs of index and value.
struct ValueStat {
  std::int64_t count = 0;       // number of stored values
  std::int64_t zeros = 0;       // how many are 0 or -0
  std::int64_t non_finite = 0;  // how many are infinite or NaN; the fields below leave them out
  double min = 0;
  double max = 0;
  double mean = 0;
  double squares = 0;  // sum of the squared distances from the mean

  [[nodiscard]] std::int64_t finite_count() const noexcept { return count - non_finite; }

  /// Returns the standard deviation of the finite values: the square root of `squares` divided by
  /// finite_count().
  ///
  /// Pre: finite_count() > 0.
  [[nodiscard]] double deviation() const;

  /// Adds the values of another statistic. The order of additions may change the last digits of the
  /// sums. stat() adds in the order of the data.
  void add(const ValueStat& other);
};

/// How many values a sample of a stream stores.
struct Density {
  double per_sample = 0;  // stored values of an average sample
  double share = 0;       // `per_sample` divided by the number of values that a sample can have
};

/// One extent of the samples of a stream of variable shape. For opaque bytes, the extent is the
/// number of bytes of a sample.
struct ExtentStat {
  std::int64_t min = 0;
  std::int64_t max = 0;
  double sum = 0;  // over all samples
};

/// The statistics of one stream. Sequences with errors do not count.
struct StreamStat {
  Histogram lengths = {};                // in samples, of the sequences that have the stream
  std::int64_t absent = 0;               // how many sequences do not have the stream
  std::int64_t samples = 0;              // sum over all sequences
  std::optional<ValueStat> values = {};  // empty for f16 and bytes
  std::vector<ExtentStat> extents = {};  // [axis]; empty if the shape is fixed, or if there is no
                                         // sample

  /// Returns the density. Returns nothing if there is no sample, or if the shape of the samples is
  /// not fixed. `stream` is the stream of StatReport::streams to which the statistics belong.
  [[nodiscard]] std::optional<Density> density(const Stream& stream) const;
};

/// The costs that the data declare for sequences.
struct CostStat {
  std::string name = {};   // the name of what costs measure, such as "bytes"
  std::int64_t total = 0;  // the sum, or the largest int64 if the sum is larger
  std::int64_t min = 0;
  std::int64_t max = 0;
};

/// The part of the data that a report describes, and further numbers that merge_reports() needs.
/// The last digits of sums depend on the order of additions, so this struct has the sums of each
/// unit.
struct StatPart {
  DataPart part = {};
  std::string source = {};  // the fingerprint of the whole data

  /// [stream][unit]: the values of a unit. Has no units if the stream has no numbers.
  std::vector<std::vector<ValueStat>> values = {};

  /// Hashes of the sequences; empty without StatOptions::finds_duplicates.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> contents = {};
};

/// What stat() counts.
struct StatOptions {
  bool finds_duplicates = true;  // costs 16 bytes of memory for each sequence
  OperationOptions run = {};
};

/// The statistics of a data set.
struct StatReport {
  std::vector<Stream> streams = {};
  std::vector<StreamStat> stream_stats = {};  // [stream]
  Histogram lengths = {};  // of the sequences without errors, in the samples that minibatch_size
                           // counts
  std::int64_t holes = 0;  // sequences left out because their data are wrong
  std::int64_t error_count = 0;                 // distinct errors
  std::int64_t warning_count = 0;               // distinct warnings
  std::optional<std::int64_t> duplicates = {};  // sequences with the same content as an earlier
                                                // one; empty without StatOptions::finds_duplicates
  std::optional<CostStat> cost = {};            // of all sequences, holes included, if declared
  std::vector<StorageNote> storage = {};        // as Deserializer::storage()
  std::vector<Diagnostic> warnings = {};        // about the data as a whole
  std::optional<StatPart> part = {};            // set if the data are a part
};

/// Reads all data once and collects statistics. Sequences with errors are left out and counted as
/// holes.
///
/// Determinism: the report depends on the data and on `finds_duplicates`.
/// Throws:      IoError; DataError if an error makes the rest of the data unreadable; ConfigError
///              if the memory limit is too small.
[[nodiscard]] StatReport stat(const Deserializer& data, const StatOptions& options = {});

/// Opens data and calls stat(). The options replace the executor and the memory limit of `context`.
///
/// Throws: also what open() throws.
[[nodiscard]] StatReport stat(const DataSpec& data, const StatOptions& options = {},
                              OpenContext context = {});

/// Returns a report as the JSON object that `sheaf stat --json` prints, with a newline at the end.
/// `path` becomes the field "path".
[[nodiscard]] std::string to_json(const StatReport& report, std::string_view path);

}  // namespace sheaf
