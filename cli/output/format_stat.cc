#include "output/format_stat.h"

#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "output/format_diagnostic.h"
#include "output/format_minibatch.h"
#include "output/table.h"

namespace sheaf::cli {
namespace {

using Row = std::vector<std::string>;

// Six digits are enough to look at.
std::string short_text(double value) { return fmt::format("{:.6g}", value); }

void append_lengths(Row& row, const Histogram& lengths) {
  if (lengths.count() == 0) {
    row.insert(row.end(), 6, kNothing);
    return;
  }
  row.push_back(number_text(lengths.min()));
  row.push_back(short_text(lengths.mean()));
  for (const int percent : {50, 90, 99}) row.push_back(number_text(lengths.percentile(percent)));
  row.push_back(number_text(lengths.max()));
}

void append_value_cells(Row& row, const std::optional<ValueStat>& values) {
  if (!values) {
    row.insert(row.end(), 7, kNothing);
    return;
  }
  row.push_back(number_text(values->count));
  if (values->finite_count() == 0) {
    row.insert(row.end(), 4, kNothing);
  } else {
    for (const double each : {values->min, values->max, values->mean, values->deviation()}) {
      row.push_back(short_text(each));
    }
  }
  row.push_back(number_text(values->zeros));
  row.push_back(number_text(values->non_finite));
}

// JSON has no infinite numbers: sums of very large values may be.
std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

// Stored values of a sample, and their share of all that a sample could have.
struct Density {
  double per_sample;
  double share;
};

std::optional<Density> density_of(const Stream& stream, const StreamStat& stat) {
  if (!stat.values || stat.samples == 0 || !stream.sample_shape.is_fixed()) return std::nullopt;
  const double per_sample =
      static_cast<double>(stat.values->count) / static_cast<double>(stat.samples);
  return Density{per_sample, per_sample / static_cast<double>(stream.sample_shape.size())};
}

void append_json_lengths(std::string& out, const Histogram& lengths) {
  if (lengths.count() == 0) {
    out += "null";
    return;
  }
  fmt::format_to(std::back_inserter(out),
                 "{{\"min\":{},\"mean\":{},\"median\":{},\"p90\":{},\"p99\":{},\"max\":{}}}",
                 lengths.min(), lengths.mean(), lengths.percentile(50), lengths.percentile(90),
                 lengths.percentile(99), lengths.max());
}

void append_json_values(std::string& out, const std::optional<ValueStat>& values) {
  if (!values) {
    out += "null";
    return;
  }
  auto to = std::back_inserter(out);
  fmt::format_to(to, "{{\"stored\":{},\"zeros\":{},\"non_finite\":{}", values->count, values->zeros,
                 values->non_finite);
  if (values->finite_count() == 0) {
    out += ",\"min\":null,\"max\":null,\"mean\":null,\"std\":null}";
    return;
  }
  fmt::format_to(to, ",\"min\":{},\"max\":{},\"mean\":{},\"std\":{}}}", values->min, values->max,
                 json_number(values->mean), json_number(values->deviation()));
}

void append_json_stream(std::string& out, const Stream& stream, const StreamStat& stat) {
  auto to = std::back_inserter(out);
  out += "{\"name\":";
  append_quoted(out, stream.name);
  fmt::format_to(to,
                 ",\"storage\":\"{}\",\"element_type\":\"{}\",\"shape\":[{}],\"samples\":{},"
                 "\"absent\":{},\"lengths\":",
                 to_string(stream.storage), to_string(stream.element_type),
                 fmt::join(stream.sample_shape.extents(), ","), stat.samples, stat.absent);
  append_json_lengths(out, stat.lengths);
  out += ",\"values\":";
  append_json_values(out, stat.values);
  if (const std::optional<Density> density = density_of(stream, stat)) {
    fmt::format_to(to, ",\"values_per_sample\":{},\"density\":{}}}", density->per_sample,
                   density->share);
  } else {
    out += ",\"values_per_sample\":null,\"density\":null}";
  }
}

std::string kind_of(const Stream& stream) {
  return fmt::format("{} {} {}", to_string(stream.storage), to_string(stream.element_type),
                     to_string(stream.sample_shape));
}

}  // namespace

void append_stat(std::string& out, const StatReport& report) {
  const DataStat& data = report.data;
  out += report.path + '\n';
  std::vector<Row> rows = {{"sequences", number_text(data.lengths.count())}};
  rows.push_back({"left out", number_text(data.holes)});
  rows.push_back({"wrong places", number_text(data.places)});
  rows.push_back({"duplicates", report.duplicates ? number_text(*report.duplicates) : kNothing});
  append_table(out, rows, 2);

  out += "\nlengths of sequences, in samples\n";
  rows = {{"", "", "samples", "absent", "min", "mean", "median", "p90", "p99", "max"}};
  for (std::size_t i = 0; i < report.streams.size(); ++i) {
    const StreamStat& stat = data.streams[i];
    const Stream& stream = report.streams[i];
    Row row = {stream.name, kind_of(stream), number_text(stat.samples), number_text(stat.absent)};
    append_lengths(row, stat.lengths);
    rows.push_back(std::move(row));
  }
  Row all = {"(sequence)", "", number_text(data.lengths.total()), ""};
  append_lengths(all, data.lengths);
  rows.push_back(std::move(all));
  append_table(out, rows, 2);

  out += "\nvalues\n";
  rows = {
      {"", "stored", "min", "max", "mean", "std", "zeros", "non-finite", "per sample", "density"}};
  for (std::size_t i = 0; i < report.streams.size(); ++i) {
    Row row = {report.streams[i].name};
    append_value_cells(row, data.streams[i].values);
    const std::optional<Density> density = density_of(report.streams[i], data.streams[i]);
    row.push_back(density ? short_text(density->per_sample) : kNothing);
    row.push_back(density ? fmt::format("{:.4g} %", 100 * density->share) : kNothing);
    rows.push_back(std::move(row));
  }
  append_table(out, rows, 2);
}

void append_stat_json(std::string& out, const StatReport& report) {
  auto to = std::back_inserter(out);
  const DataStat& data = report.data;
  out += "{\"path\":";
  append_quoted(out, report.path);
  fmt::format_to(
      to,
      ",\"sequences\":{},\"samples\":{},\"holes\":{},\"places\":{},\"warning_places\":{},"
      "\"duplicates\":{},\"lengths\":",
      data.lengths.count(), data.lengths.total(), data.holes, data.places, data.warning_places,
      report.duplicates ? number_text(*report.duplicates) : "null");
  append_json_lengths(out, data.lengths);
  out += ",\"streams\":[";
  for (std::size_t i = 0; i < report.streams.size(); ++i) {
    if (i > 0) out += ',';
    append_json_stream(out, report.streams[i], data.streams[i]);
  }
  out += "],\"warnings\":[";
  for (std::size_t i = 0; i < report.warnings.size(); ++i) {
    if (i > 0) out += ',';
    append_diagnostic(out, report.warnings[i]);
  }
  out += "]}\n";
}

}  // namespace sheaf::cli
