// The section about streams: a table of all streams, and a chart of the values of each stream.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/text.h"
#include "ops/report/page_chart.h"
#include "ops/report/page_histogram.h"
#include "ops/report/page_sections.h"
#include "ops/report/page_table.h"
#include "ops/report/page_text.h"

namespace sheaf::internal::page {
namespace {

constexpr std::size_t kStreamRowsMax = 200;
constexpr std::size_t kStreamChartsMax = 24;

std::string shape_html(const Json& stream) {
  const Json::array_t& extents = list_in(stream, "shape");
  if (extents.empty()) return "one value";
  std::string out;
  for (const Json& each : extents) {
    if (!out.empty()) out += "&nbsp;&times;&nbsp;";
    out += each.is_number() ? value_html(each) : "any";
  }
  return out;
}

// Returns the share of non-zero values of a sparse or dense stream.
std::string density_html(const Json& stream) {
  const Json& density = field(stream, "density");
  if (const auto per_sample = number_in(density, "per_sample")) {
    return value_text(*per_sample) + " per sample";
  }
  const Json& values = field(stream, "values");
  const auto count = number_in(values, "count");
  const auto zeros = number_in(values, "zeros");
  if (!count || !zeros || *count <= 0) return {};
  return share_text(1 - *zeros / *count);
}

void add_stream_row(Table& table, const Json& stream) {
  const Json& values = field(stream, "values");
  const auto value = [&values](const char* name) {
    return shown_if(number_in(values, name), value_text);
  };
  const auto count = [](const Json& from, const char* name) {
    return shown_if(count_in(from, name), count_text);
  };
  std::string name = marked(text_in(stream, "name"));
  if (field(stream, "label") == true) name += " <span class=\"soft\">label</span>";
  table.add({name, marked(text_in(stream, "kind")) + " " + marked(text_in(stream, "type")),
             shape_html(stream), count(stream, "samples"), count(stream, "absent"), value("min"),
             value("mean"), value("max"), value("deviation"), density_html(stream),
             count(values, "non_finite")});
}

// Lists examples: "value 3" or "for example values 3, 7".
std::string constant_examples(const Json& dims, std::int64_t constant) {
  const Json::array_t& examples = list_in(dims, "examples");
  std::string out;
  for (const Json& each : examples) out += (out.empty() ? "" : ", ") + value_html(each);
  if (out.empty()) return out;
  const bool is_all = std::ssize(examples) >= constant;
  return formatted("{}{} {}", is_all ? ": " : ", for example ",
                   examples.size() == 1 ? "value" : "values", out);
}

std::string dims_html(const Json& dims) {
  const std::int64_t constant = count_in(dims, "constant").value_or(0);
  const std::int64_t zero = count_in(dims, "always_zero").value_or(0);
  if (constant + zero == 0) return {};
  std::string out =
      formatted("{} of {} values in a sample never {}{}.", count_text(constant),
                count_text(count_in(dims, "count").value_or(0)),
                constant == 1 ? "changes" : "change", constant_examples(dims, constant));
  if (zero > 0 && zero == constant) {
    out += constant == 1 ? " It is always 0." : " They are always 0.";
  } else if (zero > 0) {
    out += formatted(" {} of them {} always 0.", count_text(zero), zero == 1 ? "is" : "are");
  }
  return paragraph(out);
}

std::string stream_figure(const Json& stream) {
  const std::string name = text_in(stream, "name");
  const std::vector<HistogramBin> bins = histogram_bins(field(stream, "histogram"));
  const std::string dims = dims_html(field(stream, "dims"));
  if (bins.empty() && dims.empty()) return {};
  if (bins.size() == 1 && bins[0].from == bins[0].to) {
    return figure(marked(name),
                  paragraph("Every value is " + value_text(bins[0].from) + ".") + dims, "");
  }
  const std::string chart = bins.empty() ? std::string() : value_histogram(bins, plain(name));
  return figure(marked(name), chart + dims,
                bins.empty() ? std::string() : histogram_table(bins, "Values", "values"));
}

}  // namespace

std::string streams_body(const Json& report) {
  const Json::array_t& streams = list_in(report, "streams");
  if (streams.empty()) return {};
  Table table("Streams", {{"Stream"},
                          {"Kind", CellKind::word},
                          {"Shape", CellKind::word},
                          {"Samples", CellKind::number},
                          {"Absent in", CellKind::number},
                          {"Lowest", CellKind::number},
                          {"Mean", CellKind::number},
                          {"Highest", CellKind::number},
                          {"Deviation", CellKind::number},
                          {"Not zero", CellKind::number},
                          {"Not finite", CellKind::number}});
  for (std::size_t i = 0; i < std::min(streams.size(), kStreamRowsMax); ++i) {
    add_stream_row(table, streams[i]);
  }
  std::string out = paragraph(
      "A row is one input or label. Look for a range that you do not expect, for values that are "
      "not finite, and for values that never change: a network learns nothing from the last.");
  out += table.html() + left_out_html(streams.size(), kStreamRowsMax, "streams");
  std::string charts;
  for (std::size_t i = 0; i < std::min(streams.size(), kStreamChartsMax); ++i) {
    charts += stream_figure(streams[i]);
  }
  if (charts.empty()) return out;
  return out + "<h3>How often each value occurs</h3>\n<div class=\"grid\">\n" + charts +
         "</div>\n" + left_out_html(streams.size(), kStreamChartsMax, "charts");
}

}  // namespace sheaf::internal::page
