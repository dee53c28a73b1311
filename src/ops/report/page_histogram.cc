#include "ops/report/page_histogram.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "base/text.h"
#include "ops/report/page_chart.h"
#include "ops/report/page_scale.h"
#include "ops/report/page_table.h"
#include "ops/report/page_text.h"

namespace sheaf::internal::page {
namespace {

std::string range_html(const HistogramBin& bin) {
  if (bin.from == bin.to) return value_text(bin.from);
  return value_text(bin.from) + " to " + value_text(bin.to);
}

double largest_count(const std::vector<HistogramBin>& bins) {
  std::int64_t largest = 0;
  for (const HistogramBin& each : bins) largest = std::max(largest, each.count);
  return static_cast<double>(largest);
}

std::vector<Bar> bars_of(const std::vector<HistogramBin>& bins, const Scale& counts) {
  std::vector<Bar> bars;
  bars.reserve(bins.size());
  for (const HistogramBin& each : bins) {
    bars.push_back({counts.at(static_cast<double>(each.count)),
                    range_html(each) + ": " + count_text(each.count)});
  }
  return bars;
}

// Marks below bars name the lower ends of bins. All bars have the same width.
std::vector<Tick> bin_marks(const std::vector<HistogramBin>& bins, std::size_t marks) {
  const std::size_t step = (bins.size() + marks - 1) / marks;
  std::vector<Tick> ticks;
  for (std::size_t i = 0; i < bins.size(); i += step) {
    ticks.push_back({(static_cast<double>(i) + 0.5) / static_cast<double>(bins.size()),
                     value_text(bins[i].from)});
  }
  return ticks;
}

bool are_equally_wide(const std::vector<HistogramBin>& bins) {
  constexpr double kSlack = 1e-3;
  const double width = (bins.back().to - bins.front().from) / static_cast<double>(bins.size());
  return width > 0 && std::all_of(bins.begin(), bins.end(), [width](const HistogramBin& each) {
           return std::abs(each.to - each.from - width) <= kSlack * width;
         });
}

// Counts are integers, so a middle mark of 0.5 would be useless.
std::vector<Tick> count_ticks(const Scale& counts) {
  if (counts.high < 2) return {{0, "0"}, {1, value_text(counts.high)}};
  return three_ticks(counts, value_text);
}

}  // namespace

std::vector<HistogramBin> histogram_bins(const Json& list) {
  std::vector<HistogramBin> bins;
  if (!list.is_array()) return bins;
  for (const Json& each : list) {
    const std::optional<double> from = number_in(each, "from");
    const std::optional<double> to = number_in(each, "to");
    const std::optional<std::int64_t> count = count_in(each, "count");
    if (from && to && count && bins.size() < kBinsMax) bins.push_back({*from, *to, *count});
  }
  return bins;
}

std::string value_histogram(const std::vector<HistogramBin>& bins, std::string_view name) {
  const Scale counts = scale_from_zero(largest_count(bins));
  const Scale values = {bins.front().from, bins.back().to};
  constexpr int kParts = 4;
  const Axes axes = {
      formatted("Histogram of the values of {}", name), "",
      are_equally_wide(bins) ? round_ticks(values, value_text, kParts) : bin_marks(bins, kParts),
      count_ticks(counts), true};
  return bar_chart(axes, bars_of(bins, counts));
}

std::string length_histogram(const std::vector<HistogramBin>& bins) {
  constexpr std::size_t kMarks = 6;
  const Scale counts = scale_from_zero(largest_count(bins));
  const Axes axes = {"Histogram of the lengths of sequences", "samples in a sequence",
                     bin_marks(bins, kMarks), count_ticks(counts)};
  return bar_chart(axes, bars_of(bins, counts));
}

std::string histogram_table(const std::vector<HistogramBin>& bins, std::string_view what,
                            std::string_view counted_as) {
  Table table(formatted("{} and how many {} there are", what, counted_as),
              {{what}, {"Count", CellKind::number}});
  for (const HistogramBin& each : bins) table.add({range_html(each), count_text(each.count)});
  return table.folded("Table of this chart");
}

}  // namespace sheaf::internal::page
