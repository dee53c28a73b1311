#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ops/report/drift.h"
#include "ops/report/keyed_forecast.h"
#include "ops/report/sections.h"

namespace sheaf::internal {
namespace {

constexpr std::size_t kMeansMax = 8;         // streams that show their means in each slice
constexpr std::size_t kClassStreamsMax = 3;  // streams that show their classes in each slice
constexpr std::size_t kClassesMax = 12;      // classes that such a stream shows in each slice

bool has_classes(const DataNumbers& numbers, std::size_t s) {
  const StreamNumbers& stream = numbers.stream_numbers[s];
  return numbers.labels[s] && stream.part.has_ids && stream.runs.sequences() > 0;
}

// Returns the most frequent classes. A counter that several ids share is not a class.
Json classes_json(const BinCounts& ids) {
  std::vector<BinCounts::Entry> entries(ids.entries().begin(), ids.entries().end());
  std::erase_if(entries, [](const BinCounts::Entry& each) { return each.bin >= IdBins::kOwn; });
  std::ranges::stable_sort(entries, std::ranges::greater(), &BinCounts::Entry::count);
  if (entries.size() > kClassesMax) entries.resize(kClassesMax);
  Json list = Json::array();
  for (const BinCounts::Entry& each : entries) list.push_back({each.bin, each.count});
  return list;
}

Json slice_json(const ReportSource& source, const Slice& slice) {
  Json json = {{"first", slice.first}, {"sequences", slice.sequences}};
  json["mean_length"] = static_cast<double>(slice.samples) / static_cast<double>(slice.sequences);
  Json means = Json::object();
  Json classes = Json::object();
  for (std::size_t s = 0; s < slice.streams.size(); ++s) {
    const std::string name = cut_text(source.numbers.streams[s].name);
    const SliceStream& stream = slice.streams[s];
    const bool is_varied = source.numbers.stream_numbers[s].part.values.squares > 0;
    if (source.shows_values && means.size() < kMeansMax && is_varied &&
        stream.values.finite_count() > 0) {
      set_number(means, name.c_str(), stream.values.mean);
    }
    if (source.shows_values && classes.size() < kClassStreamsMax &&
        has_classes(source.numbers, s)) {
      classes[name] = classes_json(stream.ids);
    }
  }
  if (!means.empty()) json["means"] = std::move(means);
  if (!classes.empty()) json["classes"] = std::move(classes);
  return json;
}

// Estimates the longest run of the most frequent class in a random order. With n sequences and
// share p, about n * (1 - p) runs begin, and each continues with probability p.
double expected_run(std::int64_t sequences, double share) {
  const auto all = static_cast<double>(sequences);
  if (share >= 1) return all;
  return std::clamp(std::log(std::max(1.0, all * (1 - share))) / -std::log(share), 1.0, all);
}

double largest_share(const IdCounts& ids) {
  const std::vector<std::int64_t>& own = ids.own();
  const std::int64_t largest = own.empty() ? 0 : std::ranges::max(own);
  return ids.total() > 0 ? static_cast<double>(largest) / static_cast<double>(ids.total()) : 0;
}

Json runs_json(const DataNumbers& numbers) {
  Json list = Json::array();
  for (std::size_t s = 0; s < numbers.detailed(); ++s) {
    if (!has_classes(numbers, s)) continue;
    const IdRuns& runs = numbers.stream_numbers[s].runs;
    const double share = largest_share(numbers.stream_numbers[s].ids);
    if (share == 0) continue;  // all ids are above IdCounts::kOwn
    list.push_back({{"stream", cut_text(numbers.streams[s].name)},
                    {"longest", runs.longest().count},
                    {"expected", std::llround(expected_run(runs.sequences(), share))},
                    {"first", runs.longest().first}});
  }
  return list;
}

Json workers_json(const DataNumbers& numbers) {
  Json list = Json::array();
  const auto all = static_cast<double>(numbers.lengths.total());
  for (std::size_t count = 1; count <= kWorkersMax; count *= 2) {
    std::vector<std::int64_t> samples(count);
    for (std::size_t i = 0; i < kWorkersMax; ++i) samples[i % count] += numbers.worker_samples[i];
    const double equal = all / static_cast<double>(count);
    list.push_back({{"workers", count},
                    {"share", equal > 0 ? 1 / static_cast<double>(count) : 0},
                    {"largest", static_cast<double>(std::ranges::max(samples)) / equal}});
  }
  return list;
}

}  // namespace

Json order_section(const ReportSource& source) {
  const DataNumbers& numbers = source.numbers;
  Json slices = Json::array();
  for (const Slice& each : numbers.slices) slices.push_back(slice_json(source, each));
  Json drift = Json::array();
  for (const Drift& each : drift_of_slices(numbers)) {
    drift.push_back({{"what", cut_text(each.what)}, {"size", each.size}});
  }
  Json json = {{"slices", std::move(slices)}, {"drift", std::move(drift)}};
  if (Json runs = runs_json(numbers); !runs.empty()) json["runs"] = std::move(runs);
  if (numbers.lengths.total() > 0) json["workers"] = workers_json(numbers);
  if (Json keyed = keyed_forecast(source); !keyed.is_null()) json["keyed"] = std::move(keyed);
  return json;
}

}  // namespace sheaf::internal
