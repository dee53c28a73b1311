#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sheaf/stat.h"

#include "ops/report/histogram_bins.h"
#include "ops/report/sections.h"

namespace sheaf::internal {
namespace {

constexpr std::size_t kDimExamplesMax = 10;

Json shape_json(const Shape& shape) {
  Json list = Json::array();
  for (const std::int64_t each : shape.extents()) {
    list.push_back(each == Shape::kVariable ? Json(nullptr) : Json(each));
  }
  return list;
}

Json extents_json(const StreamNumbers& stream) {
  Json list = Json::array();
  for (const ExtentStat& each : stream.part.extents) {
    list.push_back({{"min", each.min},
                    {"max", each.max},
                    {"mean", each.sum / static_cast<double>(stream.part.samples)}});
  }
  return list;
}

Json dims_json(const DimRanges& dims) {
  std::int64_t constant = 0;
  std::int64_t zero = 0;
  Json examples = Json::array();
  for (std::size_t i = 0; i < dims.low.size(); ++i) {
    if (dims.low[i] != dims.high[i]) continue;
    ++constant;
    zero += dims.low[i] == 0 ? 1 : 0;
    if (examples.size() < kDimExamplesMax) examples.push_back(i);
  }
  Json json = {{"count", dims.low.size()}, {"constant", constant}, {"always_zero", zero}};
  if (!examples.empty()) json["examples"] = std::move(examples);
  return json;
}

void set_density(const Stream& stream, const StreamPart& part, Json& json) {
  if (stream.storage != Storage::sparse || part.samples == 0) return;
  const double each = static_cast<double>(part.values.count) / static_cast<double>(part.samples);
  json["density"] = {{"per_sample", each},
                     {"share", each / static_cast<double>(stream.sample_shape.size())}};
}

Json stream_json(const ReportSource& source, std::size_t s) {
  const Stream& stream = source.numbers.streams[s];
  const StreamNumbers& numbers = source.numbers.stream_numbers[s];
  Json json = {{"name", cut_text(stream.name)},
               {"kind", to_string(stream.storage)},
               {"type", to_string(stream.element_type)},
               {"shape", shape_json(stream.sample_shape)},
               {"label", static_cast<bool>(source.numbers.labels[s])},
               {"samples", numbers.part.samples},
               {"absent", numbers.part.absent}};
  if (!numbers.part.extents.empty()) json["extents"] = extents_json(numbers);
  set_density(stream, numbers.part, json);
  if (numbers.part.values.count == 0) return json;
  json["values"] = value_numbers(numbers.part.values, source.shows_values);
  if (source.shows_values) {
    const ValueChart chart =
        chart_of_values(stream.element_type, numbers.part.values, numbers.bins);
    Json bars = Json::array();
    for (const ValueBar& each : chart.bars) {
      bars.push_back({{"from", each.from}, {"to", each.to}, {"count", each.count}});
    }
    json["even_bars"] = chart.is_even;
    json["histogram"] = std::move(bars);
  }
  if (!numbers.dims.low.empty()) json["dims"] = dims_json(numbers.dims);
  return json;
}

}  // namespace

Json streams_section(const ReportSource& source) {
  Json list = Json::array();
  for (std::size_t s = 0; s < source.numbers.detailed(); ++s) {
    list.push_back(stream_json(source, s));
  }
  return list;
}

}  // namespace sheaf::internal
