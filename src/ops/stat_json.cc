// Writes the output of `sheaf stat --json`.

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/json.h"
#include "sheaf/stat.h"

#include "base/text.h"
#include "ops/stat_parts.h"

namespace sheaf {
namespace {

// Writes null for a variable extent.
std::string joined(std::span<const std::int64_t> extents) {
  std::string text;
  for (const std::int64_t each : extents) {
    text += text.empty() ? "" : ",";
    text += each == Shape::kVariable ? "null" : std::to_string(each);
  }
  return text;
}

// JSON has no infinite numbers, but sums of very large values may be infinite.
std::string json_number(double value) {
  return std::isfinite(value) ? formatted("{}", value) : "null";
}

void append_json_lengths(std::string& out, const Histogram& lengths) {
  if (lengths.count() == 0) {
    out += "null";
    return;
  }
  out += formatted("{{\"min\":{},\"mean\":{},\"median\":{},\"p90\":{},\"p99\":{},\"max\":{}}}",
                   lengths.min(), lengths.mean(), lengths.percentile(50), lengths.percentile(90),
                   lengths.percentile(99), lengths.max());
}

void append_json_values(std::string& out, const std::optional<ValueStat>& values) {
  if (!values) {
    out += "null";
    return;
  }
  out += formatted("{{\"stored\":{},\"zeros\":{},\"non_finite\":{}", values->count, values->zeros,
                   values->non_finite);
  if (values->finite_count() == 0) {
    out += ",\"min\":null,\"max\":null,\"mean\":null,\"std\":null}";
    return;
  }
  out += formatted(",\"min\":{},\"max\":{},\"mean\":{},\"std\":{}}}", values->min, values->max,
                   json_number(values->mean), json_number(values->deviation()));
}

void append_json_extents(std::string& out, const StreamStat& stat) {
  out += ",\"extents\":[";
  for (std::size_t axis = 0; axis < stat.extents.size(); ++axis) {
    const ExtentStat& extent = stat.extents[axis];
    out += formatted("{}{{\"min\":{},\"mean\":{},\"max\":{}}}", axis == 0 ? "" : ",", extent.min,
                     extent.sum / static_cast<double>(stat.samples), extent.max);
  }
  out += ']';
}

void append_json_names(std::string& out, const std::vector<std::string>& names) {
  out += '[';
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += ',';
    out += json_text(names[i]);
  }
  out += ']';
}

void append_json_stream(std::string& out, const Stream& stream, const StreamStat& stat) {
  out += "{\"name\":";
  out += json_text(stream.name);
  out += formatted(
      ",\"storage\":\"{}\",\"element_type\":\"{}\",\"shape\":[{}],\"samples\":{},"
      "\"absent\":{},\"lengths\":",
      to_string(stream.storage), to_string(stream.element_type),
      joined(stream.sample_shape.extents()), stat.samples, stat.absent);
  append_json_lengths(out, stat.lengths);
  if (!stream.sample_shape.is_fixed()) append_json_extents(out, stat);
  if (stream.class_names) {
    out += ",\"class_names\":";
    append_json_names(out, *stream.class_names);
  }
  out += ",\"values\":";
  append_json_values(out, stat.values);
  if (const std::optional<Density> density = stat.density(stream)) {
    out += formatted(",\"values_per_sample\":{},\"density\":{}}}", density->per_sample,
                     density->share);
  } else {
    out += ",\"values_per_sample\":null,\"density\":null}";
  }
}

void append_json_storage(std::string& out, std::span<const StorageNote> storage) {
  out += ",\"storage\":[";
  for (const StorageNote& each : storage) {
    if (&each != &storage.front()) out += ',';
    out += formatted(
        "{{\"stream\":{},\"array\":\"{}\",\"codec\":\"{}\",\"arrays\":{},\"content_bytes\":{},"
        "\"stored_bytes\":{}}}",
        each.stream.empty() ? "null" : json_text(each.stream), each.array, each.codec,
        each.array_count, each.content_bytes, each.stored_bytes);
  }
  out += ']';
}

}  // namespace

std::string to_json(const StatReport& report, std::string_view path) {
  std::string out;
  out += "{\"path\":";
  out += json_text(path);
  out += formatted(
      ",\"sequences\":{},\"samples\":{},\"holes\":{},\"places\":{},\"warning_places\":{},"
      "\"duplicates\":{},\"lengths\":",
      report.lengths.count(), report.lengths.total(), report.holes, report.error_count,
      report.warning_count, report.duplicates ? std::to_string(*report.duplicates) : "null");
  append_json_lengths(out, report.lengths);
  if (report.cost && report.lengths.count() + report.holes > 0) {
    const auto count = static_cast<double>(report.lengths.count() + report.holes);
    out += formatted(",\"cost\":{{\"name\":{},\"total\":{},\"min\":{},\"mean\":{},\"max\":{}}}",
                     json_text(report.cost->name), report.cost->total, report.cost->min,
                     static_cast<double>(report.cost->total) / count, report.cost->max);
  }
  out += ",\"streams\":[";
  for (std::size_t i = 0; i < report.streams.size(); ++i) {
    if (i > 0) out += ',';
    append_json_stream(out, report.streams[i], report.stream_stats[i]);
  }
  out += ']';
  if (!report.storage.empty()) append_json_storage(out, report.storage);
  out += ",\"warnings\":[";
  for (std::size_t i = 0; i < report.warnings.size(); ++i) {
    if (i > 0) out += ',';
    out += json_text(report.warnings[i]);
  }
  out += ']';
  if (report.part) out += ",\"part\":" + internal::json_of(*report.part, report).dump();
  out += "}\n";
  return out;
}

}  // namespace sheaf
