// The section about lengths: how long sequences are, and what padding and packing would cost.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/text.h"
#include "ops/report/page_chart.h"
#include "ops/report/page_histogram.h"
#include "ops/report/page_scale.h"
#include "ops/report/page_sections.h"
#include "ops/report/page_table.h"
#include "ops/report/page_text.h"

namespace sheaf::internal::page {
namespace {

constexpr std::size_t kCostRowsMax = 32;
constexpr std::int64_t kUsualMinibatch = 64;

struct PaddingCurve {
  const char* field_name;
  const char* title;
};

constexpr PaddingCurve kCurves[] = {
    {"file", "order of the file"},
    {"random", "random order"},
    {"buckets", "similar lengths together"},
};

std::string quantile_table(const Json& lengths) {
  Table table("Quantiles of the lengths",
              {{"Share of sequences"}, {"Samples, at most", CellKind::number}});
  for (const Json& each : list_in(lengths, "quantiles")) {
    const std::optional<double> percent = number_in(each, "percent");
    const std::optional<double> length = number_in(each, "length");
    if (percent && length) table.add({value_text(*percent) + "&nbsp;%", value_text(*length)});
  }
  return table.folded("Quantiles");
}

std::string length_summary(const Json& lengths) {
  std::optional<double> median;
  for (const Json& each : list_in(lengths, "quantiles")) {
    if (number_in(each, "percent") == 50.0) median = number_in(each, "length");
  }
  const std::optional<std::int64_t> longest = count_in(lengths, "max");
  if (!longest) return {};
  if (count_in(lengths, "min") == longest) {
    return formatted("Every sequence has {}, so no padding is needed.",
                     counted(*longest, "sample", "samples"));
  }
  std::string out;
  if (median) {
    out = formatted("Half of the sequences have {} {} or fewer. ", value_text(*median),
                    *median == 1 ? "sample" : "samples");
  }
  return out + formatted(
                   "The longest has {}. Long sequences decide how much memory a minibatch takes, "
                   "and lengths that differ cost padding.",
                   count_text(*longest));
}

const Json& usual_padding(const Json& lengths) {
  const Json& list = field(lengths, "padding");
  for (const Json& each : list_in(lengths, "padding")) {
    if (count_in(each, "sequences") == kUsualMinibatch) return each;
  }
  return element(list, 0);
}

std::string padding_sentence(const Json& lengths) {
  const Json& usual = usual_padding(lengths);
  const std::optional<double> random = number_in(usual, "random");
  const std::optional<double> buckets = number_in(usual, "buckets");
  if (!random || !buckets) return {};
  return formatted(
      "<p>Padding fills the shorter sequences of a minibatch up to the longest. With {} in a "
      "minibatch, {} of the array would be padding in random order, and {} with similar lengths "
      "together. <code>batching=\"bucketed\"</code> brings similar lengths together.</p>\n",
      counted(count_in(usual, "sequences").value_or(0), "sequence", "sequences"),
      share_text(*random), share_text(*buckets));
}

std::string padding_figure(const Json& lengths) {
  const Json::array_t& rows = list_in(lengths, "padding");
  if (rows.empty() || rows.size() > kCostRowsMax) return {};
  Table table("Share of padding by sequences in a minibatch",
              {{"Sequences in a minibatch"},
               {"Order of the file", CellKind::number},
               {"Random order", CellKind::number},
               {"Similar lengths together", CellKind::number}});
  double largest = 0;
  for (const Json& each : rows) {
    std::vector<std::string> cells = {shown_if(count_in(each, "sequences"), count_text)};
    for (const PaddingCurve& curve : kCurves) {
      const std::optional<double> share = number_in(each, curve.field_name);
      largest = std::max(largest, share.value_or(0));
      cells.push_back(shown_if(share, share_text));
    }
    table.add(cells);
  }
  if (largest == 0) return {};  // all lines would be zero
  const Scale shares = scale_from_zero(largest);
  Axes axes = {"Share of padding by sequences in a minibatch",
               "sequences in a minibatch",
               {},
               three_ticks(shares, share_text)};
  std::vector<Line> lines;
  for (const PaddingCurve& curve : kCurves) lines.push_back({curve.title, {}});
  const double last = rows.size() > 1 ? static_cast<double>(rows.size() - 1) : 1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double x = static_cast<double>(i) / last;
    axes.x.push_back({x, shown_if(count_in(rows[i], "sequences"), count_text)});
    for (std::size_t c = 0; c < lines.size(); ++c) {
      const std::optional<double> share = number_in(rows[i], kCurves[c].field_name);
      if (!share) continue;
      lines[c].points.push_back(
          {x, shares.at(*share),
           formatted("{}, {}: {}", axes.x.back().text, kCurves[c].title, share_text(*share))});
    }
  }
  return figure("Padding in a minibatch", line_chart(axes, lines),
                table.folded("Table of this chart"));
}

std::string packing_html(const Json& lengths) {
  Table table("How full packed rows are", {{"Samples in a row", CellKind::number},
                                           {"Full", CellKind::number},
                                           {"Too long", CellKind::number},
                                           {"", CellKind::word}});
  for (const Json& each : list_in(lengths, "packing")) {
    const std::optional<double> efficiency = number_in(each, "efficiency");
    if (!efficiency || table.row_count() == kCostRowsMax) continue;
    table.add({shown_if(count_in(each, "tokens"), count_text), share_text(*efficiency),
               shown_if(count_in(each, "too_long"), count_text), meter(*efficiency)});
  }
  if (table.row_count() == 0) return {};
  return "<h3>Packing into rows</h3>\n" +
         paragraph(
             "Packing lays several sequences into one row of a fixed length, with "
             "<code>packing=\"packed\"</code> and <code>row_samples</code>. Choose a row "
             "that is nearly full and that holds your longest sequences.") +
         table.html();
}

}  // namespace

std::string lengths_body(const Json& report) {
  const Json& lengths = field(report, "lengths");
  if (!lengths.is_object()) return {};
  std::string out = paragraph(length_summary(lengths));
  const std::vector<HistogramBin> bins = histogram_bins(field(lengths, "histogram"));
  if (bins.size() > 1) {
    out += figure("Lengths of sequences", length_histogram(bins),
                  histogram_table(bins, "Samples", "sequences") + quantile_table(lengths));
  }
  const std::string padding = padding_figure(lengths);
  if (!padding.empty()) out += "<h3>Padding</h3>\n" + padding_sentence(lengths) + padding;
  return out + packing_html(lengths);
}

}  // namespace sheaf::internal::page
