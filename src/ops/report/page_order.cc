// The section about the order of the file.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "ops/report/page_chart.h"
#include "ops/report/page_scale.h"
#include "ops/report/page_sections.h"
#include "ops/report/page_table.h"
#include "ops/report/page_text.h"

namespace sheaf::internal::page {
namespace {

constexpr std::size_t kRunRowsMax = 40;
constexpr std::size_t kWorkerRowsMax = 64;

std::string runs_html(const Json& order) {
  Table table("Runs of one class", {{"Stream"},
                                    {"Longest run", CellKind::number},
                                    {"In a shuffled order", CellKind::number},
                                    {"First sequence of the run", CellKind::number}});
  for (const Json& each : list_in(order, "runs")) {
    if (table.row_count() == kRunRowsMax) break;
    table.add({marked(text_in(each, "stream")), shown_if(count_in(each, "longest"), count_text),
               shown_if(number_in(each, "expected"), value_text),
               shown_if(count_in(each, "first"), count_text)});
  }
  if (table.row_count() == 0) return {};
  return "<h3>Runs of one class</h3>\n" +
         paragraph(
             "A run is a block of neighbours that have one class. A run that is much longer "
             "than a shuffled order would give means that the file is sorted by class.") +
         table.html();
}

std::string workers_html(const Json& order) {
  Table table("Work of the busiest worker",
              {{"Workers", CellKind::number},
               {"Equal share", CellKind::number},
               {"Busiest worker, in equal shares", CellKind::number}});
  double largest = 1;
  std::vector<Point> points;
  std::vector<std::string> counts;  // of workers, for each point
  for (const Json& each : list_in(order, "workers")) {
    const std::optional<double> of_largest = number_in(each, "largest");
    if (!of_largest || points.size() == kWorkerRowsMax) continue;
    const std::string workers = shown_if(count_in(each, "workers"), count_text);
    const std::string share = value_text(*of_largest);
    table.add({workers, shown_if(number_in(each, "share"), share_text), share});
    points.push_back({0, *of_largest, formatted("{} workers: {}", workers, share)});
    counts.push_back(workers);
    largest = std::max(largest, *of_largest);
  }
  if (points.empty()) return {};
  const Scale shares = scale_from_zero(largest);
  Axes axes = {"Work of the busiest worker by number of workers",
               "workers",
               {},
               three_ticks(shares, value_text)};
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].x =
        points.size() > 1 ? static_cast<double>(i) / static_cast<double>(points.size() - 1) : 0.5;
    points[i].y = shares.at(points[i].y);
    axes.x.push_back({points[i].x, counts[i]});
  }
  const Line line = {"", points};
  return "<h3>Balance between workers</h3>\n" +
         paragraph(
             "All workers wait for the busiest one. 1 means an equal share of the samples, "
             "and 1.25 a quarter more. The numbers hold for <code>order=\"file\"</code>. "
             "<code>order=\"keyed\"</code> divides the samples evenly.") +
         figure("Samples of the busiest worker, in equal shares",
                line_chart(axes, std::span(&line, 1)), table.folded("Table of this chart"));
}

std::string keyed_html(const Json& order) {
  const Json& keyed = field(order, "keyed");
  Table table("The order keyed", {{"Workers", CellKind::number},
                                  {"Noise", CellKind::number},
                                  {"Chunks of a minibatch", CellKind::number},
                                  {"Busiest worker, in equal shares", CellKind::number},
                                  {"Window of a worker", CellKind::number},
                                  {"Samples in this window", CellKind::number}});
  for (const Json& each : list_in(keyed, "workers")) {
    if (table.row_count() == kWorkerRowsMax) break;
    const std::optional<double> excess = number_in(each, "excess");
    table.add({shown_if(count_in(each, "workers"), count_text),
               shown_if(number_in(each, "noise"), value_text),
               shown_if(number_in(each, "chunks"), value_text),
               excess ? value_text(1 + *excess) : std::string{},
               shown_if(number_in(each, "held_bytes"), bytes_text),
               shown_if(number_in(each, "held_share"), share_text)});
  }
  if (table.row_count() == 0) return {};
  return "<h3>Shuffled by <code>order=\"keyed\"</code></h3>\n" +
         paragraph(formatted(
             "A forecast for minibatches of {} and the default window of {}. Noise 1 is as good as "
             "a full shuffle, even if the file were sorted by its labels. Less is better, and more "
             "means that neighbours of the file stay close together. Each worker keeps a window of "
             "the data in memory. The last two columns show the memory that this window takes, and "
             "the share of all samples that it holds. A larger window mixes more and takes more "
             "memory: see <code>sheaf order</code>.",
             counted(count_in(keyed, "minibatch_sequences").value_or(0), "sequence", "sequences"),
             counted(count_in(keyed, "window_chunks").value_or(0), "chunk", "chunks"))) +
         table.html();
}

}  // namespace

std::string order_body(const Json& report) {
  const Json& order = field(report, "order");
  if (!order.is_object()) return {};
  const std::size_t slices = list_in(order, "slices").size();
  std::string out = paragraph(formatted(
      "sheaf cuts the data into {} from the first sequence to the last. In shuffled data all "
      "slices "
      "look alike. Where they do not, read with <code>order=\"keyed\"</code>, which shuffles, or "
      "write a shuffled copy once with <code>sheaf convert --order keyed</code>.",
      counted(static_cast<std::int64_t>(slices), "slice", "slices")));
  const std::string drift = drift_table(order, "Drift along the data");
  if (!drift.empty()) {
    out += "<h3>Drift</h3>\n" +
           paragraph("0 means that the slices look alike, 1 that they have nothing in common.") +
           drift;
  }
  return out + slices_html(order) + runs_html(order) + workers_html(order) + keyed_html(order);
}

}  // namespace sheaf::internal::page
