#include "sheaf/extend/order_report.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"

#include "sequencer/made_up_counts.h"
#include "sequencer/made_up_options.h"

namespace sheaf {
namespace {

using testing::any_of;
using testing::MadeUpCounts;
using testing::Sizes;

/// Returns chunks of equally many one-sample sequences.
std::shared_ptr<MadeUpCounts> equal_chunks(std::int64_t chunks, std::int64_t sequences,
                                           std::int64_t units = 1) {
  auto counts = std::make_shared<MadeUpCounts>(Sizes{});
  for (std::int64_t i = 0; i < chunks; ++i) counts->add_chunk(sequences, units);
  return counts;
}

OrderOptions sequences_of(std::int64_t minibatch_size, OrderAlgorithm algorithm,
                          std::optional<std::int64_t> window_chunks = {},
                          std::int64_t worker_count = 1) {
  return {.minibatch_size = minibatch_size,
          .unit = MinibatchUnit::sequences,
          .worker_count = worker_count,
          .algorithm = algorithm,
          .window_chunks = window_chunks};
}

TEST(OrderReport, PiecesAreMeasuredLikePreCutData) {
  const auto counts = std::make_shared<MadeUpCounts>(Sizes{{1, 9, 4}, {2, 2, 12, 5}, {3}});
  const auto cut =
      std::make_shared<MadeUpCounts>(Sizes{{1, 4, 4, 1, 4}, {2, 2, 4, 4, 4, 4, 1}, {3}});
  const std::vector<std::vector<std::int64_t>> sequences = {
      {0, 1, 1, 1, 2}, {0, 1, 2, 2, 2, 3, 3}, {0}};
  const auto value = [](ChunkIndex chunk, std::int64_t sequence) {
    return static_cast<double>(10 * static_cast<std::int64_t>(chunk) + sequence);
  };
  const auto value_of_piece = [&](ChunkIndex chunk, std::int64_t piece) {
    const auto& of_chunk = sequences[static_cast<std::size_t>(chunk)];
    return value(chunk, of_chunk[static_cast<std::size_t>(piece)]);
  };
  OrderOptions order{.minibatch_size = 8, .algorithm = OrderAlgorithm::keyed, .window_chunks = 2};
  const OrderReport expected = measure_order(cut, order, {.value = value_of_piece});
  order.long_sequences = LongSequences::split;
  order.row_samples = 4;
  const OrderReport report = measure_order(counts, order, {.value = value});
  EXPECT_EQ(report.long_sequences,
            (LongReport{.sequences = 3, .of_sequences = 8, .pieces = 8, .of_samples = 38}));
  EXPECT_EQ(report.sequences, 13);
  EXPECT_EQ(report.samples, 38);
  EXPECT_EQ(report.all.sequences, expected.all.sequences);
  EXPECT_EQ(report.all.noise, expected.all.noise);
  EXPECT_EQ(report.padding, expected.padding);
  EXPECT_EQ(report.held_samples, expected.held_samples);
  EXPECT_FALSE(expected.long_sequences);
}

// The same numbers, computed the long way.

struct Longhand {
  std::int64_t steps = 0;
  std::int64_t idle_steps = 0;
  double excess = 0;
  double excess_over_longest = 0;
  double padding = 0;
  double noise_of_worker = 0;
};

/// Returns the steps of a worker, epoch by epoch.
std::vector<std::vector<testing::WalkedStep>> epochs_of(const std::shared_ptr<const Counts>& counts,
                                                        OrderOptions order, std::int64_t worker,
                                                        std::int64_t epoch_count) {
  order.worker_index = worker;
  order.epochs = epoch_count;
  std::vector<std::vector<testing::WalkedStep>> epochs(static_cast<std::size_t>(epoch_count));
  const auto sequencer = make_sequencer(counts, order);
  std::size_t epoch = 0;
  for (testing::WalkedStep& step : testing::walk(*sequencer, {}, 1'000'000)) {
    const bool is_last = step.ends_epoch;
    epochs[epoch].push_back(std::move(step));
    if (is_last) ++epoch;
  }
  return epochs;
}

/// Computes the report of whole epochs. `sizes` has the lengths of all sequences in file order.
Longhand longhand(const std::shared_ptr<const Counts>& counts, const Sizes& sizes,
                  const OrderOptions& order, std::int64_t epoch_count) {
  std::vector<std::int64_t> firsts = {0};
  for (const auto& chunk : sizes) firsts.push_back(firsts.back() + std::ssize(chunk));
  const auto all = static_cast<double>(firsts.back());
  const bool counts_costs = order.unit == MinibatchUnit::cost;
  std::vector<std::vector<std::vector<testing::WalkedStep>>> workers;
  for (std::int64_t worker = 0; worker < order.worker_count; ++worker) {
    workers.push_back(epochs_of(counts, order, worker, epoch_count));
  }
  Longhand result;
  double loaded = 0;
  double samples = 0;
  double cells = 0;
  double noise = 0;
  double noise_count = 0;
  for (std::size_t epoch = 0; epoch < static_cast<std::size_t>(epoch_count); ++epoch) {
    std::size_t steps = 0;
    for (const auto& worker : workers) steps = std::max(steps, worker[epoch].size());
    for (std::size_t i = 0; i < steps; ++i) {
      double most = 0;
      double sum = 0;
      double longest = 0;
      std::size_t busy = 0;
      for (const auto& worker : workers) {
        if (i >= worker[epoch].size() || worker[epoch][i].sequences.empty()) continue;
        const Step& step = worker[epoch][i];
        ++busy;
        double own_longest = 0;
        double cost = 0;
        double costliest = 0;
        double place_sum = 0;
        for (const SequenceRef& ref : step.sequences) {
          const auto chunk = static_cast<std::size_t>(ref.chunk);
          const auto length =
              static_cast<double>(sizes[chunk][static_cast<std::size_t>(ref.sequence)]);
          own_longest = std::max(own_longest, length);
          const auto own_cost = static_cast<double>(
              MadeUpCounts::made_up_cost(static_cast<std::int64_t>(ref.chunk), ref.sequence));
          cost += own_cost;
          costliest = std::max(costliest, own_cost);
          place_sum += static_cast<double>(firsts[chunk] + ref.sequence);
        }
        const auto size = static_cast<double>(step.sequences.size());
        const auto own = static_cast<double>(step.sample_count);
        const double load = counts_costs ? cost : own;
        most = std::max(most, load);
        sum += load;
        longest = std::max(longest, counts_costs ? costliest : own_longest);
        samples += own;
        cells += size * own_longest;
        if (size >= all) continue;
        const double expected = (all * all - 1) / 12 / size * (all - size) / (all - 1);
        noise += std::pow(place_sum / size - (all - 1) / 2, 2) / expected;
        ++noise_count;
      }
      if (busy == 0) continue;
      ++result.steps;
      if (busy < workers.size()) ++result.idle_steps;
      if (sum == 0) continue;
      const double mean = sum / static_cast<double>(workers.size());
      ++loaded;
      result.excess += most / mean - 1;
      result.excess_over_longest += most / std::max(mean, longest) - 1;
    }
  }
  if (loaded > 0) {
    result.excess /= loaded;
    result.excess_over_longest /= loaded;
  }
  if (cells > 0) result.padding = 1 - samples / cells;
  if (noise_count > 0) result.noise_of_worker = std::sqrt(noise / noise_count);
  return result;
}

RC_GTEST_PROP(MeasureOrder, NumbersMatchTheirDefinitions, ()) {
  Sizes sizes(*any_of<std::size_t>(1, 6));
  for (auto& chunk : sizes) {
    chunk = *rc::gen::container<std::vector<std::int64_t>>(*any_of<std::size_t>(1, 40),
                                                           any_of<std::int64_t>(0, 9));
  }
  OrderOptions order = testing::made_up_options();
  order.long_sequences = LongSequences::error;
  RC_PRE(!order.truncation_length && !order.split_frames);
  if (order.epoch_size) *order.epoch_size += 1000;
  const auto has_samples = [](const auto& chunk) {
    return std::ranges::count(chunk, 0) < std::ssize(chunk);
  };
  RC_PRE(std::ranges::any_of(sizes, has_samples));
  const auto counts = std::make_shared<const MadeUpCounts>(sizes);
  // Measures as many steps as worker 0 has in some epochs.
  const auto epoch_count = *any_of<std::int64_t>(1, 3);
  std::int64_t steps = 0;
  for (const auto& epoch : epochs_of(counts, order, 0, epoch_count)) steps += std::ssize(epoch);
  RC_PRE(steps > 0);

  const OrderReport report = measure_order(counts, order, {.steps_max = steps});
  const Longhand expected = longhand(counts, sizes, order, epoch_count);
  const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(b)); };
  RC_ASSERT(report.workers == order.worker_count);
  RC_ASSERT(report.steps == expected.steps);
  RC_ASSERT(report.idle_steps == expected.idle_steps);
  RC_ASSERT(near(report.excess, expected.excess));
  RC_ASSERT(near(report.excess_over_longest, expected.excess_over_longest));
  RC_ASSERT(near(report.padding.value(), expected.padding));
  RC_ASSERT(near(report.worker.noise.value_or(0), expected.noise_of_worker));
}

// Noise.

TEST(MeasureOrder, FileOrderOfSortedDataHasMaximumNoise) {
  const auto counts = equal_chunks(100, 200);
  const OrderReport report = measure_order(counts, sequences_of(100, OrderAlgorithm::file));
  EXPECT_NEAR(report.all.noise.value(), 10, 0.1);  // the square root of the minibatch size
  EXPECT_EQ(report.all.chunks, 1);
  EXPECT_EQ(report.foreign_sequences, 0);
  EXPECT_EQ(report.held_samples, 0);
}

TEST(MeasureOrder, ShufflingOnlyChunksIsNearlyAsNoisy) {
  const OrderReport report =
      measure_order(equal_chunks(1000, 200), sequences_of(256, OrderAlgorithm::cntk, 1));
  EXPECT_NEAR(report.all.noise.value(), 12.1, 0.5);
}

TEST(MeasureOrder, AWindowOfAllDataEqualsAFullShuffle) {
  const auto counts = equal_chunks(100, 200);
  for (const OrderAlgorithm algorithm : {OrderAlgorithm::cntk, OrderAlgorithm::keyed}) {
    const OrderReport report = measure_order(counts, sequences_of(100, algorithm, 100));
    EXPECT_LT(report.all.noise.value(), 1.1);
    EXPECT_EQ(report.all.steps, 1000);
  }
  const OrderReport report = measure_order(counts, sequences_of(100, OrderAlgorithm::cntk, 100));
  EXPECT_GT(report.all.noise.value(), 0.9);
}

// readerlib.md, D19.
TEST(MeasureOrder, WindowsThatDoNotMixAreDetected) {
  const auto noise = [](const OrderOptions& order) {
    return measure_order(equal_chunks(100, 200), order).all.noise.value();
  };
  const double chunks_alone = noise(sequences_of(100, OrderAlgorithm::cntk, 1));
  EXPECT_NEAR(noise(sequences_of(100, OrderAlgorithm::cntk, 2)), chunks_alone, 0.3);
  EXPECT_LT(noise(sequences_of(100, OrderAlgorithm::cntk, 3)), 0.85 * chunks_alone);
  OrderOptions samples = sequences_of(100, OrderAlgorithm::cntk);
  samples.window_samples = 800;
  EXPECT_NEAR(noise(samples), chunks_alone, 0.3);
}

TEST(MeasureOrder, NoiseIsMeasuredForTheGivenValues) {
  const auto counts = equal_chunks(50, 200);
  const OrderOptions order = sequences_of(100, OrderAlgorithm::file);
  std::mt19937_64 random(7);  // NOLINT(cert-msc51-cpp): the same in each run
  std::vector<double> values(50 * 200);
  for (double& value : values) value = static_cast<double>(random() % 1000);
  const auto noise = [&](const auto& value_of) {
    return measure_order(counts, order, {.value = value_of}).all.noise;
  };
  const auto entry = [](ChunkIndex chunk, std::int64_t sequence) {
    return static_cast<std::size_t>(static_cast<std::int64_t>(chunk) * 200 + sequence);
  };
  // If values are in random order, the file order is as good as any order.
  EXPECT_NEAR(noise([&](ChunkIndex c, std::int64_t s) { return values[entry(c, s)]; }).value(), 1,
              0.15);
  EXPECT_NEAR(noise([](ChunkIndex c, std::int64_t) { return static_cast<double>(c); }).value(), 10,
              0.1);
  EXPECT_FALSE(noise([](ChunkIndex, std::int64_t) { return 1.0; }).has_value());
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(noise([&](ChunkIndex, std::int64_t) { return none; }).has_value());
}

TEST(MeasureOrder, AMinibatchOfAllSequencesHasNoNoise) {
  const OrderReport report =
      measure_order(equal_chunks(2, 20), sequences_of(40, OrderAlgorithm::keyed, 2));
  EXPECT_FALSE(report.all.noise.has_value());
  EXPECT_EQ(report.all.sequences, 40);
}

// Workers.

Sizes long_tailed(std::int64_t chunks, std::int64_t sequences) {
  std::mt19937_64 random(7);  // NOLINT(cert-msc51-cpp): the same in each run
  std::lognormal_distribution<double> length(3, 1);
  Sizes sizes(static_cast<std::size_t>(chunks));
  for (auto& chunk : sizes) {
    for (std::int64_t i = 0; i < sequences; ++i) {
      chunk.push_back(1 + static_cast<std::int64_t>(length(random)));
    }
  }
  return sizes;
}

TEST(MeasureOrder, KeyedMinibatchesDoNotDependOnTheWorkers) {
  const auto counts = std::make_shared<const MadeUpCounts>(long_tailed(20, 5000));
  OrderOptions order{
      .minibatch_size = 8000, .algorithm = OrderAlgorithm::keyed, .window_chunks = 5};
  const OrderReport one = measure_order(counts, order);
  EXPECT_LT(one.all.noise.value(), 1.2);
  EXPECT_EQ(one.all.noise, one.worker.noise);
  EXPECT_EQ(one.excess, 0);
  EXPECT_EQ(one.foreign_sequences, 0);
  order.worker_count = 8;
  order.worker_index = 3;  // has no effect
  const OrderReport eight = measure_order(counts, order);
  EXPECT_EQ(eight.all.noise, one.all.noise);
  EXPECT_EQ(eight.all.units, one.all.units);
  EXPECT_EQ(eight.idle_steps, 0);
  EXPECT_GT(eight.all.sequences / 8, 10);
  EXPECT_GT(eight.excess, 0);
  EXPECT_LT(eight.excess, 0.02);
  EXPECT_GT(eight.foreign_sequences, 0.001);
  EXPECT_LT(eight.foreign_sequences, 0.1);
  EXPECT_NEAR(eight.worker.sequences * 8, eight.all.sequences, 1);
  EXPECT_LT(eight.held_samples * 4, one.held_samples);
  EXPECT_NEAR(static_cast<double>(one.held_samples) / static_cast<double>(one.samples), 0.25, 0.04);
}

// If only some workers are measured, none of them may have the longest sequence of a step, but the
// report counts it.
TEST(MeasureOrder, TheLongestSequenceOfAStepCountsForAnyWorker) {
  Sizes sizes(100, std::vector<std::int64_t>(1000, 1));
  sizes[50][500] = 1000;
  const auto counts = std::make_shared<const MadeUpCounts>(sizes);
  OrderOptions order = sequences_of(100'000, OrderAlgorithm::keyed, 100, 1000);
  const OrderReport report = measure_order(counts, order, {.planned_max = 1'000'000});
  EXPECT_LT(report.workers, 10);
  EXPECT_NEAR(report.excess, 1000 / (100'999 / 1000.0) - 1, 1e-9);
  EXPECT_NEAR(report.excess_over_longest, 0, 1e-9);
}

// The sum of all loads of all workers in a sweep exceeds the size of the data by the foreign
// sequences.
TEST(MeasureOrder, ForeignSequencesAreReadTwice) {
  const Sizes sizes = long_tailed(40, 500);
  const auto counts = std::make_shared<const MadeUpCounts>(sizes);
  OrderOptions order{.minibatch_size = 2000,
                     .worker_count = 5,
                     .algorithm = OrderAlgorithm::keyed,
                     .window_chunks = 10};
  const std::vector<std::vector<testing::WalkedStep>> first = epochs_of(counts, order, 0, 1);
  std::int64_t loaded = 0;
  for (std::int64_t worker = 0; worker < 5; ++worker) {
    const std::vector<std::vector<testing::WalkedStep>> epochs =
        epochs_of(counts, order, worker, 1);
    for (const testing::WalkedStep& step : epochs.front()) {
      for (const ChunkRange& range : step.load) loaded += range.count;
    }
  }
  const OrderReport report = measure_order(counts, order, {.steps_max = std::ssize(first.front())});
  EXPECT_GT(loaded, 20'100);
  EXPECT_NEAR(report.foreign_sequences, static_cast<double>(loaded - 20'000) / 20'000, 0.002);
}

TEST(MeasureOrder, InFileOrderEveryWorkerReadsAllData) {
  const OrderReport report =
      measure_order(equal_chunks(10, 160), sequences_of(80, OrderAlgorithm::file, {}, 4));
  EXPECT_EQ(report.foreign_sequences, 3);
  EXPECT_EQ(report.foreign_samples, 3);
  EXPECT_EQ(report.worker.sequences, 20);
  EXPECT_EQ(report.all.sequences, 80);
  EXPECT_FALSE(report.all.chunks.has_value());
  EXPECT_NEAR(report.all.noise.value(), std::sqrt(80 * 1599.0 / 1520), 0.1);
}

// readerlib.md, D20.
TEST(MeasureOrder, MoreWorkersThanChunksOfCntkAreIdle) {
  const OrderReport report =
      measure_order(equal_chunks(5, 100), sequences_of(80, OrderAlgorithm::cntk, 5, 8));
  EXPECT_EQ(report.idle_steps, report.steps);
  EXPECT_NEAR(report.excess, 8.0 / 5 - 1, 1e-9);
  EXPECT_EQ(report.held_samples, 100);
  EXPECT_EQ(report.held_samples_of_all, 500);
}

TEST(MeasureOrder, AFinishedWorkerIsIdle) {
  // Worker 0 has three chunks and worker 1 has two. Each delivers ten sequences in a step.
  OrderOptions order = sequences_of(20, OrderAlgorithm::cntk, 5, 2);
  const OrderReport report = measure_order(equal_chunks(5, 100), order, {.steps_max = 30});
  EXPECT_EQ(report.steps, 30);
  EXPECT_EQ(report.idle_steps, 10);
  EXPECT_NEAR(report.excess, (20 * 0 + 10 * 1) / 30.0, 1e-9);
}

TEST(MeasureOrder, OnlySomeOfManyWorkersAreMeasured) {
  const auto counts = equal_chunks(100, 1000, 8);
  const OrderOptions order = sequences_of(2000, OrderAlgorithm::keyed, 25, 200);
  const OrderReport report = measure_order(counts, order, {.planned_max = 1'000'000});
  EXPECT_EQ(report.steps, 8);
  EXPECT_GE(report.workers, 4);
  EXPECT_LT(report.workers, 20);
  EXPECT_GT(report.all.steps, 50);
  EXPECT_LT(report.all.steps, 100);
  EXPECT_GE(report.excess, 0);
  EXPECT_LT(report.excess, 0.11);  // 11 sequences instead of 10
  EXPECT_NEAR(static_cast<double>(report.held_samples_of_all), 25'000, 10'000);
  const OrderReport all =
      measure_order(counts, order, {.steps_max = 2, .planned_max = 100'000'000});
  EXPECT_EQ(all.workers, 200);
  EXPECT_EQ(all.steps, 2);
  EXPECT_EQ(all.idle_steps, 0);
}

TEST(MeasureOrder, LongSweepsAreSampledAtTheirStarts) {
  const auto counts = equal_chunks(100, 1000, 8);
  const OrderReport report =
      measure_order(counts, sequences_of(100, OrderAlgorithm::keyed, 25), {.steps_max = 50});
  EXPECT_EQ(report.all.steps, 50);
  EXPECT_EQ(report.all.stretches, 16);
  EXPECT_EQ(report.steps, 50);
  EXPECT_LT(report.all.noise.value(), 1.5);
}

// Other numbers.

TEST(MeasureOrder, HeldBytesCountPartsOfChunks) {
  const OrderReport report =
      measure_order(equal_chunks(100, 200), sequences_of(100, OrderAlgorithm::cntk, 10),
                    {.chunk_bytes = [](ChunkIndex) { return 1000.0; }});
  EXPECT_EQ(report.held_bytes.value(), 5.0 * static_cast<double>(report.held_samples));
  EXPECT_GE(report.held_samples, 2000);
  EXPECT_LE(report.held_samples, 2600);
  EXPECT_FALSE(measure_order(equal_chunks(2, 2), sequences_of(1, OrderAlgorithm::file))
                   .held_bytes.has_value());
}

TEST(MeasureOrder, BucketsReducePadding) {
  const auto counts = std::make_shared<const MadeUpCounts>(long_tailed(20, 500));
  OrderOptions order{
      .minibatch_size = 2000, .algorithm = OrderAlgorithm::keyed, .window_chunks = 5};
  const double plain = measure_order(counts, order).padding.value();
  order.batching = Batching::bucketed;
  const double bucketed = measure_order(counts, order).padding.value();
  EXPECT_GT(plain, 0.5);
  EXPECT_LT(bucketed, 0.2);
}

TEST(MeasureOrder, FramesAreMeasuredAsSequences) {
  const auto counts = std::make_shared<const MadeUpCounts>(long_tailed(10, 100));
  for (const OrderAlgorithm algorithm :
       {OrderAlgorithm::file, OrderAlgorithm::cntk, OrderAlgorithm::keyed}) {
    OrderOptions order{.minibatch_size = 64, .split_frames = true, .algorithm = algorithm};
    if (algorithm != OrderAlgorithm::file) order.window_chunks = 10;
    const OrderReport report = measure_order(counts, order);
    EXPECT_EQ(report.sequences, report.samples);
    EXPECT_EQ(report.padding, 0);
    const double noise = report.all.noise.value();
    EXPECT_GT(noise, algorithm == OrderAlgorithm::file ? 7.8 : 0);
    EXPECT_LT(noise, algorithm == OrderAlgorithm::file ? 8.2 : 1.15);
  }
}

TEST(MeasureOrder, CutSequencesHaveNeitherNoiseNorPadding) {
  const auto counts = std::make_shared<const MadeUpCounts>(long_tailed(10, 100));
  for (const OrderAlgorithm algorithm :
       {OrderAlgorithm::file, OrderAlgorithm::cntk, OrderAlgorithm::keyed}) {
    OrderOptions order{.minibatch_size = 400,
                       .sweeps = {},
                       .worker_count = 2,
                       .algorithm = algorithm,
                       .truncation_length = 10};
    if (algorithm != OrderAlgorithm::file) order.window_chunks = 3;
    const OrderReport report = measure_order(counts, order);
    EXPECT_FALSE(report.all.noise.has_value());
    EXPECT_FALSE(report.worker.noise.has_value());
    EXPECT_FALSE(report.padding.has_value());
    EXPECT_NEAR(report.all.samples, 400, 5);
  }
}

TEST(MeasureOrder, EmptyDataGiveNoSteps) {
  for (const Sizes& sizes : {Sizes{}, Sizes{{0, 0}}}) {
    const auto counts = std::make_shared<const MadeUpCounts>(sizes);
    const OrderReport report = measure_order(counts, sequences_of(3, OrderAlgorithm::keyed, 1, 2));
    EXPECT_EQ(report.samples, 0);
    EXPECT_EQ(report.excess, 0);
    EXPECT_FALSE(report.all.noise.has_value());
  }
}

TEST(MeasureOrder, RefusesInvalidOptions) {
  const auto counts = equal_chunks(1, 10);
  EXPECT_THROW(static_cast<void>(measure_order(counts, sequences_of(1, OrderAlgorithm::cntk))),
               ConfigError);
  EXPECT_THROW(static_cast<void>(measure_order(counts, sequences_of(0, OrderAlgorithm::file))),
               ConfigError);
}

}  // namespace
}  // namespace sheaf
