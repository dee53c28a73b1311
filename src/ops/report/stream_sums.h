// The values of one dense or sparse stream, added up.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sheaf/stat.h"
#include "sheaf/types.h"

#include "ops/report/slot_counts.h"
#include "ops/report/value_block.h"

namespace sheaf::internal {

/// How a bin of slices is made of bins of values: so many are one.
inline constexpr std::uint32_t kBinsOfSlice = 4;

/// What a part of the values of a stream looks like.
struct ValuePart {
  ValueStat stat = {};
  SlotCounts bins = {};  // kBinsOfSlice bins of values are one
};

/// The smallest and the largest value of each dim.
struct DimRanges {
  std::vector<double> low = {};  // [dim]
  std::vector<double> high = {};
};

/// Adds up values. One object serves one thread; the totals of several objects add up to the same
/// numbers, however the data are divided among the objects.
class StreamSums {
 public:
  /// Streams whose samples have more values get no ranges of dims.
  static constexpr std::int64_t kDimsMax = 65'536;

  explicit StreamSums(const Stream& stream);

  /// Adds values of whole samples. `values` need not be aligned.
  void add(const std::byte* values, std::int64_t count);

  /// Returns the part that was added since the last call.
  [[nodiscard]] ValuePart take_part();

  /// Adds the totals of another object of the same stream.
  void add(const StreamSums& other);

  /// Returns how many values each bin of values has.
  [[nodiscard]] const std::vector<std::int64_t>& bins() const noexcept { return bins_; }

  /// Returns the ranges of the dims. Returns nothing where samples have no fixed shape, one value
  /// or very many, and where no sample was added.
  [[nodiscard]] DimRanges dims() const;

 private:
  template <typename T>
  void add_block(const T* values);
  template <typename T>
  void add_to_bins(const T* values, std::int64_t count);

  ElementType type_;
  std::int64_t dims_ = 0;    // of a sample; 0 where ranges of dims are not wanted
  std::int64_t period_ = 0;  // a multiple of dims_: small dims are repeated
  ValueStat stat_;
  std::vector<std::uint32_t> new_bins_;  // two lanes, of the part
  std::vector<std::int64_t> bins_;
  std::vector<float> low_floats_;  // [period]; in use where the block has floats
  std::vector<float> high_floats_;
  std::vector<double> low_doubles_;
  std::vector<double> high_doubles_;
  std::unique_ptr<ValueBlock> block_ = std::make_unique<ValueBlock>();
};

}  // namespace sheaf::internal
