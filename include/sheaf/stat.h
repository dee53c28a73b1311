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
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/open.h"
#include "sheaf/operation.h"
#include "sheaf/spec.h"
#include "sheaf/types.h"

namespace sheaf {

/// How often each number from 0 on occurs; exact.
///
/// Cost: lengths that differ need data in proportion: n different ones are at least n * n / 2
///       samples, so the memory stays small whatever the data.
class Histogram {
 public:
  void add(std::int64_t number, std::int64_t count = 1);
  void add(const Histogram& other);

  /// Returns how many numbers were counted.
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }

  /// Returns the sum of the numbers.
  [[nodiscard]] std::int64_t total() const noexcept { return total_; }

  /// Pre: count() > 0; here and below.
  [[nodiscard]] std::int64_t min() const;
  [[nodiscard]] std::int64_t max() const;
  [[nodiscard]] double mean() const;

  /// Returns the least number that at least `percent` of a hundred of all do not exceed.
  ///
  /// Pre: 0 < percent <= 100.
  [[nodiscard]] std::int64_t percentile(int percent) const;

 private:
  std::vector<std::int64_t> small_;             // by number
  std::map<std::int64_t, std::int64_t> large_;  // beyond
  std::int64_t count_ = 0;
  std::int64_t total_ = 0;
};

/// Stored values of a stream. Sums are added up block by block, in the order of the data.
struct ValueStat {
  std::int64_t count = 0;       // all
  std::int64_t zeros = 0;       // -0 included
  std::int64_t non_finite = 0;  // the rest is about the others
  double min = 0;
  double max = 0;
  double mean = 0;
  double squares = 0;  // sum of squared distances from the mean

  [[nodiscard]] std::int64_t finite_count() const noexcept { return count - non_finite; }

  /// Returns the standard deviation, of the values as they are: squares over their number.
  ///
  /// Pre: finite_count() > 0.
  [[nodiscard]] double deviation() const;

  void add(const ValueStat& other);
};

/// Stored values of a sample, and their share of all values that a sample could have.
struct Density {
  double per_sample = 0;
  double share = 0;
};

/// One stream of the good sequences.
struct StreamStat {
  Histogram lengths = {};                // samples of the sequences that have the stream
  std::int64_t absent = 0;               // sequences that do not have the stream
  std::int64_t samples = 0;              // of all sequences
  std::optional<ValueStat> values = {};  // nothing where values are no numbers (f16, bytes)

  /// Returns nothing where there is no sample, or samples have no fixed shape.
  [[nodiscard]] std::optional<Density> density(const Stream& stream) const;
};

struct StatOptions {
  bool finds_duplicates = true;  // takes 16 bytes of memory a sequence
  OperationOptions run = {};
};

struct StatReport {
  std::vector<Stream> streams = {};
  std::vector<StreamStat> stream_stats = {};  // one for each stream
  Histogram lengths = {};   // samples of the good sequences, as minibatch sizes count them
  std::int64_t holes = 0;   // sequences left out because their data are wrong
  std::int64_t places = 0;  // wrong ones
  std::int64_t warning_places = 0;
  std::optional<std::int64_t> duplicates = {};  // sequences whose content an earlier one has
  std::vector<Diagnostic> warnings = {};        // about the data as a whole
};

/// Reads all of the data and counts. Sequences with wrong places are left out, and counted.
///
/// Determinism: the report depends on the data alone.
/// Throws:      IoError; DataError where the data cannot be read on; ConfigError where the data do
///              not fit the memory limit.
[[nodiscard]] StatReport stat(const Deserializer& data, const StatOptions& options = {});

/// The same for data that are to be opened. Executor and memory limit of `context` are those of the
/// options.
///
/// Throws: also what open() throws.
[[nodiscard]] StatReport stat(const DataSpec& data, const StatOptions& options = {},
                              OpenContext context = {});

/// Returns a report as the JSON object that `sheaf stat --json` prints, with a newline. `path` is
/// what the data are called.
[[nodiscard]] std::string to_json(const StatReport& report, std::string_view path);

}  // namespace sheaf
