#include "ops/stat_parts.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "sheaf/error.h"

#include "base/saturated.h"
#include "base/text.h"
#include "core/json_numbers.h"
#include "core/json_text.h"
#include "ops/data_stat.h"

namespace sheaf::internal {
namespace {

using StatJson = nlohmann::ordered_json;

// Writes a double as its bits, since JSON has no infinite numbers.
std::uint64_t bits_of(double value) noexcept { return std::bit_cast<std::uint64_t>(value); }
double of_bits(const StatJson& bits) { return std::bit_cast<double>(bits_of_json(bits)); }

StatJson json_of_counts(const Histogram& histogram) {
  StatJson list = StatJson::array();
  for (const auto& [number, count] : histogram.counts()) list.push_back({number, count});
  return list;
}

constexpr std::int64_t kTotalMax = std::int64_t{1} << 62;

void add_counts(Histogram& histogram, const StatJson& list) {
  for (const StatJson& each : list) {
    const std::int64_t number = count_of(each.at(0));
    const std::int64_t count = count_of(each.at(1));
    const std::int64_t total = saturated_sum(histogram.total(), saturated_product(number, count));
    if (total > kTotalMax || histogram.count() > kTotalMax) {
      throw ConfigError("merge: the lengths of a report are out of range");
    }
    histogram.add(number, count);
  }
}

StatJson json_of_values(const ValueStat& values) {
  return {values.count,        values.zeros,         values.non_finite,      bits_of(values.min),
          bits_of(values.max), bits_of(values.mean), bits_of(values.squares)};
}

ValueStat values_of_json(const StatJson& json) {
  const std::int64_t count = count_of(json.at(0));
  const std::int64_t non_finite = count_of(json.at(2));
  if (non_finite > count) throw ConfigError("merge: the values of a report are out of range");
  return {.count = count,
          .zeros = count_of(json.at(1)),
          .non_finite = non_finite,
          .min = of_bits(json.at(3)),
          .max = of_bits(json.at(4)),
          .mean = of_bits(json.at(5)),
          .squares = of_bits(json.at(6))};
}

// Hexadecimal digits of a 64-bit word. The hash of a sequence has two words.
constexpr std::size_t kHashDigits = 16;

std::string text_of_contents(const StatPart& part) {
  std::string text;
  text.reserve(2 * kHashDigits * part.contents.size());
  for (const auto& [low, high] : part.contents) text += formatted("{:016x}{:016x}", low, high);
  return text;
}

void add_contents(DataStat& all, const StatJson& json) {
  const auto& text = json.get_ref<const std::string&>();
  if (text.size() % (2 * kHashDigits) != 0) throw ConfigError("hashes are cut off");
  const auto number = [&text](std::size_t begin) {
    std::uint64_t value = 0;
    const char* const first = text.data() + begin;
    const auto [stop, error] = std::from_chars(first, first + kHashDigits, value, 16);
    if (stop != first + kHashDigits) throw ConfigError("a hash is no number");
    return value;
  };
  for (std::size_t i = 0; i < text.size(); i += 2 * kHashDigits) {
    all.contents.emplace_back(number(i), number(i + kHashDigits));
  }
}

// Returns the stream that a JSON report describes, with the fields that to_json() needs.
Stream stream_of(const StatJson& json) {
  Stream stream;
  stream.name = json.at("name").get<std::string>();
  stream.storage = json.at("storage") == "sparse" ? Storage::sparse : Storage::dense;
  const auto type = json.at("element_type").get<std::string>();
  bool is_known = false;
  for (const ElementType each :
       {ElementType::u8, ElementType::u16, ElementType::i32, ElementType::i64, ElementType::f16,
        ElementType::bf16, ElementType::f32, ElementType::f64, ElementType::bytes}) {
    if (to_string(each) != type) continue;
    stream.element_type = each;
    is_known = true;
  }
  if (!is_known) throw ConfigError("an element type is unknown");
  std::vector<std::int64_t> extents;
  for (const StatJson& extent : json.at("shape")) {
    extents.push_back(extent.is_null() ? Shape::kVariable : whole_of(extent));
  }
  if (extents.size() > std::size_t{Shape::kRankMax}) throw ConfigError("a shape has a wrong rank");
  stream.sample_shape = Shape(std::span<const std::int64_t>(extents));
  if (json.contains("class_names")) {
    stream.class_names = std::make_shared<const std::vector<std::string>>(
        json.at("class_names").get<std::vector<std::string>>());
  }
  return stream;
}

void add_stream(StreamStat& all, const StatJson& of_report, const StatJson& of_part) {
  add_counts(all.lengths, of_part.at("lengths"));
  all.samples = saturated_sum(all.samples, count_of(of_report.at("samples")));
  all.absent = saturated_sum(all.absent, count_of(of_report.at("absent")));
  for (const StatJson& unit : of_part.at("values")) {
    if (!all.values) all.values.emplace();
    all.values->add(values_of_json(unit));
  }
  const StatJson& extents = of_part.at("extents");
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const StatJson& each = extents[axis];
    const ExtentStat more{
        .min = count_of(each.at(0)), .max = count_of(each.at(1)), .sum = of_bits(each.at(2))};
    if (axis == all.extents.size()) {
      all.extents.push_back(more);
      continue;
    }
    ExtentStat& known = all.extents[axis];
    known.min = std::min(known.min, more.min);
    known.max = std::max(known.max, more.max);
    known.sum += more.sum;
  }
}

// A cost may be any number from 0 up.
std::int64_t cost_of(const StatJson& json) {
  const std::int64_t number = whole_of(json);
  if (number < 0) throw ConfigError("merge: a cost of a report is negative");
  return number;
}

void add_cost(std::optional<CostStat>& all, const StatJson& part) {
  if (!part.contains("cost")) return;
  const StatJson& json = part.at("cost");
  const CostStat cost{.name = json.at("name").get<std::string>(),
                      .total = cost_of(json.at("total")),
                      .min = cost_of(json.at("min")),
                      .max = cost_of(json.at("max"))};
  if (!all) {
    all = cost;
    return;
  }
  all->total = saturated_sum(all->total, cost.total);
  all->min = std::min(all->min, cost.min);
  all->max = std::max(all->max, cost.max);
}

}  // namespace

StatJson json_of(const StatPart& part, const StatReport& report) {
  StatJson json = {{"number", part.part.number},
                   {"count", part.part.count},
                   {"source", json_of_bytes(part.source)},
                   {"duplicates", report.duplicates.has_value()},
                   {"lengths", json_of_counts(report.lengths)},
                   {"streams", StatJson::array()}};
  for (std::size_t i = 0; i < report.stream_stats.size(); ++i) {
    const StreamStat& stat = report.stream_stats[i];
    StatJson stream = {{"lengths", json_of_counts(stat.lengths)},
                       {"values", StatJson::array()},
                       {"extents", StatJson::array()}};
    for (const ValueStat& unit : part.values[i]) stream["values"].push_back(json_of_values(unit));
    for (const ExtentStat& each : stat.extents) {
      stream["extents"].push_back({each.min, each.max, bits_of(each.sum)});
    }
    json["streams"].push_back(std::move(stream));
  }
  json["contents"] = text_of_contents(part);
  return json;
}

std::string merged_stat(const std::vector<StatJson>& parts) {
  const StatJson& first = parts.front();
  DataStat all;
  StatReport& counts = all.counts;
  for (const StatJson& stream : first.at("streams")) counts.streams.push_back(stream_of(stream));
  counts.stream_stats.resize(counts.streams.size());
  StatJson warnings = StatJson::array();
  for (const StatJson& report : parts) {
    const StatJson& part = report.at("part");
    add_counts(counts.lengths, part.at("lengths"));
    counts.holes = saturated_sum(counts.holes, count_of(report.at("holes")));
    counts.error_count = saturated_sum(counts.error_count, count_of(report.at("places")));
    counts.warning_count =
        saturated_sum(counts.warning_count, count_of(report.at("warning_places")));
    add_cost(counts.cost, report);
    for (std::size_t i = 0; i < counts.streams.size(); ++i) {
      add_stream(counts.stream_stats[i], report.at("streams").at(i), part.at("streams").at(i));
    }
    add_contents(all, part.at("contents"));
    for (const StatJson& each : report.at("warnings")) warnings.push_back(each);
  }
  if (first.at("part").at("duplicates").get<bool>()) counts.duplicates = all.duplicates();
  if (first.contains("storage")) {
    for (const StatJson& each : first.at("storage")) {
      const StatJson& stream = each.at("stream");
      counts.storage.push_back(
          {.stream = stream.is_null() ? std::string() : stream.get<std::string>(),
           .array = each.at("array").get<std::string>(),
           .codec = each.at("codec").get<std::string>(),
           .array_count = whole_of(each.at("arrays")),
           .content_bytes = whole_of(each.at("content_bytes")),
           .stored_bytes = whole_of(each.at("stored_bytes"))});
    }
  }
  // Insert the warnings as JSON, since a report does not have all fields of a Diagnostic.
  constexpr std::string_view kNoWarnings = "[]}\n";
  std::string text = to_json(counts, first.at("path").get<std::string>());
  text.resize(text.size() - kNoWarnings.size());
  return text + warnings.dump() + "}\n";
}

}  // namespace sheaf::internal
