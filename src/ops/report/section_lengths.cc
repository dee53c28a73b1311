#include <array>
#include <cstddef>
#include <cstdint>

#include "ops/report/histogram_bins.h"
#include "ops/report/length_costs.h"
#include "ops/report/sections.h"

namespace sheaf::internal {
namespace {

constexpr std::array<int, 7> kPercents = {1, 5, 25, 50, 75, 95, 99};

double padding_share(std::int64_t samples, double padded) {
  return padded > 0 ? 1 - static_cast<double>(samples) / padded : 0;
}

Json padding_json(const DataNumbers& numbers) {
  const auto sums = numbers.padding.sums();
  const std::int64_t samples = numbers.lengths.total();
  Json list = Json::array();
  for (std::size_t i = 0; i < kMinibatchSizes.size(); ++i) {
    list.push_back({{"sequences", kMinibatchSizes[i]},
                    {"file", padding_share(samples, sums[i].file)},
                    {"random", random_padding(numbers.lengths, kMinibatchSizes[i])},
                    {"buckets", padding_share(samples, sums[i].buckets)}});
  }
  return list;
}

Json packing_json(const Histogram& lengths) {
  Json list = Json::array();
  for (const std::int64_t row_length : kRowLengths) {
    const PackedRows packed = packed_rows(lengths, row_length);
    if (packed.rows == 0) continue;
    const double room = static_cast<double>(packed.rows) * static_cast<double>(row_length);
    list.push_back({{"tokens", row_length},
                    {"rows", packed.rows},
                    {"efficiency", static_cast<double>(packed.samples) / room},
                    {"too_long", packed.too_long}});
  }
  return list;
}

}  // namespace

Json lengths_section(const ReportSource& source) {
  const Histogram& lengths = source.numbers.lengths;
  Json json = {{"count", lengths.count()}};
  if (lengths.count() == 0) return json;
  json["min"] = lengths.min();
  json["max"] = lengths.max();
  json["mean"] = lengths.mean();
  Json quantiles = Json::array();
  for (const int percent : kPercents) {
    quantiles.push_back({{"percent", percent}, {"length", lengths.percentile(percent)}});
  }
  json["quantiles"] = std::move(quantiles);
  Json bars = Json::array();
  for (const LengthBar& each : chart_of_lengths(lengths)) {
    bars.push_back({{"from", each.from}, {"to", each.to}, {"count", each.count}});
  }
  json["histogram"] = std::move(bars);
  json["padding"] = padding_json(source.numbers);
  json["packing"] = packing_json(lengths);
  return json;
}

}  // namespace sheaf::internal
