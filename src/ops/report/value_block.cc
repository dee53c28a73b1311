// Nearly all blocks have only finite values. Therefore the sums are computed as if all values were
// finite. A non-finite sum reveals a non-finite value.

#include "ops/report/value_block.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "base/unaligned.h"
#include "core/element_cast.h"

namespace sheaf::internal {
namespace {

// Sums in lanes: value i goes to lane i % kLanes. The compiler may not reorder additions itself. A
// fixed order gives the same sums on all machines.
constexpr std::int64_t kLanes = 8;

struct RangeOfBlock {
  double min;
  double max;
  std::int64_t zeros;
};

template <typename T>
RangeOfBlock range_of_block(const T* values, std::int64_t count) {
  constexpr std::size_t kLaneCount = 64 / sizeof(T);
  constexpr auto kWide = static_cast<std::int64_t>(kLaneCount);
  using Count = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  std::array<T, kLaneCount> low{};
  std::array<T, kLaneCount> high{};
  std::array<Count, kLaneCount> zeros{};
  low.fill(values[0]);
  high.fill(values[0]);
  const std::int64_t whole = count / kWide * kWide;
  for (std::int64_t i = 0; i < whole; i += kWide) {
    for (std::size_t lane = 0; lane < kLaneCount; ++lane) {
      const T value = values[i + static_cast<std::int64_t>(lane)];
      low[lane] = value < low[lane] ? value : low[lane];
      high[lane] = value > high[lane] ? value : high[lane];
      zeros[lane] += value == 0 ? 1 : 0;
    }
  }
  for (std::int64_t i = whole; i < count; ++i) {
    low[0] = std::min(low[0], values[i]);
    high[0] = std::max(high[0], values[i]);
    zeros[0] += values[i] == 0 ? 1 : 0;
  }
  RangeOfBlock range{
      .min = *std::ranges::min_element(low), .max = *std::ranges::max_element(high), .zeros = 0};
  for (const Count each : zeros) range.zeros += each;
  return range;
}

struct BlockSums {
  double sum = 0;      // of the differences from the first value
  double squares = 0;  // sum of their squares
};

template <typename T>
BlockSums sums_of_block(const T* values, std::int64_t count) {
  const auto pivot = static_cast<double>(values[0]);
  std::array<double, kLanes> sums{};
  std::array<double, kLanes> squares{};
  const std::int64_t whole = count / kLanes * kLanes;
  for (std::int64_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double distance =
          static_cast<double>(values[i + static_cast<std::int64_t>(lane)]) - pivot;
      sums[lane] += distance;
      squares[lane] += distance * distance;
    }
  }
  for (std::int64_t i = whole; i < count; ++i) {
    const double distance = static_cast<double>(values[i]) - pivot;
    sums[0] += distance;
    squares[0] += distance * distance;
  }
  BlockSums all;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    all.sum += sums[lane];
    all.squares += squares[lane];
  }
  return all;
}

// The result includes the squared distance of the first value from the mean, so it is at least mean
// * mean. Therefore the subtraction below loses few digits.
template <typename T>
ValueStat stat_of_finite(const T* values, std::int64_t count, const BlockSums& sums) {
  const RangeOfBlock range = range_of_block(values, count);
  const double mean = sums.sum / static_cast<double>(count);
  return {.count = count,
          .zeros = range.zeros,
          .min = range.min,
          .max = range.max,
          .mean = static_cast<double>(values[0]) + mean,
          .squares = std::max(0.0, sums.squares - sums.sum * mean)};
}

template <typename T>
ValueStat take_stat_of(T* values, std::int64_t& count) {
  const BlockSums sums = sums_of_block(values, count);
  if (std::isfinite(sums.squares)) return stat_of_finite(values, count, sums);
  const std::int64_t all = count;
  T* const end =
      std::remove_if(values, values + count, [](T each) { return !std::isfinite(each); });
  count = end - values;
  ValueStat stat;
  if (count > 0) stat = stat_of_finite(values, count, sums_of_block(values, count));
  stat.count = all;
  stat.non_finite = all - count;
  return stat;
}

}  // namespace

bool is_wide(ElementType type) noexcept {
  return type == ElementType::i32 || type == ElementType::i64 || type == ElementType::f64;
}

void load_block(ElementType type, const std::byte* values, std::int64_t count, ValueBlock& block) {
  block.count = count;
  with_zero_of(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, float>) {
      std::memcpy(block.floats, values, static_cast<std::size_t>(count) * sizeof(float));
    } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::int32_t> ||
                         std::is_same_v<T, std::int64_t>) {
      for (std::int64_t i = 0; i < count; ++i) {
        block.doubles[i] = static_cast<double>(load<T>(values, i));
      }
    } else {
      for (std::int64_t i = 0; i < count; ++i) {
        block.floats[i] = static_cast<float>(arithmetic(load<T>(values, i)));
      }
    }
  });
}

ValueStat take_stat(ElementType type, ValueBlock& block) {
  return is_wide(type) ? take_stat_of(block.doubles, block.count)
                       : take_stat_of(block.floats, block.count);
}

}  // namespace sheaf::internal
