// Statistics of the values of a dense or sparse stream.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sheaf/stat.h"
#include "sheaf/types.h"

#include "ops/report/bin_counts.h"
#include "ops/report/value_block.h"

namespace sheaf::internal {

/// How many value bins make one bin of a slice.
inline constexpr std::uint32_t kBinsOfSlice = 4;

/// Statistics of a part of the values of a stream.
struct ValuePart {
  ValueStat stat = {};
  BinCounts bins = {};  // each joins kBinsOfSlice value bins
};

/// The smallest and the largest value of each dim.
struct DimRanges {
  std::vector<double> low = {};  // [dim]
  std::vector<double> high = {};
};

/// Adds values up. One object serves one thread. The totals of several objects add up to the same
/// numbers, however the data are divided among them.
class StreamSums {
 public:
  /// Streams with more values in a sample get no ranges of dims.
  static constexpr std::int64_t kDimsMax = 65'536;

  explicit StreamSums(const Stream& stream);

  /// Adds values of whole samples. `values` need not be aligned.
  void add(const std::byte* values, std::int64_t count);

  /// Returns the statistics of the values that were added since the last call.
  [[nodiscard]] ValuePart take_part();

  /// Adds the totals of another object of the same stream.
  void add(const StreamSums& other);

  /// Returns the number of values in each value bin.
  [[nodiscard]] const std::vector<std::int64_t>& bins() const noexcept { return bins_; }

  /// Returns the ranges of the dims. Returns nothing if no sample was added, or if samples have no
  /// fixed shape, a single value, or more than kDimsMax values.
  [[nodiscard]] DimRanges dims() const;

 private:
  template <typename T>
  void add_block(const T* values);
  template <typename T>
  void add_to_bins(const T* values, std::int64_t count);

  ElementType type_;
  std::int64_t dims_ = 0;    // dims of a sample; 0 means that no ranges are wanted
  std::int64_t period_ = 0;  // a multiple of dims_; repeats the dims of small samples
  ValueStat stat_;
  std::vector<std::uint32_t> new_bins_;  // two sets of counters, for the current part
  std::vector<std::int64_t> bins_;
  std::vector<float> low_floats_;  // [period]; used for blocks of floats
  std::vector<float> high_floats_;
  std::vector<double> low_doubles_;
  std::vector<double> high_doubles_;
  std::unique_ptr<ValueBlock> block_ = std::make_unique<ValueBlock>();
};

}  // namespace sheaf::internal
