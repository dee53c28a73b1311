#include "ops/report/histogram_bins.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ops/report/value_bins.h"

namespace sheaf::internal {
namespace {

constexpr double kCrowded = 0.8;  // share of the values in one bar

// Returns the bins with values as bars in ascending order. The bars end where the values end.
std::vector<ValueBar> filled_bins(ElementType type, const ValueStat& stat,
                                  const std::vector<std::int64_t>& bins) {
  std::vector<ValueBar> bars;
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    if (bins[bin] == 0) continue;
    const ValueRange range = range_of_bin(type, static_cast<std::uint32_t>(bin));
    const double from = std::clamp(range.low, stat.min, stat.max);
    bars.push_back({from, std::clamp(range.high, from, stat.max), bins[bin]});
  }
  std::ranges::sort(bars, {}, [](const ValueBar& each) { return std::pair(each.from, each.to); });
  return bars;
}

// Returns the fraction of a bin that lies below `end`.
double part_below(const ValueBar& bin, double end) {
  if (bin.to <= end && bin.from < end) return 1;
  return bin.to > bin.from ? std::clamp((end - bin.from) / (bin.to - bin.from), 0.0, 1.0) : 0.0;
}

std::vector<ValueBar> even_bars(const std::vector<ValueBar>& bins, const ValueStat& stat) {
  std::vector<ValueBar> bars(kBarsMax);
  const double width = (stat.max - stat.min) / static_cast<double>(kBarsMax);
  std::int64_t counted = 0;
  std::int64_t all = 0;
  for (const ValueBar& each : bins) all += each.count;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    bars[i].from = stat.min + width * static_cast<double>(i);
    bars[i].to = i + 1 < bars.size() ? stat.min + width * static_cast<double>(i + 1) : stat.max;
    double below = 0;
    for (const ValueBar& each : bins) {
      below += part_below(each, bars[i].to) * static_cast<double>(each.count);
    }
    const std::int64_t end =
        i + 1 < bars.size() ? std::min<std::int64_t>(all, std::llround(below)) : all;
    bars[i].count = std::max<std::int64_t>(0, end - counted);
    counted += bars[i].count;
  }
  return bars;
}

std::vector<ValueBar> uneven_bars(const std::vector<ValueBar>& bins) {
  const std::size_t of_bar = (bins.size() + kBarsMax - 1) / kBarsMax;
  std::vector<ValueBar> bars;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    if (i % of_bar == 0) bars.push_back({bins[i].from, bins[i].to, 0});
    bars.back().to = std::max(bars.back().to, bins[i].to);
    bars.back().count += bins[i].count;
  }
  return bars;
}

}  // namespace

ValueChart chart_of_values(ElementType type, const ValueStat& stat,
                           const std::vector<std::int64_t>& bins) {
  const std::int64_t count = stat.finite_count();
  if (count == 0) return {};
  if (stat.min == stat.max || !std::isfinite(stat.max - stat.min)) {
    return {.bars = {{stat.min, stat.max, count}}, .is_even = true};
  }
  const std::vector<ValueBar> filled = filled_bins(type, stat, bins);
  ValueChart chart{.bars = even_bars(filled, stat), .is_even = true};
  const auto most = std::ranges::max(chart.bars, {}, &ValueBar::count).count;
  if (static_cast<double>(most) > kCrowded * static_cast<double>(count) && filled.size() > 2) {
    chart = {.bars = uneven_bars(filled), .is_even = false};
  }
  return chart;
}

std::vector<LengthBar> chart_of_lengths(const Histogram& lengths) {
  std::vector<LengthBar> bars;
  if (lengths.count() == 0) return bars;
  const std::int64_t min = lengths.min();
  const std::int64_t max = lengths.max();
  if (max - min < std::int64_t{kBarsMax}) {
    for (std::int64_t i = min; i <= max; ++i) bars.push_back({i, i, 0});
  } else {
    const auto low = static_cast<double>(std::max<std::int64_t>(min, 1));
    const double factor =
        std::pow(static_cast<double>(max) / low, 1 / static_cast<double>(kBarsMax - 1));
    std::int64_t from = min;
    for (double end = low; from <= max; end *= factor) {
      const bool is_last = bars.size() + 1 == kBarsMax || end >= static_cast<double>(max);
      const std::int64_t to = is_last ? max : static_cast<std::int64_t>(std::floor(end));
      if (to < from) continue;
      bars.push_back({from, to, 0});
      from = to + 1;
    }
  }
  std::size_t at = 0;
  for (const auto& [length, count] : lengths.counts()) {
    while (length > bars[at].to) ++at;
    bars[at].count += count;
  }
  return bars;
}

}  // namespace sheaf::internal
