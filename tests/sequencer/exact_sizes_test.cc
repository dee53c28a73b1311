#include "sequencer/exact_sizes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/sequencer.h"

#include "sequencer/made_up_counts.h"
#include "sequencer/made_up_options.h"
#include "sequencer/window_law.h"

namespace sheaf::internal {
namespace {

using testing::any_of;
using testing::MadeUpCounts;
using testing::walk;

using Table = std::vector<std::vector<std::int64_t>>;  // [chunk][sequence]: samples
using Keys = std::vector<std::pair<std::int64_t, std::int64_t>>;

constexpr std::int64_t kStepsMax = 100'000;

/// Returns a table of up to about 400 sequences.
Table made_up_table() {
  const auto most = *rc::gen::element<std::int64_t>(2, 9, 60);
  Table table(*any_of<std::size_t>(1, 6));
  for (auto& chunk : table) {
    chunk = *rc::gen::container<std::vector<std::int64_t>>(*any_of<std::size_t>(1, 70),
                                                           any_of<std::int64_t>(0, most));
  }
  return table;
}

std::int64_t sequences_of(const Table& table) {
  std::int64_t count = 0;
  for (const auto& chunk : table) count += std::ssize(chunk);
  return count;
}

std::int64_t samples_of(const Table& table) {
  std::int64_t count = 0;
  for (const auto& chunk : table) {
    for (const std::int64_t samples : chunk) count += samples;
  }
  return count;
}

OrderOptions exact(std::int64_t size, bool drop_last = false, Batching batching = Batching::plain) {
  return {.minibatch_size = size,
          .unit = MinibatchUnit::sequences,
          .algorithm = OrderAlgorithm::keyed,
          .seed = 7,
          .window_chunks = 3,
          .balance = Balance::count,
          .batching = batching,
          .sizes = sheaf::Sizes::exact,
          .drop_last = drop_last};
}

/// Returns random minibatch sizes. With drop_last, a minibatch is no larger than a sweep.
OrderOptions made_up_exact(const Table& table) {
  const bool drop_last = *rc::gen::arbitrary<bool>();
  const std::int64_t most = drop_last ? sequences_of(table) : 500;
  OrderOptions options =
      exact(*rc::gen::oneOf(any_of<std::int64_t>(1, std::min<std::int64_t>(most, 9) + 1),
                            any_of<std::int64_t>(1, most + 1)),
            drop_last, *rc::gen::element(Batching::plain, Batching::bucketed));
  options.seed = *rc::gen::arbitrary<std::uint64_t>();
  options.window_chunks = *any_of<std::int64_t>(1, 9);
  options.epochs = *any_of<std::int64_t>(1, 4);
  options.sweeps = *any_of<std::int64_t>(1, 4);
  options.balance = *rc::gen::element(Balance::cost, Balance::count);
  return options;
}

std::unique_ptr<Sequencer> sequencer_of(const Table& table, OrderOptions options,
                                        std::int64_t worker = 0, std::int64_t worker_count = 1) {
  options.worker_index = worker;
  options.worker_count = worker_count;
  return make_sequencer(std::make_shared<MadeUpCounts>(table), options);
}

std::vector<testing::WalkedStep> steps_of(const Table& table, const OrderOptions& options,
                                          const Place& place = {}) {
  return walk(*sequencer_of(table, options), place, kStepsMax);
}

std::vector<std::int64_t> counts_of(const std::vector<testing::WalkedStep>& steps) {
  std::vector<std::int64_t> counts;
  for (const testing::WalkedStep& step : steps) counts.push_back(std::ssize(step.sequences));
  return counts;
}

Keys keys_of(const Step& step) {
  Keys keys;
  for (const SequenceRef& ref : step.sequences) {
    keys.emplace_back(static_cast<std::int64_t>(ref.chunk), ref.sequence);
  }
  return keys;
}

RC_GTEST_PROP(ExactSizesLaws, EachSweepHasFullMinibatchesAndOneShortLastOne, ()) {
  const Table table = made_up_table();
  const OrderOptions options = made_up_exact(table);
  const std::int64_t size = options.minibatch_size;
  const std::int64_t count = sequences_of(table);
  const std::int64_t sweeps = *options.sweeps * *options.epochs;
  const std::int64_t full = count / size;
  const std::int64_t rest = options.drop_last ? 0 : count % size;
  const std::vector<testing::WalkedStep> steps = steps_of(table, options);
  const std::int64_t of_sweep = full + (rest > 0 ? 1 : 0);
  RC_ASSERT(std::ssize(steps) == sweeps * of_sweep);
  Keys sweep;
  for (std::int64_t i = 0; i < std::ssize(steps); ++i) {
    const testing::WalkedStep& step = steps[static_cast<std::size_t>(i)];
    const bool is_last = i % of_sweep == of_sweep - 1;
    RC_ASSERT(std::ssize(step.sequences) == (is_last && rest > 0 ? rest : size));
    RC_ASSERT(step.ends_sweep == is_last);
    RC_ASSERT(step.ends_epoch == (is_last && (i / of_sweep + 1) % *options.sweeps == 0));
    const Keys keys = keys_of(step);
    sweep.insert(sweep.end(), keys.begin(), keys.end());
    if (!is_last) continue;
    std::ranges::sort(sweep);
    RC_ASSERT(std::ranges::adjacent_find(sweep) == sweep.end());
    RC_ASSERT(std::ssize(sweep) == full * size + rest);
    sweep.clear();
  }
}

// Exact sizes cut the same order at other points.
RC_GTEST_PROP(ExactSizesLaws, TheOrderIsThatOfEvenSizes, ()) {
  const Table table = made_up_table();
  OrderOptions options = made_up_exact(table);
  options.batching = Batching::plain;
  options.epochs = 1;
  options.sweeps = 1;
  const auto order = [&] {
    Keys keys;
    for (const testing::WalkedStep& step : steps_of(table, options)) {
      const Keys of_step = keys_of(step);
      keys.insert(keys.end(), of_step.begin(), of_step.end());
    }
    return keys;
  };
  Keys found = order();
  options.sizes = sheaf::Sizes::even;
  options.drop_last = false;
  const Keys all = order();
  RC_ASSERT(found == Keys(all.begin(), all.begin() + std::ssize(found)));
}

RC_GTEST_PROP(ExactSizesLaws, AnEpochOfSamplesShortensOneMinibatch, ()) {
  const Table table = made_up_table();
  RC_PRE(samples_of(table) > 0);
  OrderOptions options = made_up_exact(table);
  options.epoch_size = *any_of<std::int64_t>(1, 3 * samples_of(table) + 2);
  const std::vector<testing::WalkedStep> steps = steps_of(table, options);
  RC_ASSERT(std::ssize(steps) < kStepsMax);
  std::int64_t epochs = 0;
  for (const testing::WalkedStep& step : steps) {
    const bool is_cut = step.ends_sweep || step.ends_epoch;
    const std::int64_t count = std::ssize(step.sequences);
    if (!is_cut) RC_ASSERT(count == options.minibatch_size);
    RC_ASSERT(count <= options.minibatch_size);
    if (options.drop_last) RC_ASSERT(count == options.minibatch_size || count == 0);
    if (count == 0) RC_ASSERT(step.ends_epoch);
    epochs += step.ends_epoch ? 1 : 0;
    RC_ASSERT(step.next.epoch == epochs);
  }
  RC_ASSERT(epochs == *options.epochs);
}

// Any number of workers delivers the same minibatches, beginning at any step.
RC_GTEST_PROP(ExactSizesLaws, WorkersShareTheMinibatchesOfOneWorkerFromAnyStep, ()) {
  const Table table = made_up_table();
  OrderOptions options = made_up_exact(table);
  if (*rc::gen::arbitrary<bool>()) options.epoch_size = *any_of<std::int64_t>(1, 3000);
  RC_PRE(!options.epoch_size || samples_of(table) > 0);
  const std::vector<testing::WalkedStep> steps = steps_of(table, options);
  const std::size_t every = steps.size() / 20 + 1;
  for (std::size_t i = *any_of<std::size_t>(0, every); i < steps.size(); i += every) {
    const Place place = i == 0 ? Place{} : steps[i - 1].next;
    const auto worker_count = *any_of<std::int64_t>(1, 9);
    Keys together;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = 0;
    for (std::int64_t worker = 0; worker < worker_count; ++worker) {
      const std::optional<Step> part =
          testing::step_of(*sequencer_of(table, options, worker, worker_count), place);
      RC_ASSERT(part.has_value());
      RC_ASSERT(part->next == steps[i].next);
      RC_ASSERT(part->ends_sweep == steps[i].ends_sweep);
      RC_ASSERT(part->ends_epoch == steps[i].ends_epoch);
      const Keys keys = keys_of(*part);
      together.insert(together.end(), keys.begin(), keys.end());
      least = std::min(least, std::ssize(keys));
      most = std::max(most, std::ssize(keys));
    }
    Keys whole = keys_of(steps[i]);
    std::ranges::sort(whole);
    std::ranges::sort(together);
    RC_ASSERT(together == whole);
    const bool counts = options.balance == Balance::count || options.batching == Batching::bucketed;
    if (counts) RC_ASSERT(most - least <= 1);
  }
}

// A delivered sequence is held, and at the end nothing is held.
RC_GTEST_PROP(ExactSizesLaws, DeliveredSequencesAreHeld, ()) {
  const Table table = made_up_table();
  const OrderOptions options = made_up_exact(table);
  const auto worker_count = *any_of<std::int64_t>(1, 5);
  const auto worker = *any_of<std::int64_t>(0, worker_count);
  testing::assert_held_where_delivered(*sequencer_of(table, options, worker, worker_count));
}

RC_GTEST_PROP(ExactSizesLaws, TheWindowIsAFunctionOfThePlace, ()) {
  const Table table = made_up_table();
  OrderOptions options = made_up_exact(table);
  if (*rc::gen::arbitrary<bool>()) options.epoch_size = *any_of<std::int64_t>(1, 3000);
  RC_PRE(!options.epoch_size || samples_of(table) > 0);
  const auto worker_count = *any_of<std::int64_t>(1, 5);
  const auto worker = *any_of<std::int64_t>(0, worker_count);
  testing::assert_windows_of_places(*sequencer_of(table, options, worker, worker_count));
}

TEST(ExactSizes, SizesAroundTheMinibatchSize) {
  struct Case {
    std::int64_t sequences;
    std::int64_t size;
    std::vector<std::int64_t> expected;
    std::vector<std::int64_t> dropped;  // with drop_last; empty if refused
  };
  const Case cases[] = {
      {29, 10, {10, 10, 9}, {10, 10}},          // one below a multiple
      {30, 10, {10, 10, 10}, {10, 10, 10}},     // a multiple
      {31, 10, {10, 10, 10, 1}, {10, 10, 10}},  // one above
      {3, 1, {1, 1, 1}, {1, 1, 1}},             // the smallest minibatches
      {9, 10, {9}, {}},                         // one sequence fewer than a minibatch
      {10, 10, {10}, {10}},                     // one minibatch
      {1, std::numeric_limits<std::int64_t>::max(), {1}, {}},  // the largest
  };
  for (const Case& each : cases) {
    const Table table = {std::vector<std::int64_t>(static_cast<std::size_t>(each.sequences), 2)};
    for (const Batching batching : {Batching::plain, Batching::bucketed}) {
      SCOPED_TRACE(std::to_string(each.sequences) + " of " + std::to_string(each.size));
      std::vector<std::int64_t> found =
          counts_of(steps_of(table, exact(each.size, false, batching)));
      std::ranges::sort(found, std::greater<>());
      EXPECT_EQ(found, each.expected);
      const OrderOptions dropping = exact(each.size, true, batching);
      if (each.dropped.empty()) {
        EXPECT_THROW(static_cast<void>(steps_of(table, dropping)), ConfigError);
      } else {
        EXPECT_EQ(counts_of(steps_of(table, dropping)), each.dropped);
      }
    }
  }
  EXPECT_TRUE(steps_of({}, exact(3)).empty());
  EXPECT_TRUE(steps_of({}, exact(3, true)).empty());
}

// A run of buckets has 64 minibatches, so 130 minibatches make three runs.
TEST(ExactSizes, ABucketedSweepOfSeveralRunsHasOneShortMinibatchTheLast) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < 130 * 4 + 3; ++i) lengths.push_back(1 + i * i % 37);
  std::vector<std::int64_t> expected(130, 4);
  EXPECT_EQ(counts_of(steps_of({lengths}, exact(4, true, Batching::bucketed))), expected);
  expected.push_back(3);
  EXPECT_EQ(counts_of(steps_of({lengths}, exact(4, false, Batching::bucketed))), expected);
}

TEST(ExactSizes, LeftOverSequencesDoNotDependOnLength) {
  const LengthBatches batches =
      exact_batches_by_length(std::vector<std::int64_t>{9, 1, 9, 1, 5, 1, 9}, 2, 3);
  ASSERT_EQ(batches.count(), 4);
  EXPECT_EQ(batches.batch(3).size(), 1U);
  EXPECT_EQ(batches.batch(3).front(), 6);  // the last sequence of the run
}

TEST(ExactSizes, EachWorkerHasTheSameNumberInEachFullMinibatch) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < 1438; ++i) lengths.push_back(1 + i * 7 % 31);
  for (const std::int64_t workers : {2, 4, 8}) {
    for (std::int64_t worker = 0; worker < workers; ++worker) {
      const auto sequencer = sequencer_of({lengths}, exact(32, true), worker, workers);
      const std::vector<testing::WalkedStep> steps = walk(*sequencer);
      EXPECT_EQ(std::ssize(steps), 44);
      for (const testing::WalkedStep& step : steps)
        EXPECT_EQ(std::ssize(step.sequences), 32 / workers);
    }
  }
}

// 32 is 6 * 5 + 2, so two of five workers have an extra sequence, and they take turns.
TEST(ExactSizes, NoWorkerHasASequenceMoreInAllSteps) {
  const Table table = {std::vector<std::int64_t>(3200, 1)};
  for (std::int64_t worker = 0; worker < 5; ++worker) {
    std::int64_t more = 0;
    for (const testing::WalkedStep& step : walk(*sequencer_of(table, exact(32), worker, 5))) {
      ASSERT_GE(std::ssize(step.sequences), 6);
      ASSERT_LE(std::ssize(step.sequences), 7);
      more += std::ssize(step.sequences) - 6;
    }
    EXPECT_GE(more, 20) << worker;  // 40 of 100 on average
    EXPECT_LE(more, 60) << worker;
  }
}

TEST(ExactSizes, PlacesAmongLeftOutSequencesAreFound) {
  const Table table = {std::vector<std::int64_t>(25, 2)};
  OrderOptions options = exact(10, true);
  options.sweeps = 3;
  const auto sequencer = sequencer_of(table, options);
  EXPECT_EQ(sequencer->place_of(30).sequence, 15);
  EXPECT_EQ(counts_of(walk(*sequencer, sequencer->place_of(30))),
            (std::vector<std::int64_t>{10, 10, 10, 10, 10}));
  const Place behind = sequencer->place_of(32);  // the sweep has 9 more sequences, too few for a
                                                 // minibatch
  EXPECT_EQ(behind.sweep, 1);
  EXPECT_EQ(behind.sequence, 0);
  EXPECT_THROW(static_cast<void>(sequencer->place_of(132)), ConfigError);
  options.sizes = sheaf::Sizes::even;
  options.drop_last = false;
  for (const std::int64_t number : {0, 14, 24}) {  // dropped sequences count, too
    const auto evenly = sequencer_of(table, options);
    const std::optional<Step> even = testing::Stepper(*evenly).sequence_at(1, number);
    EXPECT_EQ(testing::Stepper(*sequencer).sequence_at(1, number)->sequences, even->sequences);
  }
}

// Sequences of one sample, four in a minibatch, six in a sweep. Epochs are shorter or longer than a
// sweep.
TEST(ExactSizes, AnEpochWithoutAFullMinibatchIsOneEmptyMinibatch) {
  const Table table = {{1, 1, 1, 1, 1, 1}};
  OrderOptions options = exact(4, true);
  options.epoch_size = 3;
  options.epochs = 5;
  const std::vector<testing::WalkedStep> steps = steps_of(table, options);
  EXPECT_EQ(counts_of(steps), (std::vector<std::int64_t>{0, 0, 0, 0, 0}));
  for (const testing::WalkedStep& step : steps) EXPECT_TRUE(step.ends_epoch);
  options.epoch_size = 10;  // 6 + 4: the first sweep leaves out two sequences
  options.epochs = 2;
  EXPECT_EQ(counts_of(steps_of(table, options)), (std::vector<std::int64_t>{4, 4, 4}));
}

TEST(ExactSizes, EndlessRunsOverTooFewSequencesAreRefused) {
  OrderOptions options = exact(10, true);
  options.sweeps = {};
  options.epochs = {};
  const auto sequencer = sequencer_of({{1, 2, 3}}, options);
  const auto error_of = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "none";
  };
  const std::string expected =
      "drop_last: the data have 3 sequences, too few for one minibatch of 10, so every sequence "
      "would be left out; make minibatch_size 3 or less, or leave drop_last out";
  EXPECT_EQ(error_of([&] { static_cast<void>(testing::step_of(*sequencer, {})); }), expected);
  EXPECT_EQ(error_of([&] { static_cast<void>(sequencer->place_of(2)); }), expected);
}

TEST(ExactSizes, APositionBelongsToItsSizes) {
  using Texts = std::map<std::string, std::string>;
  const auto texts_of = [](const OrderOptions& options) {
    return sequencer_of({{1}}, options)->options();
  };
  const Texts usual = {{"seed", "7"}, {"sweeps", "1"}, {"window_chunks", "3"}};
  OrderOptions even = exact(9);
  even.sizes = sheaf::Sizes::even;
  EXPECT_EQ(texts_of(even), usual);
  Texts expected = usual;
  expected["sizes"] = "exact";
  EXPECT_EQ(texts_of(exact(9)), expected);
  expected["drop_last"] = "true";
  expected["minibatch_size"] = "9";
  EXPECT_EQ(texts_of(exact(9, true)), expected);
  expected["batching"] = "bucketed";
  expected["unit"] = "sequences";
  EXPECT_EQ(texts_of(exact(9, true, Batching::bucketed)), expected);
}

TEST(ExactSizes, RefusesIncompatibleOptions) {
  const auto error_of = [](const OrderOptions& options) -> std::string {
    try {
      static_cast<void>(sequencer_of({{3, 4}, {5}}, options));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "none";
  };
  OrderOptions options = exact(2);
  options.unit = MinibatchUnit::samples;
  EXPECT_EQ(error_of(options),
            "sizes: \"exact\" is a number of sequences, but minibatch_size counts samples; set "
            "unit to \"sequences\", or leave sizes out");
  options.truncation_length = 4;
  EXPECT_EQ(
      error_of(options),
      "truncation_length and sizes \"exact\" exclude each other: a minibatch of cut sequences "
      "has slots, not sequences; leave one of them out");
  options = {.sizes = sheaf::Sizes::exact};
  EXPECT_EQ(
      error_of(options),
      "sizes: only the order \"keyed\" has a choice of sizes; set order to \"keyed\", or leave "
      "sizes out");
  options = {.drop_last = true};
  EXPECT_EQ(error_of(options),
            "drop_last: only the order \"keyed\" has a choice of sizes; set order to \"keyed\", or "
            "leave drop_last out");
  options.algorithm = OrderAlgorithm::keyed;
  options.window_chunks = 1;
  EXPECT_EQ(error_of(options),
            "drop_last: sizes \"even\" has no short last minibatch to leave out; set sizes to "
            "\"exact\", or leave drop_last out");
  OrderOptions frames = exact(2, true);
  frames.split_frames = true;
  EXPECT_EQ(counts_of(steps_of({{3, 4}, {4}}, frames)),
            (std::vector<std::int64_t>{2, 2, 2, 2, 2}));  // 11 frames
}

}  // namespace
}  // namespace sheaf::internal
