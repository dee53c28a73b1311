// Chance alone makes two histograms differ. To estimate the effect of chance, this file assumes
// that the sequences are drawn independently. The values of one sequence are often alike, so the
// estimate depends on the number of sequences, not on the number of values.

#include "ops/report/drift.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace sheaf::internal {
namespace {

constexpr std::size_t kSlicesMax = 16;  // chance affects few large slices less

double reciprocal(std::int64_t count) {
  return 1 / static_cast<double>(std::max<std::int64_t>(1, count));
}

template <typename CountsOf>
Drift drift_of(std::string what, std::span<const Slice> slices, const CountsOf& counts_of) {
  BinCounts all;
  std::int64_t sequences = 0;
  for (const Slice& each : slices) {
    all.add(counts_of(each));
    sequences += each.sequences;
  }
  double sum = 0;
  double chance = 0;
  for (const Slice& each : slices) {
    const double weight = static_cast<double>(each.sequences) * reciprocal(sequences);
    const double scale = reciprocal(each.sequences) - reciprocal(sequences);
    sum += weight * distance(counts_of(each), all);
    chance += weight * chance_distance(all, scale);
  }
  return {.what = std::move(what), .size = beyond_chance(sum, chance)};
}

Drift drift_of(std::string what, const BinCounts& a, const BinCounts& b, double scale) {
  BinCounts all = a;
  all.add(b);
  return {.what = std::move(what),
          .size = beyond_chance(distance(a, b), chance_distance(all, scale))};
}

// Converts a histogram of all values to the wider bins of slices.
BinCounts coarse_bins(const std::vector<std::int64_t>& bins) {
  BinCounts counts;
  for (std::size_t begin = 0; begin < bins.size(); begin += kBinsOfSlice) {
    std::int64_t sum = 0;
    for (std::size_t i = begin; i < begin + kBinsOfSlice; ++i) sum += bins[i];
    if (sum > 0) counts.push_back(static_cast<std::uint32_t>(begin / kBinsOfSlice), sum);
  }
  return counts;
}

BinCounts length_bins(const Histogram& lengths) {
  BinCounts counts;
  std::int64_t sum = 0;
  const auto all = lengths.counts();
  for (std::size_t i = 0; i < all.size(); ++i) {
    sum += all[i].second;
    const std::uint32_t bin = bin_of_length(all[i].first);
    if (i + 1 < all.size() && bin_of_length(all[i + 1].first) == bin) continue;
    counts.push_back(bin, sum);
    sum = 0;
  }
  return counts;
}

bool has_ids(const StreamNumbers& stream) { return stream.part.has_ids && stream.ids.total() > 0; }

// Tells whether to compare values. Where the values are ids, the ids are compared instead. Equal
// values cannot differ.
bool is_measured(const Stream& stream, const StreamNumbers& numbers) {
  return numbers.part.values.finite_count() > 0 && numbers.part.values.squares > 0 &&
         !(has_ids(numbers) && stream.storage == Storage::dense);
}

std::string values_of(const Stream& stream) { return "values of " + stream.name; }
std::string ids_of(const DataNumbers& numbers, std::size_t s) {
  return (numbers.labels[s] ? "classes of " : "ids of ") + numbers.streams[s].name;
}

}  // namespace

std::vector<Drift> drift_of_slices(const DataNumbers& numbers) {
  std::vector<Drift> all;
  const std::vector<Slice> slices = merged_slices(numbers.slices, kSlicesMax);
  if (slices.size() < 2) return all;
  all.push_back(drift_of("length", slices, [](const Slice& each) { return each.lengths; }));
  for (std::size_t s = 0; s < numbers.detailed(); ++s) {
    const StreamNumbers& stream = numbers.stream_numbers[s];
    if (is_measured(numbers.streams[s], stream)) {
      all.push_back(drift_of(values_of(numbers.streams[s]), slices,
                             [s](const Slice& each) { return each.streams[s].bins; }));
    }
    if (has_ids(stream)) {
      all.push_back(drift_of(ids_of(numbers, s), slices,
                             [s](const Slice& each) { return each.streams[s].ids; }));
    }
  }
  return all;
}

std::vector<Drift> drift_between(const DataNumbers& numbers, const DataNumbers& others) {
  std::vector<Drift> all;
  const double scale = reciprocal(numbers.sequences) + reciprocal(others.sequences);
  all.push_back(
      drift_of("length", length_bins(numbers.lengths), length_bins(others.lengths), scale));
  for (std::size_t s = 0; s < numbers.detailed(); ++s) {
    const auto same = std::ranges::find(others.streams, numbers.streams[s].name, &Stream::name);
    const auto other_s = static_cast<std::size_t>(same - others.streams.begin());
    if (other_s >= others.detailed()) continue;
    const StreamNumbers& stream = numbers.stream_numbers[s];
    const StreamNumbers& other = others.stream_numbers[other_s];
    const bool has_same_bins = is_floating(numbers.streams[s].element_type) ==
                                   is_floating(others.streams[other_s].element_type) &&
                               numbers.streams[s].storage == others.streams[other_s].storage;
    if (has_same_bins && is_measured(numbers.streams[s], stream) &&
        is_measured(others.streams[other_s], other)) {
      all.push_back(drift_of(values_of(numbers.streams[s]), coarse_bins(stream.bins),
                             coarse_bins(other.bins), scale));
    }
    if (has_ids(stream) && has_ids(other)) {
      all.push_back(drift_of(ids_of(numbers, s), stream.ids.bins(), other.ids.bins(), scale));
    }
  }
  return all;
}

}  // namespace sheaf::internal
