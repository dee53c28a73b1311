// Charts along the data: lengths, means of streams, and classes. Each slice is a point.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "ops/report/page_chart.h"
#include "ops/report/page_image.h"
#include "ops/report/page_scale.h"
#include "ops/report/page_sections.h"
#include "ops/report/page_table.h"
#include "ops/report/page_text.h"

namespace sheaf::internal::page {
namespace {

constexpr std::size_t kSlicesMax = 256;
constexpr std::size_t kMeansMax = 12;
constexpr std::size_t kClassStreamsMax = 6;
constexpr std::size_t kClassRowsMax = 20;
constexpr std::size_t kClassesLookedAtMax = 4096;

using SliceValues = std::vector<std::optional<double>>;

std::string first_of_slice(const Json& slice) {
  return shown_if(count_in(slice, "first"), count_text);
}

// Returns marks at the first sequences of some slices.
std::vector<Tick> slice_ticks(const Json::array_t& slices) {
  constexpr std::size_t kMarks = 3;
  std::vector<Tick> ticks;
  const std::size_t step = std::max<std::size_t>((slices.size() + kMarks - 1) / kMarks, 1);
  for (std::size_t i = 0; i < slices.size(); i += step) {
    ticks.push_back({(static_cast<double>(i) + 0.5) / static_cast<double>(slices.size()),
                     first_of_slice(slices[i])});
  }
  return ticks;
}

std::string along_figure(const Json::array_t& slices, const SliceValues& values,
                         const std::string& heading, const std::string& name) {
  double low = 0;
  double high = 0;
  bool is_first = true;
  for (const std::optional<double>& each : values) {
    if (!each) continue;
    low = is_first ? *each : std::min(low, *each);
    high = is_first ? *each : std::max(high, *each);
    is_first = false;
  }
  if (is_first || low == high) return {};  // a flat line shows nothing
  const Scale scale = scale_around(low, high);
  Line line;
  Table table(name + " of each slice",
              {{"First sequence", CellKind::number}, {"Mean", CellKind::number}});
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) continue;
    const std::string text = value_text(*values[i]);
    const std::string first = first_of_slice(slices[i]);
    line.points.push_back({(static_cast<double>(i) + 0.5) / static_cast<double>(values.size()),
                           scale.at(*values[i]), formatted("from {}: {}", first, text)});
    table.add({first, text});
  }
  const Axes axes = {name + " along the data", "first sequence of a slice", slice_ticks(slices),
                     round_ticks(scale, value_text, 3), true};
  return figure(heading, line_chart(axes, std::span(&line, 1)),
                table.folded("Table of this chart"));
}

std::string mean_figures(const Json::array_t& slices) {
  SliceValues lengths;
  for (const Json& each : slices) lengths.push_back(number_in(each, "mean_length"));
  std::string out = along_figure(slices, lengths, "Mean length", "Mean length");
  std::size_t shown = 0;
  const Json& names = field(slices.front(), "means");
  for (auto each = names.begin(); names.is_object() && each != names.end(); ++each) {
    if (++shown > kMeansMax) break;
    SliceValues means;
    for (const Json& slice : slices) {
      means.push_back(number_in(field(slice, "means"), each.key().c_str()));
    }
    out += along_figure(slices, means, "Mean of " + marked(each.key()),
                        "Mean of " + plain(each.key()));
  }
  return out;
}

// Counts of the classes of a stream. The table has a row for each class and a column for each
// slice.
class ClassTable {
 public:
  ClassTable(const Json::array_t& slices, const char* stream) : slices_(slices) {
    for (std::size_t i = 0; i < slices.size(); ++i) {
      for (const Json& pair : list_in(field(slices[i], "classes"), stream)) {
        const Json& count = element(pair, 1);
        const std::string name = value_html(element(pair, 0));
        if (name.empty() || !count.is_number()) continue;
        if (counts_.size() == kClassesLookedAtMax && !counts_.contains(name)) continue;
        std::vector<double>& row = counts_[name];
        row.resize(slices.size());
        row[i] = count.get<double>();
      }
    }
    keep_largest();
  }

  [[nodiscard]] bool is_empty() const { return rows_.empty(); }

  // Returns the largest share of a class in a slice. The table shows this share in the full colour.
  [[nodiscard]] double largest_share() const {
    double largest = 0;
    for (const auto& [label, counts] : rows_) {
      for (std::size_t i = 0; i < counts.size(); ++i) largest = std::max(largest, share(counts, i));
    }
    return largest;
  }

  [[nodiscard]] std::string picture(const std::string& name) const {
    const double largest = std::max(largest_share(), 1e-9);
    std::vector<std::byte> pixels;
    for (const auto& [label, counts] : rows_) {
      for (std::size_t i = 0; i < counts.size(); ++i) {
        pixels.push_back(static_cast<std::byte>(std::lround(255 * share(counts, i) / largest)));
      }
    }
    const Picture picture = {static_cast<int>(slices_.size()), static_cast<int>(rows_.size()),
                             Palette::shares, pixels};
    return image_html(picture, "strip", formatted("Classes of {} along the data", name));
  }

  [[nodiscard]] std::vector<Tick> labels() const {
    constexpr std::size_t kLabelsMax = 10;
    const std::size_t step = (rows_.size() + kLabelsMax - 1) / kLabelsMax;
    std::vector<Tick> ticks;
    for (std::size_t i = 0; i < rows_.size(); i += step) {
      const double middle = (static_cast<double>(i) + 0.5) / static_cast<double>(rows_.size());
      ticks.push_back({1 - middle, rows_[i].first});
    }
    return ticks;
  }

  [[nodiscard]] std::string table(const std::string& name) const {
    std::vector<Column> columns = {{"First sequence", CellKind::number}};
    for (const auto& [label, counts] : rows_) columns.push_back({label, CellKind::number});
    Table table(formatted("Classes of {} in each slice", name), columns);
    for (std::size_t i = 0; i < slices_.size(); ++i) {
      std::vector<std::string> cells = {first_of_slice(slices_[i])};
      for (const auto& [label, counts] : rows_) cells.push_back(value_text(counts[i]));
      table.add(cells);
    }
    return table.folded("Table of this chart");
  }

 private:
  [[nodiscard]] double share(const std::vector<double>& counts, std::size_t slice) const {
    return totals_[slice] > 0 ? std::clamp(counts[slice] / totals_[slice], 0.0, 1.0) : 0;
  }

  void keep_largest() {
    totals_.resize(slices_.size());
    for (auto& [label, counts] : counts_) {
      for (std::size_t i = 0; i < counts.size(); ++i) totals_[i] += counts[i];
      rows_.emplace_back(label, std::move(counts));
    }
    const auto sum = [](const auto& row) {
      double total = 0;
      for (const double each : row.second) total += each;
      return total;
    };
    std::stable_sort(rows_.begin(), rows_.end(),
                     [&](const auto& a, const auto& b) { return sum(a) > sum(b); });
    if (rows_.size() > kClassRowsMax) rows_.resize(kClassRowsMax);
    // Sorts the classes by number, so that a sorted file shows as stairs.
    std::stable_sort(rows_.begin(), rows_.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first.size(), a.first) < std::pair(b.first.size(), b.first);
    });
  }

  const Json::array_t& slices_;
  std::map<std::string, std::vector<double>> counts_;
  std::vector<std::pair<std::string, std::vector<double>>> rows_;
  std::vector<double> totals_;
};

std::string class_figures(const Json::array_t& slices) {
  std::string out;
  std::size_t shown = 0;
  const Json& streams = field(slices.front(), "classes");
  for (auto each = streams.begin(); streams.is_object() && each != streams.end(); ++each) {
    if (++shown > kClassStreamsMax) break;
    const ClassTable classes(slices, each.key().c_str());
    if (classes.is_empty()) continue;
    const std::string name = plain(each.key());
    const Axes axes = {name, "first sequence of a slice", slice_ticks(slices), classes.labels()};
    out += figure(
        "Classes of " + marked(each.key()),
        framed(axes, classes.picture(name)) +
            paragraph(formatted("A row is a class, a column a slice. The stronger a field, the "
                                "more of the slice belongs to the class, up to {}.",
                                share_text(classes.largest_share()))),
        classes.table(name));
  }
  return out;
}

}  // namespace

std::string slices_html(const Json& order) {
  const Json::array_t& slices = list_in(order, "slices");
  if (slices.size() < 2 || slices.size() > kSlicesMax) return {};
  std::string out;
  const std::string means = mean_figures(slices);
  if (!means.empty()) {
    out += "<h3>Along the data</h3>\n<div class=\"grid\">\n" + means + "</div>\n";
  }
  return out + class_figures(slices);
}

}  // namespace sheaf::internal::page
