#include "sequencer/simulation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <utility>

#include "base/permutation.h"
#include "sequencer/keyed_sweep.h"
#include "sequencer/load_balancer.h"
#include "sequencer/made_up_counts.h"
#include "sequencer/unit_map.h"

namespace sheaf::testing {
namespace {

using internal::below;
using internal::key_of;
using internal::KeyedSweep;
using internal::KeyedTick;
using internal::UnitMap;

constexpr std::int64_t kUnitsOfAChunk = 32;

std::size_t place(std::int64_t i) noexcept { return static_cast<std::size_t>(i); }

/// A sweep: sequences by their number in the file, and their owners.
struct Order {
  std::vector<std::int64_t> sequences;
  std::vector<std::int64_t> owners;
};

template <typename T>
void shuffle(std::vector<T>& values, std::uint64_t key) {
  for (std::int64_t i = std::ssize(values); i > 1; --i) {
    std::swap(values[place(i - 1)],
              values[place(below(key_of(key, static_cast<std::uint64_t>(i)), i))]);
  }
}

MadeUpCounts counts_of(const MadeUpData& data) {
  MadeUpCounts counts(Sizes{});
  const std::int64_t chunk_size = kUnitsOfAChunk * data.unit_size;
  const auto count = std::ssize(data.lengths);
  for (std::int64_t first = 0; first < count; first += chunk_size) {
    const std::int64_t size = std::min(chunk_size, count - first);
    const std::int64_t units = (size + data.unit_size - 1) / data.unit_size;
    counts.add_chunk({data.lengths.begin() + first, data.lengths.begin() + first + size}, units);
  }
  return counts;
}

Order tumbling(const UnitMap& units, std::int64_t chunk_size, const Setting& setting) {
  std::vector<std::int64_t> drawn(place(units.unit_count()));
  std::iota(drawn.begin(), drawn.end(), std::int64_t{0});
  shuffle(drawn, key_of(setting.seed, 1));
  Order order;
  const std::int64_t size = (units.unit_count() + setting.laps - 1) / setting.laps;
  for (std::int64_t first = 0; first < units.unit_count(); first += size) {
    std::vector<std::pair<std::int64_t, std::int64_t>> window;
    for (std::int64_t i = first; i < std::min(first + size, units.unit_count()); ++i) {
      const ChunkRange range = units.unit(drawn[place(i)]);
      for (std::int64_t k = 0; k < range.count; ++k) {
        window.emplace_back(static_cast<std::int64_t>(range.chunk) * chunk_size + range.first + k,
                            i % setting.workers);
      }
    }
    shuffle(window, key_of(setting.seed, static_cast<std::uint64_t>(first) + 2));
    for (const auto& [sequence, owner] : window) {
      order.sequences.push_back(sequence);
      order.owners.push_back(owner);
    }
  }
  return order;
}

Order keyed(const UnitMap& units, std::int64_t chunk_size, const Setting& setting) {
  KeyedSweep sweep(units, setting.laps, setting.seed, 0);
  const bool is_shuffled = setting.candidate == Candidate::shuffled;
  // Units enter in drawn order: each unit stands for another one.
  const std::int64_t unit_size = chunk_size / kUnitsOfAChunk;
  std::vector<std::int64_t> stands_for(place(units.sequence_count() / unit_size));
  std::iota(stands_for.begin(), stands_for.end(), std::int64_t{0});
  if (is_shuffled) shuffle(stands_for, key_of(setting.seed, 1));
  Order order;
  for (std::int64_t tick = 0; tick < sweep.tick_count(); ++tick) {
    KeyedTick sequences(sweep, tick, setting.workers);
    std::vector<std::pair<std::int64_t, std::int64_t>> drawn;
    for (std::int64_t i = 0; i < sequences.size(); ++i) {
      const KeyedTick::Sequence next = sequences.next();
      std::int64_t number = static_cast<std::int64_t>(next.chunk) * chunk_size + next.number;
      if (is_shuffled && number / unit_size < std::ssize(stands_for)) {
        number = stands_for[place(number / unit_size)] * unit_size + number % unit_size;
      }
      drawn.emplace_back(number, sequences.owner_of(next));
    }
    if (is_shuffled) shuffle(drawn, key_of(setting.seed, static_cast<std::uint64_t>(tick) + 2));
    for (const auto& [sequence, owner] : drawn) {
      order.sequences.push_back(sequence);
      order.owners.push_back(owner);
    }
  }
  return order;
}

Order order_of(const MadeUpData& data, const Setting& setting) {
  const MadeUpCounts counts = counts_of(data);
  const UnitMap units(counts);
  const std::int64_t chunk_size = kUnitsOfAChunk * data.unit_size;
  return setting.candidate == Candidate::tumbling ? tumbling(units, chunk_size, setting)
                                                  : keyed(units, chunk_size, setting);
}

MadeUpData lengths_of(std::int64_t count, std::int64_t unit_size, double sigma) {
  MadeUpData data{.lengths = {}, .unit_size = unit_size};
  data.lengths.reserve(place(count));
  const auto drawn = [](std::int64_t i) {
    return (static_cast<double>(below(key_of(77, static_cast<std::uint64_t>(i)), 1 << 30)) + 0.5) /
           (1 << 30);
  };
  for (std::int64_t i = 0; i < count; ++i) {
    const double normal =
        std::sqrt(-2 * std::log(drawn(2 * i))) * std::cos(2 * std::numbers::pi * drawn(2 * i + 1));
    data.lengths.push_back(std::max<std::int64_t>(1, std::llround(100 * std::exp(sigma * normal))));
  }
  return data;
}

double ratio(std::int64_t a, std::int64_t b) {
  return static_cast<double>(a) / static_cast<double>(b);
}

/// Adds the numbers of one step to the figures.
class StepMeter {
 public:
  StepMeter(const Setting& setting, Figures& figures) : setting_(setting), figures_(figures) {}

  void add(const std::vector<std::int64_t>& costs, const std::vector<std::int64_t>& owners) {
    constexpr std::int64_t kTolerance = 64;  // as in KeyedSequencer
    workers_ = owners;
    if (setting_.candidate != Candidate::unshared && setting_.candidate != Candidate::tumbling) {
      balancer_.share_out(costs, setting_.workers, kTolerance, workers_);
    }
    loads_.assign(place(setting_.workers), 0);
    counts_.assign(place(setting_.workers), 0);
    std::int64_t sum = 0;
    std::int64_t moved = 0;
    std::int64_t moved_samples = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      loads_[place(workers_[i])] += costs[i];
      ++counts_[place(workers_[i])];
      sum += costs[i];
      if (workers_[i] == owners[i]) continue;
      ++moved;
      moved_samples += costs[i];
    }
    const double mean = ratio(sum, setting_.workers);
    const auto most = static_cast<double>(std::ranges::max(loads_));
    const std::int64_t each = (std::ssize(costs) + setting_.workers - 1) / setting_.workers;
    const auto at_least =
        static_cast<double>(std::max(std::ranges::max(costs), each * std::ranges::min(costs)));
    ++figures_.steps;
    figures_.excess += most / mean - 1;
    figures_.excess_beyond += most / std::max(mean, at_least) - 1;
    figures_.foreign += ratio(moved, std::ssize(costs));
    figures_.foreign_samples += ratio(moved_samples, sum);
    figures_.idle_steps += std::ranges::min(counts_) == 0 ? 1 : 0;
  }

 private:
  const Setting& setting_;
  Figures& figures_;
  internal::LoadBalancer balancer_;
  std::vector<std::int64_t> workers_;
  std::vector<std::int64_t> loads_;
  std::vector<std::int64_t> counts_;
};

double deviation(const std::vector<double>& values, std::int64_t group) {
  double sum = 0;
  double squares = 0;
  const std::int64_t groups = std::ssize(values) / group;
  for (std::int64_t i = 0; i < groups; ++i) {
    double mean = 0;
    for (std::int64_t k = 0; k < group; ++k) mean += values[place(i * group + k)];
    mean /= static_cast<double>(group);
    sum += mean;
    squares += mean * mean;
  }
  const auto n = static_cast<double>(groups);
  return std::sqrt(std::max(0.0, squares / n - sum / n * sum / n));
}

}  // namespace

std::string_view to_string(Candidate candidate) noexcept {
  switch (candidate) {
    case Candidate::tumbling:
      return "tumbling";
    case Candidate::shuffled:
      return "shuffled";
    case Candidate::unshared:
      return "unshared";
    case Candidate::keyed:
      return "keyed/1";
  }
  return "";
}

MadeUpData equal_lengths(std::int64_t count, std::int64_t unit_size) {
  return lengths_of(count, unit_size, 0);
}

MadeUpData log_normal_lengths(std::int64_t count, std::int64_t unit_size) {
  return lengths_of(count, unit_size, 1);
}

Figures simulate(const MadeUpData& data, const Setting& setting) {
  const Order order = order_of(data, setting);
  const std::int64_t all =
      std::accumulate(data.lengths.begin(), data.lengths.end(), std::int64_t{0});
  const auto asked =
      static_cast<std::int64_t>(static_cast<double>(setting.workers * setting.sequences_each) *
                                ratio(all, std::ssize(data.lengths)));
  const std::int64_t step_count = (all + asked - 1) / asked;
  const std::int64_t every = std::max<std::int64_t>(1, step_count / setting.steps_max);
  Figures figures;
  figures.smallest_step = 1e9;
  StepMeter meter(setting, figures);
  std::int64_t sample = 0;
  std::size_t i = 0;
  for (std::int64_t step = 0; step < step_count; ++step) {
    std::vector<std::int64_t> costs;
    std::vector<std::int64_t> owners;
    const std::int64_t begin = sample;
    const std::int64_t end = all * (step + 1) / step_count;
    for (; i < order.sequences.size() && sample < end; ++i) {
      costs.push_back(data.lengths[place(order.sequences[i])]);
      owners.push_back(order.owners[i]);
      sample += costs.back();
    }
    if (costs.empty()) continue;
    figures.smallest_step = std::min(figures.smallest_step, ratio(sample - begin, asked));
    if (step % every == 0 || step + 1 == step_count) meter.add(costs, owners);
  }
  const auto steps = static_cast<double>(figures.steps);
  figures.excess /= steps;
  figures.excess_beyond /= steps;
  figures.foreign /= steps;
  figures.foreign_samples /= steps;
  return figures;
}

MeasuredNoise noise_of(const MadeUpData& data, const Setting& setting,
                       std::int64_t minibatch_sequences, std::int64_t seeds) {
  const std::int64_t count = std::ssize(data.lengths);
  MeasuredNoise squares;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    Setting one = setting;
    one.seed = static_cast<std::uint64_t>(seed);
    const Order order = order_of(data, one);
    const auto of = [&](const auto& value_of) {
      std::vector<double> values;
      values.reserve(order.sequences.size());
      for (const std::int64_t sequence : order.sequences) values.push_back(value_of(sequence));
      const double full = deviation(values, 1) /
                          std::sqrt(static_cast<double>(minibatch_sequences)) *
                          std::sqrt(ratio(count - minibatch_sequences, count - 1));
      const double noise = deviation(values, minibatch_sequences) / full;
      return noise * noise;
    };
    squares.sorted += of([](std::int64_t sequence) { return static_cast<double>(sequence); });
    squares.units += of([&](std::int64_t sequence) {
      const auto unit = static_cast<std::uint64_t>(sequence / data.unit_size);
      return static_cast<double>(below(key_of(one.seed + 1000, unit), 1 << 20));
    });
  }
  const auto n = static_cast<double>(seeds);
  return {std::sqrt(squares.sorted / n), std::sqrt(squares.units / n)};
}

}  // namespace sheaf::testing
