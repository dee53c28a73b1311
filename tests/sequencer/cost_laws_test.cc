// Minibatches that count costs declared by the data. The laws of all orders in
// make_sequencer_test.cc hold for these minibatches, too.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/order_report.h"
#include "sheaf/extend/sequencer.h"

#include "sequencer/made_up_counts.h"
#include "sequencer/made_up_options.h"
#include "support/error_of.h"

namespace sheaf {
namespace {

using testing::any_of;
using testing::made_up_options;
using testing::MadeUpCounts;
using testing::Sizes;
using testing::walk;

constexpr OrderAlgorithm kAlgorithms[] = {OrderAlgorithm::file, OrderAlgorithm::cntk,
                                          OrderAlgorithm::keyed};

OrderOptions options_of(OrderAlgorithm algorithm) {
  OrderOptions options{.unit = MinibatchUnit::cost, .algorithm = algorithm};
  if (algorithm != OrderAlgorithm::file) options.window_chunks = 3;
  return options;
}

std::shared_ptr<MadeUpCounts> counts_with(const Sizes& sizes, MadeUpCounts::Cost cost) {
  auto counts = std::make_shared<MadeUpCounts>(sizes);
  counts->set_costs({.name = "points"}, std::move(cost));
  return counts;
}

std::int64_t made_up_cost(const SequenceRef& ref) {
  return MadeUpCounts::made_up_cost(static_cast<std::int64_t>(ref.chunk), ref.sequence);
}

Sizes some_sizes() {
  Sizes sizes;
  for (std::int64_t chunk = 0; chunk < 20; ++chunk) {
    std::vector<std::int64_t>& lengths = sizes.emplace_back();
    for (std::int64_t i = 0; i < 15 + chunk % 4; ++i) lengths.push_back(1 + (3 * chunk + i) % 9);
  }
  return sizes;
}

// The strongest law: if costs are sample counts, they change nothing, in any order.
RC_GTEST_PROP(CostLaws, CostsEqualToSampleCountsGiveTheSameMinibatches, ()) {
  const auto length = rc::gen::oneOf(any_of<std::int64_t>(1, 4), any_of<std::int64_t>(1, 30));
  const auto chunk =
      rc::gen::nonEmpty(rc::gen::resize(12, rc::gen::container<std::vector<std::int64_t>>(length)));
  const Sizes sizes = *rc::gen::nonEmpty(rc::gen::resize(10, rc::gen::container<Sizes>(chunk)));
  OrderOptions options = made_up_options();
  options.split_frames = false;
  options.truncation_length = {};
  if (options.long_sequences != LongSequences::error) options.long_sequences = LongSequences::drop;
  options.sizes = sheaf::Sizes::even;  // exact sizes count sequences only
  options.drop_last = false;
  if (options.algorithm == OrderAlgorithm::keyed && options.epoch_size) {
    options.epoch_size = {};  // an epoch end divides samples anew, but not costs
    options.sweeps = 2;
  }
  const auto counts = counts_with(sizes, [&](std::int64_t c, std::int64_t i) {
    return sizes[static_cast<std::size_t>(c)][static_cast<std::size_t>(i)];
  });
  options.unit = MinibatchUnit::samples;
  const std::vector<testing::WalkedStep> by_samples =
      walk(*make_sequencer(counts, options), {}, 100'000);
  options.unit = MinibatchUnit::cost;
  const std::vector<testing::WalkedStep> by_cost =
      walk(*make_sequencer(counts, options), {}, 100'000);
  RC_ASSERT(by_samples.size() == by_cost.size());
  for (std::size_t i = 0; i < by_cost.size(); ++i) {
    RC_ASSERT(by_cost[i].sequences == by_samples[i].sequences);
    RC_ASSERT(by_cost[i].sample_count == by_samples[i].sample_count);
    RC_ASSERT(by_cost[i].ends_sweep == by_samples[i].ends_sweep);
    RC_ASSERT(by_cost[i].ends_epoch == by_samples[i].ends_epoch);
    RC_ASSERT(by_cost[i].load == by_samples[i].load);
    RC_ASSERT(by_cost[i].release == by_samples[i].release);
    Place next = by_cost[i].next;
    if (options.algorithm == OrderAlgorithm::keyed) next.carry = by_samples[i].next.carry;
    RC_ASSERT(next == by_samples[i].next);
  }
}

TEST(CostLaws, DataWithoutCostsAreRefusedWithTheReason) {
  const auto counts = std::make_shared<MadeUpCounts>(Sizes{{1, 2}});
  counts->set_costs({.name = {}, .reason = "train.cbf: CBF files declare none"}, {});
  for (const OrderAlgorithm algorithm : kAlgorithms) {
    EXPECT_EQ(testing::error_of(
                  [&] { static_cast<void>(make_sequencer(counts, options_of(algorithm))); }),
              "unit \"cost\": the data declare no cost of a sequence: train.cbf: CBF files declare "
              "none; leave unit out, or read data that declare one (docs/options.md)");
  }
  counts->set_costs({}, {});
  EXPECT_EQ(
      testing::error_of(
          [&] { static_cast<void>(make_sequencer(counts, {.unit = MinibatchUnit::cost})); }),
      "unit \"cost\": the data declare no cost of a sequence; leave unit out, or read data that "
      "declare one (docs/options.md)");
}

TEST(CostLaws, PartsOfSequencesHaveNoCost) {
  const auto counts = std::make_shared<MadeUpCounts>(Sizes{{1, 2}});
  for (const OrderAlgorithm algorithm : kAlgorithms) {
    OrderOptions options = options_of(algorithm);
    options.split_frames = true;
    EXPECT_EQ(testing::error_of([&] { static_cast<void>(make_sequencer(counts, options)); }),
              "split_frames and unit \"cost\" exclude each other: a cost belongs to a whole "
              "sequence; leave one of them out");
    options.split_frames = false;
    options.row_samples = 1;
    for (const LongSequences cut : {LongSequences::split, LongSequences::truncate}) {
      options.long_sequences = cut;
      EXPECT_EQ(testing::error_of([&] { static_cast<void>(make_sequencer(counts, options)); }),
                "long \"" + std::string(to_string(cut)) +
                    "\" and unit \"cost\" exclude each other: a cost belongs to a whole sequence; "
                    "leave one of them out, or take long \"drop\"");
    }
    options.long_sequences = LongSequences::error;
    options.truncation_length = 2;
    EXPECT_EQ(testing::error_of([&] { static_cast<void>(make_sequencer(counts, options)); }),
              "truncation_length: minibatch_size counts samples where sequences are cut; leave "
              "unit out");
  }
}

TEST(CostLaws, InvalidCostsAreRefused) {
  for (const OrderAlgorithm algorithm : kAlgorithms) {
    const auto negative = counts_with({{1, 2}}, [](auto, std::int64_t i) { return 1 - 3 * i; });
    EXPECT_THROW(walk(*make_sequencer(negative, options_of(algorithm))), InternalError);
  }
  const auto large = counts_with(some_sizes(), [](auto, auto) { return std::int64_t{1} << 58; });
  EXPECT_EQ(
      testing::error_of([&] { walk(*make_sequencer(large, options_of(OrderAlgorithm::keyed))); }),
      "unit \"cost\": the costs of all sequences are more than 4611686018427387903 together");
}

// Tests the largest allowed sum of costs, one below and one above.
TEST(CostLaws, TheSumOfCostsIsLimited) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 62) - 1;
  for (const std::int64_t all : {kMost - 1, kMost, kMost + 1}) {
    const auto counts = counts_with(
        {{1, 2, 3}}, [&](auto, std::int64_t i) { return i < 2 ? std::int64_t{1} : all - 2; });
    for (const OrderAlgorithm algorithm : kAlgorithms) {
      OrderOptions options = options_of(algorithm);
      options.minibatch_size = 2;
      const auto sequencer = make_sequencer(counts, options);
      if (algorithm == OrderAlgorithm::keyed && all > kMost) {
        EXPECT_THROW(walk(*sequencer), ConfigError);
        continue;
      }
      std::size_t delivered = 0;
      for (const testing::WalkedStep& step : walk(*sequencer)) delivered += step.sequences.size();
      EXPECT_EQ(delivered, 3U) << all;
    }
  }
}

// A minibatch of sequences with cost 0 is never full.
TEST(CostLaws, CostsOfZeroGiveFiniteSteps) {
  const Sizes sizes = some_sizes();
  for (const OrderAlgorithm algorithm : kAlgorithms) {
    for (const std::int64_t period : {1, 2, 3}) {
      for (const SweepEnds sweep_ends : {SweepEnds::cross, SweepEnds::cut}) {
        // With several workers, all sequences of a worker may have cost 0.
        OrderOptions options = options_of(algorithm);
        options.minibatch_size = 1'000'000;
        options.sweeps = {};
        options.sweep_ends = sweep_ends;
        options.worker_count = period;
        const auto counts = counts_with(sizes, [&](std::int64_t c, std::int64_t i) -> std::int64_t {
          if (period == 1) return 0;
          const std::int64_t number = algorithm == OrderAlgorithm::cntk ? c : i;
          return number % period == 0 ? 5 : 0;
        });
        for (options.worker_index = 0; options.worker_index < period; ++options.worker_index) {
          const std::vector<testing::WalkedStep> steps =
              walk(*make_sequencer(counts, options), {}, 5);
          EXPECT_EQ(steps.size(), 5U);
        }
      }
    }
  }
}

TEST(CostLaws, BucketsHaveSequencesOfSimilarCost) {
  const Sizes sizes = some_sizes();
  const auto counts = std::make_shared<MadeUpCounts>(sizes);
  OrderOptions options = options_of(OrderAlgorithm::keyed);
  options.minibatch_size = 120;
  const auto waste_of = [&](Batching batching) {
    options.batching = batching;
    std::int64_t waste = 0;
    std::size_t delivered = 0;
    for (const testing::WalkedStep& step : walk(*make_sequencer(counts, options))) {
      std::int64_t largest = 0;
      std::int64_t sum = 0;
      for (const SequenceRef& ref : step.sequences) {
        largest = std::max(largest, made_up_cost(ref));
        sum += made_up_cost(ref);
      }
      const std::int64_t padded = largest * std::ssize(step.sequences);
      if (batching == Batching::bucketed && step.sequences.size() > 1) {
        EXPECT_LE(padded, options.minibatch_size);
      }
      waste += padded - sum;
      delivered += step.sequences.size();
    }
    EXPECT_EQ(delivered, 330U);
    return waste;
  };
  const std::int64_t plain = waste_of(Batching::plain);
  EXPECT_LT(4 * waste_of(Batching::bucketed), plain);
}

TEST(CostLaws, KeyedWorkersHaveSimilarCosts) {
  const auto counts = std::make_shared<MadeUpCounts>(some_sizes());
  OrderOptions options = options_of(OrderAlgorithm::keyed);
  options.minibatch_size = 400;
  options.worker_count = 4;
  options.sweeps = 2;
  const OrderReport report = measure_order(counts, options);
  EXPECT_LT(report.excess, 0.05);
  EXPECT_EQ(report.cost_name, "points");
  std::int64_t all = 0;
  for (std::int64_t chunk = 0; chunk < 20; ++chunk) all += counts->chunk_cost(ChunkIndex{chunk});
  EXPECT_EQ(report.cost, all);
  ASSERT_TRUE(report.all.cost);
  EXPECT_NEAR(*report.all.cost, 400, 40);
  options.balance = Balance::count;
  EXPECT_GT(measure_order(counts, options).excess, 0.05);
}

TEST(CostLaws, AReportHasCostsOnlyIfTheyAreCounted) {
  const OrderReport report = measure_order(std::make_shared<MadeUpCounts>(some_sizes()), {});
  EXPECT_FALSE(report.cost);
  EXPECT_FALSE(report.all.cost);
  EXPECT_EQ(report.cost_name, "");
}

TEST(CostLaws, APositionOfKeyedNeedsItsCost) {
  const auto counts = std::make_shared<MadeUpCounts>(some_sizes());
  const auto error_at = [&](const OrderOptions& options, const Place& place) {
    return testing::error_of([&] {
      const auto sequencer = make_sequencer(counts, options);
      Place at = place;
      testing::Stepper stepper(*sequencer);
      while (const std::optional<Step> step = stepper.step(at)) at = step->next;
    });
  };
  OrderOptions options = options_of(OrderAlgorithm::keyed);
  options.minibatch_size = 100;
  const Place right = testing::step_of(*make_sequencer(counts, options), {})->next;
  ASSERT_EQ(right.carry.size(), 1U);
  EXPECT_EQ(make_sequencer(counts, options)->options().at("unit"), "cost");
  Place wrong = right;
  wrong.carry = {};
  EXPECT_EQ(error_at(options, wrong).substr(0, 61),
            "position: where minibatches count costs, the order \"keyed\" ca");
  wrong.carry = {1'000'000};
  EXPECT_EQ(error_at(options, wrong).substr(0, 61),
            "position: where minibatches count costs, the order \"keyed\" ca");
  wrong.carry = {right.carry[0] + 1};
  const std::string start = "position: the cost " + std::to_string(wrong.carry[0]) +
                            " does not belong to sequence " + std::to_string(right.sequence);
  EXPECT_EQ(error_at(options, wrong).substr(0, start.size()), start);
  wrong.carry = {right.carry[0], 0};
  EXPECT_EQ(error_at(options, wrong),
            "position: the order \"keyed\" takes a cost as carry: got 2 numbers");
  options.batching = Batching::bucketed;
  wrong.carry = {1, 2, 3};
  EXPECT_EQ(error_at(options, wrong),
            "position: the order \"keyed\" takes a cost and the number of a batch as carry: got 3 "
            "numbers");
}

// A run with another minibatch size continues from the same place.
TEST(CostLaws, APositionOfKeyedBelongsToAnyMinibatchSize) {
  const auto counts = std::make_shared<MadeUpCounts>(some_sizes());
  OrderOptions options = options_of(OrderAlgorithm::keyed);
  const auto sequences_from = [&](const Place& place) {
    std::vector<SequenceRef> sequences;
    for (const testing::WalkedStep& step : walk(*make_sequencer(counts, options), place)) {
      sequences.insert(sequences.end(), step.sequences.begin(), step.sequences.end());
    }
    return sequences;
  };
  options.minibatch_size = 100;
  const Place place = testing::step_of(*make_sequencer(counts, options), {})->next;
  const std::vector<SequenceRef> rest = sequences_from(place);
  options.minibatch_size = 37;
  EXPECT_EQ(sequences_from(place), rest);
}

}  // namespace
}  // namespace sheaf
