#include "output/format_stat.h"

#include <cstddef>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "output/format_minibatch.h"
#include "output/table.h"

namespace sheaf::cli {
namespace {

using Row = std::vector<std::string>;

// Returns a number with six digits, enough for people.
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

std::string kind_of(const Stream& stream) {
  return fmt::format("{} {} {}", to_string(stream.storage), to_string(stream.element_type),
                     to_string(stream.sample_shape));
}

// Appends the extents of samples of variable shape.
void append_extents(std::string& out, const StatReport& report) {
  std::vector<Row> rows = {{"", "axis", "min", "mean", "max"}};
  for (std::size_t i = 0; i < report.streams.size(); ++i) {
    const StreamStat& stat = report.stream_stats[i];
    for (std::size_t axis = 0; axis < stat.extents.size(); ++axis) {
      const ExtentStat& extent = stat.extents[axis];
      const bool is_opaque = report.streams[i].element_type == ElementType::bytes;
      rows.push_back({report.streams[i].name, is_opaque ? "bytes" : std::to_string(axis),
                      number_text(extent.min),
                      short_text(extent.sum / static_cast<double>(stat.samples)),
                      number_text(extent.max)});
    }
  }
  if (rows.size() == 1) return;
  out += "\nextents of samples of variable shape\n";
  append_table(out, rows, 2);
}

// Appends the size of each compressed array in the files.
void append_storage(std::string& out, const StatReport& report) {
  std::vector<Row> rows = {{"", "array", "codec", "bytes", "stored", "share"}};
  for (const StorageNote& each : report.storage) {
    if (each.content_bytes == 0) continue;
    const double share =
        static_cast<double>(each.stored_bytes) / static_cast<double>(each.content_bytes);
    rows.push_back({each.stream.empty() ? "(keys)" : each.stream, each.array, each.codec,
                    number_text(each.content_bytes), number_text(each.stored_bytes),
                    fmt::format("{:.3g} %", 100 * share)});
  }
  if (rows.size() == 1) return;
  out += "\nstorage\n";
  append_table(out, rows, 2);
}

}  // namespace

void append_stat(std::string& out, const std::string& path, const StatReport& report) {
  out += path + '\n';
  std::vector<Row> rows = {{"sequences", number_text(report.lengths.count())}};
  rows.push_back({"left out", number_text(report.holes)});
  rows.push_back({"wrong places", number_text(report.error_count)});
  rows.push_back({"duplicates", report.duplicates ? number_text(*report.duplicates) : kNothing});
  append_table(out, rows, 2);
  if (report.cost) {
    out += fmt::format("  cost, in {}: {} to {} for a sequence, {} together\n", report.cost->name,
                       report.cost->min, report.cost->max, report.cost->total);
  }

  out += "\nlengths of sequences, in samples\n";
  rows = {{"", "", "samples", "absent", "min", "mean", "median", "p90", "p99", "max"}};
  for (std::size_t i = 0; i < report.streams.size(); ++i) {
    const StreamStat& stat = report.stream_stats[i];
    const Stream& stream = report.streams[i];
    Row row = {stream.name, kind_of(stream), number_text(stat.samples), number_text(stat.absent)};
    append_lengths(row, stat.lengths);
    rows.push_back(std::move(row));
  }
  Row all = {"(sequence)", "", number_text(report.lengths.total()), ""};
  append_lengths(all, report.lengths);
  rows.push_back(std::move(all));
  append_table(out, rows, 2);

  out += "\nvalues\n";
  rows = {
      {"", "stored", "min", "max", "mean", "std", "zeros", "non-finite", "per sample", "density"}};
  for (std::size_t i = 0; i < report.streams.size(); ++i) {
    Row row = {report.streams[i].name};
    append_value_cells(row, report.stream_stats[i].values);
    const std::optional<Density> density = report.stream_stats[i].density(report.streams[i]);
    row.push_back(density ? short_text(density->per_sample) : kNothing);
    row.push_back(density ? fmt::format("{:.4g} %", 100 * density->share) : kNothing);
    rows.push_back(std::move(row));
  }
  append_table(out, rows, 2);
  append_extents(out, report);
  append_storage(out, report);
}

}  // namespace sheaf::cli
