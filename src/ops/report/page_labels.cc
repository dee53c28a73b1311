// The section about streams that look like labels or ids.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/text.h"
#include "ops/report/page_chart.h"
#include "ops/report/page_sections.h"
#include "ops/report/page_table.h"
#include "ops/report/page_text.h"

namespace sheaf::internal::page {
namespace {

constexpr std::size_t kLabelStreamsMax = 24;
constexpr std::size_t kLabelRowsMax = 24;
constexpr std::size_t kUnseenMax = 40;

std::string label_summary(const Json& label) {
  std::string out;
  const std::optional<std::int64_t> classes = count_in(label, "classes");
  const std::optional<std::int64_t> seen = count_in(label, "seen");
  const bool is_estimate = field(label, "is_estimate") == true;
  if (classes && seen) {
    out += formatted("{}{} of {} occur. ", is_estimate ? "About " : "", count_text(*seen),
                     counted(*classes, "class", "classes"));
  } else if (seen) {
    out += counted(*seen, "id occurs. ", "ids occur. ");
  }
  if (const auto largest = number_in(label, "largest_share")) {
    out += formatted("The most frequent one has {} of all. ", share_text(*largest));
  }
  const std::optional<double> bits = number_in(label, "entropy_bits");
  if (bits) {
    out += formatted("The {} carry {} bits each{}. ",
                     field(label, "label") == false ? "ids" : "labels", value_text(*bits),
                     seen && *seen > 1 ? formatted(", and equal classes would carry {}",
                                                   value_text(std::log2(*seen)))
                                       : std::string());
  }
  const Json& per_sample = field(label, "per_sample");
  const std::optional<double> fewest = number_in(per_sample, "min");
  const std::optional<double> most = number_in(per_sample, "max");
  if (fewest && most && !(*fewest == 1 && *most == 1)) {
    out += formatted("A sample has {} to {} of them, {} on average.", value_text(*fewest),
                     value_text(*most), shown_if(number_in(per_sample, "mean"), value_text));
  }
  return paragraph(out);
}

std::string counts_table(const Json& label, const std::string& name) {
  const Json::array_t& counts = list_in(label, "counts");
  const std::int64_t rest = count_in(label, "rest").value_or(0);
  double all = static_cast<double>(rest);
  double largest = 0;
  for (const Json& each : counts) {
    const Json& count = element(each, 1);
    if (!count.is_number()) continue;
    all += count.get<double>();
    largest = std::max(largest, count.get<double>());
  }
  Table table(formatted("How often the classes of {} occur", name), {{"Class", CellKind::word},
                                                                     {"Count", CellKind::number},
                                                                     {"Share", CellKind::number},
                                                                     {"", CellKind::word}});
  const Json& names = field(label, "names");
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Json& count = element(counts[i], 1);
    if (!count.is_number() || table.row_count() == kLabelRowsMax) continue;
    const double number = count.get<double>();
    std::string id = value_html(element(counts[i], 0));
    const std::string name_of_id = value_html(element(names, i));
    if (!name_of_id.empty()) id += " <span class=\"soft\">" + name_of_id + "</span>";
    table.add({id, value_text(number), all > 0 ? share_text(number / all) : std::string(),
               meter(largest > 0 ? number / largest : 0)});
  }
  if (rest > 0 && all > 0) {
    table.add({"all others", count_text(rest), share_text(static_cast<double>(rest) / all), ""});
  }
  return table.html();
}

std::string unseen_html(const Json& label) {
  const Json::array_t& unseen = list_in(label, "unseen");
  if (unseen.empty()) return {};
  std::string out;
  for (std::size_t i = 0; i < std::min(unseen.size(), kUnseenMax); ++i) {
    out += (i == 0 ? "" : ", ") + value_html(unseen[i]);
  }
  const std::int64_t all =
      count_in(label, "classes").value_or(0) - count_in(label, "seen").value_or(0);
  const bool is_all = all <= static_cast<std::int64_t>(unseen.size());
  return paragraph(formatted("Classes that never occur: {}{}.", out, is_all ? "" : " and others"));
}

}  // namespace

std::string labels_body(const Json& report) {
  const Json::array_t& labels = list_in(report, "labels");
  if (labels.empty()) return {};
  std::string out = paragraph(
      "A class that never occurs cannot be learned. Where one class has most of the samples, "
      "compare "
      "the accuracy of a model with the share of that class.");
  for (std::size_t i = 0; i < std::min(labels.size(), kLabelStreamsMax); ++i) {
    const std::string stream = text_in(labels[i], "stream");
    out += formatted("<h3>{}</h3>\n", marked(stream)) + label_summary(labels[i]) +
           counts_table(labels[i], plain(stream)) + unseen_html(labels[i]);
  }
  return out + left_out_html(labels.size(), kLabelStreamsMax, "streams");
}

}  // namespace sheaf::internal::page
