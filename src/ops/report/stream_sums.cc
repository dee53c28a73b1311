#include "ops/report/stream_sums.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "ops/report/value_bins.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kPeriodMin = 64;  // the least number of values for an efficient loop over
                                         // dims
constexpr std::uint32_t kSliceBins = kValueBins / kBinsOfSlice;

// Ignores NaN, which is neither smaller nor larger than any value.
template <typename T>
void widen(const T* values, std::int64_t count, T* low, T* high) {
  for (std::int64_t i = 0; i < count; ++i) low[i] = values[i] < low[i] ? values[i] : low[i];
  for (std::int64_t i = 0; i < count; ++i) high[i] = values[i] > high[i] ? values[i] : high[i];
}

// Adds values that begin at value number `at` of a period. Returns where in the period to continue.
template <typename T>
std::int64_t add_to_dims(const T* values, std::int64_t count, std::int64_t at, std::vector<T>& low,
                         std::vector<T>& high) {
  const std::int64_t period = std::ssize(low);
  while (count > 0) {
    const std::int64_t size = std::min(count, period - at);
    widen(values, size, low.data() + at, high.data() + at);
    values += size;
    count -= size;
    at = at + size == period ? 0 : at + size;
  }
  return at;
}

template <typename T>
void begin_dims(std::int64_t period, std::vector<T>& low, std::vector<T>& high) {
  low.assign(static_cast<std::size_t>(period), std::numeric_limits<T>::infinity());
  high.assign(static_cast<std::size_t>(period), -std::numeric_limits<T>::infinity());
}

// A dim without values in `from` changes nothing, since its low is above its high.
template <typename T>
void add_dims(const std::vector<T>& from_low, const std::vector<T>& from_high, std::vector<T>& low,
              std::vector<T>& high) {
  for (std::size_t i = 0; i < low.size(); ++i) {
    low[i] = std::min(low[i], from_low[i]);
    high[i] = std::max(high[i], from_high[i]);
  }
}

template <typename T>
void fold_dims(const std::vector<T>& low, const std::vector<T>& high, DimRanges& dims) {
  for (std::size_t i = 0; i < low.size(); ++i) {
    const std::size_t dim = i % dims.low.size();
    dims.low[dim] = std::min(dims.low[dim], static_cast<double>(low[i]));
    dims.high[dim] = std::max(dims.high[dim], static_cast<double>(high[i]));
  }
}

// Uses two sets of counters. With one set, the second of two equal values would wait for the first.
template <typename T, typename BinOf>
void count_bins(const T* values, std::int64_t count, std::uint32_t* lanes, const BinOf& bin_of) {
  std::int64_t i = 0;
  for (; i + 2 <= count; i += 2) {
    ++lanes[bin_of(values[i])];
    ++lanes[kValueBins + bin_of(values[i + 1])];
  }
  if (i < count) ++lanes[bin_of(values[i])];
}

}  // namespace

StreamSums::StreamSums(const Stream& stream)
    : type_(stream.element_type), new_bins_(std::size_t{2} * kValueBins), bins_(kValueBins) {
  if (stream.storage == Storage::sparse || !stream.sample_shape.is_fixed()) return;
  const std::int64_t size = stream.sample_shape.size();
  if (size < 2 || size > kDimsMax) return;
  dims_ = size;
  period_ = size * std::max<std::int64_t>(1, kPeriodMin / size);
  if (is_wide(type_)) {
    begin_dims(period_, low_doubles_, high_doubles_);
  } else {
    begin_dims(period_, low_floats_, high_floats_);
  }
}

template <typename T>
void StreamSums::add_to_bins(const T* values, std::int64_t count) {
  if constexpr (std::is_same_v<T, float>) {
    if (type_ == ElementType::u8) {
      count_bins(values, count, new_bins_.data(),
                 [](float value) { return static_cast<std::uint32_t>(value); });
    } else if (type_ == ElementType::u16) {
      count_bins(values, count, new_bins_.data(),
                 [](float value) { return static_cast<std::uint32_t>(value) / 16; });
    } else {
      count_bins(values, count, new_bins_.data(), float_bin);
    }
  } else {
    count_bins(values, count, new_bins_.data(), [](double value) {
      constexpr double kMax = std::numeric_limits<float>::max();
      return float_bin(static_cast<float>(std::clamp(value, -kMax, kMax)));
    });
  }
}

template <typename T>
void StreamSums::add_block(const T* values) {
  stat_.add(take_stat(type_, *block_));
  add_to_bins(values, block_->count);
}

void StreamSums::add(const std::byte* values, std::int64_t count) {
  const std::int64_t size = element_size(type_);
  std::int64_t at = 0;  // within the period
  while (count > 0) {
    const std::int64_t part = std::min(count, kBlockValues);
    load_block(type_, values, part, *block_);
    if (is_wide(type_)) {
      if (dims_ > 0) at = add_to_dims(block_->doubles, part, at, low_doubles_, high_doubles_);
      add_block(block_->doubles);
    } else {
      if (dims_ > 0) at = add_to_dims(block_->floats, part, at, low_floats_, high_floats_);
      add_block(block_->floats);
    }
    values += part * size;
    count -= part;
  }
}

ValuePart StreamSums::take_part() {
  ValuePart part{.stat = stat_, .bins = {}};
  stat_ = {};
  if (part.stat.count == 0) return part;
  for (std::uint32_t slice_bin = 0; slice_bin < kSliceBins; ++slice_bin) {
    std::int64_t sum = 0;
    for (std::uint32_t bin = slice_bin * kBinsOfSlice; bin < (slice_bin + 1) * kBinsOfSlice;
         ++bin) {
      const std::int64_t count = std::int64_t{new_bins_[bin]} + new_bins_[kValueBins + bin];
      bins_[bin] += count;
      sum += count;
    }
    if (sum > 0) part.bins.push_back(slice_bin, sum);
  }
  std::ranges::fill(new_bins_, 0);
  return part;
}

void StreamSums::add(const StreamSums& other) {
  for (std::size_t i = 0; i < bins_.size(); ++i) bins_[i] += other.bins_[i];
  add_dims(other.low_floats_, other.high_floats_, low_floats_, high_floats_);
  add_dims(other.low_doubles_, other.high_doubles_, low_doubles_, high_doubles_);
}

DimRanges StreamSums::dims() const {
  DimRanges dims;
  if (dims_ == 0) return dims;
  begin_dims(dims_, dims.low, dims.high);
  fold_dims(low_floats_, high_floats_, dims);
  fold_dims(low_doubles_, high_doubles_, dims);
  if (dims.low.front() > dims.high.front()) return {};
  return dims;
}

}  // namespace sheaf::internal
