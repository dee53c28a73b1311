// CNTK's own tests of its orders, with the same data, windows and sizes. The lengths of the
// sequences come from CNTK's generator, by way of tests/golden/18_sequential_tables.txt.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/sequencer.h"

#include "sequencer/golden.h"

namespace sheaf {
namespace {

using testing::MadeUpCounts;
using testing::Sizes;
using testing::walk;

constexpr std::int64_t kStepsMax = 10'000'000;

/// Returns the table "chunkSamples N total N maxLen N" of the golden file. If all lengths are 1,
/// makes the table.
Sizes sequential(std::int64_t chunk_samples, std::int64_t total, std::int64_t longest) {
  Sizes table;
  if (longest == 1) {
    for (std::int64_t left = total; left > 0; left -= chunk_samples) {
      table.emplace_back(static_cast<std::size_t>(std::min(left, chunk_samples)), 1);
    }
    return table;
  }
  const std::vector<std::string> wanted = {"set",
                                           "chunkSamples",
                                           std::to_string(chunk_samples),
                                           "total",
                                           std::to_string(total),
                                           "maxLen",
                                           std::to_string(longest)};
  bool is_wanted = false;
  for (const std::vector<std::string>& words : testing::golden_lines("18_sequential_tables.txt")) {
    if (words[0] == "set") {
      is_wanted = std::equal(wanted.begin(), wanted.end(), words.begin());
    } else if (is_wanted) {
      std::vector<std::int64_t>& chunk = table.emplace_back();
      for (const std::string& word : words) chunk.push_back(std::stoll(word));
    }
  }
  std::int64_t samples = 0;
  for (const auto& chunk : table) samples += std::accumulate(chunk.begin(), chunk.end(), 0L);
  EXPECT_EQ(samples, total);
  return table;
}

/// Returns chunks of `count` sequences of `length` samples.
Sizes mock(std::size_t chunks, std::size_t count, std::int64_t length) {
  return Sizes(chunks, std::vector<std::int64_t>(count, length));
}

OrderOptions in_samples(std::int64_t window) {
  OrderOptions options;
  options.algorithm = OrderAlgorithm::cntk;
  options.window_samples = window;
  return options;
}

std::unique_ptr<Sequencer> sequencer_of(const Sizes& table, const OrderOptions& options) {
  return make_sequencer(std::make_shared<MadeUpCounts>(table), options);
}

std::int64_t samples_of(const Sizes& table) {
  std::int64_t samples = 0;
  for (const auto& chunk : table) samples += std::accumulate(chunk.begin(), chunk.end(), 0L);
  return samples;
}

std::vector<SequenceRef> sequences_of(const std::vector<testing::WalkedStep>& steps) {
  std::vector<SequenceRef> sequences;
  for (const Step& step : steps) {
    sequences.insert(sequences.end(), step.sequences.begin(), step.sequences.end());
  }
  return sequences;
}

/// Returns the sequences of one epoch, beginning at a sample.
std::vector<SequenceRef> read_epoch(const Sizes& table, OrderOptions options, std::int64_t size,
                                    std::int64_t epoch) {
  options.epoch_size = size;
  options.epochs = epoch + 1;
  const auto sequencer = sequencer_of(table, options);
  return sequences_of(walk(*sequencer, sequencer->place_of(size * epoch), kStepsMax));
}

TEST(CntkCatalog, EpochsAreReproducible) {
  const Sizes table = sequential(10'000, 500'000, 300);
  for (OrderOptions options : {in_samples(50'000), OrderOptions{}}) {
    for (const std::int64_t size : {50'000, 333'333}) {
      options.epoch_size = size;
      options.epochs = 3;
      const std::vector<SequenceRef> all =
          sequences_of(walk(*sequencer_of(table, options), {}, kStepsMax));
      std::vector<SequenceRef> joined;
      for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
        const std::vector<SequenceRef> one = read_epoch(table, options, size, epoch);
        joined.insert(joined.end(), one.begin(), one.end());
      }
      EXPECT_EQ(joined, all) << size;
    }
  }
}

TEST(CntkCatalog, SweepsConsistOfEpochs) {
  const Sizes table = sequential(10'000, 500'000, 300);
  for (const auto& [window, size, count] : {std::tuple{50'000, 300'000, 5},
                                            {30'000, 166'666, 9},
                                            {30'000, 125'000, 4},
                                            {250'000, 100'000, 5}}) {
    OrderOptions sweeps = in_samples(window);
    sweeps.sweeps = 3;
    const std::vector<SequenceRef> all =
        sequences_of(walk(*sequencer_of(table, sweeps), {}, kStepsMax));
    std::vector<SequenceRef> joined;
    for (std::int64_t epoch = 0; epoch < count; ++epoch) {
      const std::vector<SequenceRef> one = read_epoch(table, in_samples(window), size, epoch);
      joined.insert(joined.end(), one.begin(), one.end());
    }
    ASSERT_LE(joined.size(), all.size());
    EXPECT_TRUE(std::equal(joined.begin(), joined.end(), all.begin())) << window << " " << size;
  }
}

TEST(CntkCatalog, AWindowOfThreeChunksMixesThem) {
  OrderOptions options{.minibatch_size = 100, .algorithm = OrderAlgorithm::cntk};
  options.window_chunks = 3;
  const std::vector<testing::WalkedStep> steps = walk(*sequencer_of(mock(10, 100, 1), options));
  ASSERT_EQ(steps.size(), 10U);
  for (const Step& step : steps) {
    EXPECT_TRUE(std::any_of(step.sequences.begin(), step.sequences.end(),
                            [&](const auto& ref) { return ref.chunk != step.sequences[0].chunk; }));
  }
}

TEST(CntkCatalog, MinibatchesAreFullUnlessAnEpochOrASweepEnds) {
  const Sizes table = mock(5, 2, 1);
  for (OrderOptions options : {in_samples(testing::golden_number("MAX")), OrderOptions{}}) {
    options.sweep_ends = SweepEnds::cut;
    options.epoch_size = 20;
    for (options.minibatch_size = 1; options.minibatch_size <= 11; ++options.minibatch_size) {
      std::int64_t at = 0;
      for (const Step& step : walk(*sequencer_of(table, options))) {
        EXPECT_EQ(step.sample_count, std::min(options.minibatch_size, 10 - at % 10));
        at += step.sample_count;
        EXPECT_EQ(step.ends_sweep, at % 10 == 0);
        EXPECT_EQ(step.ends_epoch, at == 20);
      }
      EXPECT_EQ(at, 20);
    }
  }
}

TEST(CntkCatalog, TheLastMinibatchOfAnEpochHasTheRest) {
  const Sizes table = sequential(1000, 15'000, 1);
  for (OrderOptions options : {in_samples(5000), OrderOptions{}}) {
    options.minibatch_size = 128;
    options.epoch_size = 447;
    const std::vector<testing::WalkedStep> steps = walk(*sequencer_of(table, options));
    ASSERT_EQ(steps.size(), 4U);
    EXPECT_EQ(steps.back().sample_count, 63);
  }
}

TEST(CntkCatalog, SweepEndsAreCountedForAnyEpochsAndWorkers) {
  const Sizes table = mock(100, 10, 3);
  std::mt19937_64 random(17);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  for (int i = 0; i < 200; ++i) {
    OrderOptions options = i % 2 == 0 ? in_samples(18) : OrderOptions{};
    options.timeline = Timeline::global;
    options.worker_count = draw(1, 100);
    options.worker_index = draw(0, options.worker_count - 1);
    options.minibatch_size = draw(1, 100);
    options.sweep_ends = draw(0, 1) == 0 ? SweepEnds::cut : SweepEnds::cross;
    options.epoch_size = 3000 * draw(1, 10) / draw(1, 10);
    options.epochs = draw(1, 20);
    const auto sequencer = sequencer_of(table, options);
    testing::Stepper stepper(*sequencer);
    Place place = sequencer->place_of(*options.epoch_size * (*options.epochs - 1));
    if (place.epoch != *options.epochs - 1) continue;  // one sequence covers the whole epoch
    const std::int64_t first_sweep = place.sweep;
    std::int64_t ends = 0;
    while (const std::optional<Step> step = stepper.step(place)) {
      // A step that crosses several ends sets one flag only. Here, steps are shorter than a sweep.
      ends += step->ends_sweep ? 1 : 0;
      place = step->next;
    }
    EXPECT_EQ(ends, place.sweep - first_sweep) << i;
  }
}

TEST(CntkCatalog, NoMinibatchIsDegenerate) {
  std::mt19937_64 random(28);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  for (int i = 0; i < 100; ++i) {
    const std::int64_t length = draw(1, 10);
    const Sizes table = mock(1, static_cast<std::size_t>(draw(1, 60)), length);
    OrderOptions options = in_samples(testing::golden_number("MAX"));
    options.minibatch_size = draw(length, 100);
    options.epoch_size = draw(1, 300);
    const std::int64_t full = options.minibatch_size / length * length;
    const std::vector<testing::WalkedStep> steps = walk(*sequencer_of(table, options));
    EXPECT_LE(std::ssize(steps), (*options.epoch_size + length - 1) / length * length / full + 1);
    for (std::size_t n = 0; n + 1 < steps.size(); ++n) EXPECT_EQ(steps[n].sample_count, full);
  }
}

struct Union {
  Sizes table;
  std::int64_t window;  // 0 means file order
};

TEST(CntkCatalog, WorkersTogetherReadEverything) {
  std::vector<Union> cases;
  for (const std::int64_t window : {4990, 1, 0}) {
    cases.push_back({sequential(998, 21'335, 1), window});
    cases.push_back({sequential(1, 1332, 1), window});
    cases.push_back({sequential(998, 21'335, 300), window});
    cases.push_back({sequential(1, 1332, 300), window});
  }
  for (const Union& row : cases) {
    for (const std::int64_t minibatch_size : {64, 33, 31}) {
      for (const std::int64_t workers : {1, 8, 16}) {
        for (const std::int64_t sweeps : {1, 2}) {
          std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> seen;
          for (std::int64_t worker = 0; worker < workers; ++worker) {
            OrderOptions options = row.window > 0 ? in_samples(row.window) : OrderOptions{};
            options.minibatch_size = minibatch_size;
            options.worker_count = workers;
            options.worker_index = worker;
            options.sweeps = sweeps;
            const std::int64_t share = (minibatch_size + workers - 1) / workers;
            for (const Step& step : walk(*sequencer_of(row.table, options), {}, kStepsMax)) {
              EXPECT_TRUE(step.sample_count <= share || step.sequences.size() == 1);
              for (const SequenceRef& ref : step.sequences) {
                ++seen[{static_cast<std::int64_t>(ref.chunk), ref.sequence}];
              }
            }
          }
          std::int64_t samples = 0;
          for (const auto& [at, times] : seen) {
            ASSERT_EQ(times, sweeps);
            samples +=
                row.table[static_cast<std::size_t>(at.first)][static_cast<std::size_t>(at.second)];
          }
          ASSERT_EQ(samples, samples_of(row.table)) << row.window << " " << workers;
        }
      }
    }
  }
}

TEST(CntkCatalog, ASeekDropsAPendingSweepEnd) {
  const Sizes table = sequential(100, 100, 10);
  OrderOptions options{.minibatch_size = 30, .sweeps = 3, .truncation_length = 3};
  const auto sequencer = sequencer_of(table, options);
  testing::Stepper stepper(*sequencer);
  Place place;
  std::optional<Step> step;
  do {
    step = stepper.step(place);
    ASSERT_TRUE(step);
    place = step->next;
  } while (!step->ends_sweep);
  step = stepper.step(sequencer->place_of(100));
  ASSERT_TRUE(step);
  EXPECT_FALSE(step->ends_sweep);
}

}  // namespace
}  // namespace sheaf
