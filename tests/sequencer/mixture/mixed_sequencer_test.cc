#include "sequencer/mixture/mixed_sequencer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"

#include "base/permutation.h"
#include "sequencer/mixture/made_up_mixture.h"
#include "sequencer/mixture/mixture_draws.h"
#include "sequencer/window_law.h"
#include "support/error_of.h"

namespace sheaf {
namespace {

using internal::MixtureDraws;
using internal::ShareTree;
using testing::any_of;
using testing::error_of;
using testing::is_same;
using testing::made_up_members;
using testing::made_up_mixture;
using testing::MadeUpCounts;
using testing::MadeUpMembers;
using testing::Sizes;
using testing::walk;
using testing::WalkedStep;

constexpr std::int64_t kStepsMax = 100'000;

// Chunks of several units.
std::shared_ptr<MadeUpCounts> counts_of(const Sizes& sizes) {
  auto counts = std::make_shared<MadeUpCounts>(Sizes{});
  for (const auto& chunk : sizes) counts->add_chunk(chunk, 1 + std::ssize(chunk) / 4);
  return counts;
}

/// A mixture with an order.
struct Case {
  MadeUpMembers members;
  Mixture mixture;
  OrderOptions options;

  [[nodiscard]] std::shared_ptr<MadeUpCounts> counts() const {
    auto counts = counts_of(members.sizes);
    counts->set_mixture(mixture, members.ends);
    return counts;
  }
  [[nodiscard]] std::unique_ptr<Sequencer> sequencer() const {
    return make_sequencer(counts(), options);
  }
  [[nodiscard]] MixtureDraws draws() const { return {mixture, members.sequence_counts()}; }
};

Exhausted made_up_exhausted() {
  return *rc::gen::element(Exhausted::repeat, Exhausted::stop, Exhausted::drop);
}

// Returns any kind of order that mixtures support.
Case made_up_case() {
  Case made{.members = made_up_members(), .mixture = {}, .options = testing::made_up_options()};
  made.mixture = made_up_mixture(made.members.ends.size(), made_up_exhausted());
  OrderOptions& options = made.options;
  if (options.algorithm == OrderAlgorithm::cntk) options.algorithm = OrderAlgorithm::keyed;
  // No member loses all of its sequences.
  if (options.long_sequences == LongSequences::drop) options.row_samples = 30;
  return made;
}

// The order of each member, sweep by sweep, as the member alone would have it.
class MemberOrders {
 public:
  explicit MemberOrders(const Case& made) : draws_(made.draws()) {
    std::int64_t first = 0;
    for (std::size_t m = 0; m < made.members.ends.size(); ++m) {
      const std::int64_t end = made.members.ends[m];
      OrderOptions own{.minibatch_size = 1,
                       .unit = MinibatchUnit::sequences,
                       .sweeps = std::nullopt,
                       .algorithm = made.options.algorithm,
                       .seed = internal::key_of(made.options.seed, m)};
      const auto number = static_cast<std::int64_t>(m);
      if (made.options.window_chunks) {
        own.window_chunks =
            std::max<std::int64_t>(1, draws_.largest_part(number, *made.options.window_chunks));
      }
      if (made.options.window_samples) {
        own.window_samples =
            std::max<std::int64_t>(1, draws_.largest_part(number, *made.options.window_samples));
      }
      const Sizes sizes(made.members.sizes.begin() + first, made.members.sizes.begin() + end);
      sequencers_.push_back(make_sequencer(counts_of(sizes), own));
      walks_.emplace_back(*sequencers_.back());
      found_.emplace_back();
      firsts_.push_back(std::exchange(first, end));
    }
  }

  // Returns sequence number `ordinal` of the member, counted over its sweeps, and its sweep.
  std::pair<SequenceRef, std::int64_t> at(std::int64_t member, std::int64_t ordinal) {
    const auto m = static_cast<std::size_t>(member);
    auto& found = found_[m];
    while (std::ssize(found) <= ordinal) {
      const Step step = walks_[m].next()->step;
      SequenceRef ref = step.sequences.at(0);
      ref.chunk = ChunkIndex{static_cast<std::int64_t>(ref.chunk) + firsts_[m]};
      found.emplace_back(ref, step.sweep);
    }
    return found[static_cast<std::size_t>(ordinal)];
  }

  [[nodiscard]] const MixtureDraws& draws() const noexcept { return draws_; }

  // Returns draw number `draw` of a sweep of the mixture.
  std::pair<SequenceRef, std::int64_t> draw(std::int64_t sweep, std::int64_t draw) {
    if (draws_.repeats()) {
      const ShareTree::Draw found = draws_.at(sweep * draws_.sweep_size() + draw);
      return at(found.member, found.ordinal);
    }
    const ShareTree::Draw found = draws_.at(draw);
    const std::int64_t size = draws_.sizes()[static_cast<std::size_t>(found.member)];
    return at(found.member, sweep * size + found.ordinal);
  }

 private:
  MixtureDraws draws_;
  std::vector<std::unique_ptr<Sequencer>> sequencers_;
  std::vector<OrderWalk> walks_;
  std::vector<std::vector<std::pair<SequenceRef, std::int64_t>>> found_;
  std::vector<std::int64_t> firsts_;
};

std::int64_t size_of(const Sizes& sizes, const SequenceRef& ref) {
  return sizes[static_cast<std::size_t>(ref.chunk)][static_cast<std::size_t>(ref.sequence)];
}

std::int64_t amount_of(const Case& made, const SequenceRef& ref) {
  if (made.options.unit == MinibatchUnit::sequences) return 1;
  if (made.options.unit == MinibatchUnit::samples) return size_of(made.members.sizes, ref);
  return MadeUpCounts::made_up_cost(static_cast<std::int64_t>(ref.chunk), ref.sequence);
}

// Each draw takes the next sequence of its member, and draws fill one minibatch after the other.
RC_GTEST_PROP(MixedSequencer, MinibatchesFollowTheDraws, ()) {
  Case made = made_up_case();
  OrderOptions& options = made.options;
  options.truncation_length = {};
  options.split_frames = false;
  options.long_sequences = LongSequences::error;
  options.batching = Batching::plain;
  options.worker_count = 1;
  options.worker_index = 0;
  options.epoch_size = {};
  options.sweeps = *any_of<std::int64_t>(1, 4);
  MemberOrders members(made);
  const std::int64_t sweep_size = members.draws().sweep_size();
  std::int64_t sweep = 0;
  std::int64_t draw = 0;
  const bool cuts = options.sweep_ends == SweepEnds::cut ||
                    (options.algorithm == OrderAlgorithm::keyed && !members.draws().repeats());
  for (const WalkedStep& step : walk(*made.sequencer(), {}, kStepsMax)) {
    std::int64_t amount = 0;
    bool ends_sweep = false;
    for (std::size_t i = 0; i < step.sequences.size(); ++i) {
      const auto [ref, own_sweep] = members.draw(sweep, draw);
      RC_ASSERT(step.sequences[i] == ref);
      RC_ASSERT(step.sweep_of(i) == own_sweep);
      amount += amount_of(made, ref);
      RC_ASSERT(!ends_sweep || !cuts);
      if (++draw < sweep_size) continue;
      draw = 0;
      ++sweep;
      ends_sweep = true;
    }
    RC_ASSERT(amount <= options.minibatch_size || step.sequences.size() == 1);
    RC_ASSERT(step.ends_sweep == ends_sweep);
    RC_ASSERT(step.next.sweep == sweep);
    RC_ASSERT(step.next.sequence == draw);
    RC_ASSERT(step.next.epoch == sweep / *options.sweeps);
    RC_ASSERT(step.ends_epoch == (draw == 0 && ends_sweep && sweep % *options.sweeps == 0));
    // The next draw does not fit into the minibatch.
    if (step.ends_epoch || (ends_sweep && (cuts || draw == 0))) continue;
    const auto [next, next_sweep] = members.draw(sweep, draw);
    RC_ASSERT(amount + amount_of(made, next) > options.minibatch_size);
  }
  RC_ASSERT(sweep == *options.sweeps * *options.epochs);
}

RC_GTEST_PROP(MixedSequencer, ResumingAnywhereEqualsNotStopping, ()) {
  const Case made = made_up_case();
  const std::vector<WalkedStep> all = walk(*made.sequencer(), {}, kStepsMax);
  RC_ASSERT(std::ssize(all) < kStepsMax);
  const auto sequencer = made.sequencer();
  testing::Stepper fresh(*sequencer);
  Place place;
  for (std::size_t i = 0; i < all.size(); place = all[i++].next) {
    const std::optional<Step> step = fresh.step(place);
    RC_ASSERT(step.has_value());
    RC_ASSERT(is_same(*step, all[i]));
    const std::size_t other = (i * 7 + 3) % all.size();
    const Place other_place = other == 0 ? Place{} : all[other - 1].next;
    RC_ASSERT(is_same(*fresh.step(other_place), all[other]));
    RC_ASSERT(is_same(*fresh.step(place), all[i]));
  }
  RC_ASSERT(!testing::step_of(*sequencer, place).has_value());
}

RC_GTEST_PROP(MixedSequencer, TheWindowIsAFunctionOfThePlace, ()) {
  testing::assert_windows_of_places(*made_up_case().sequencer());
}

RC_GTEST_PROP(MixedSequencer, SequencesOfAStepAreHeldOrPassed, ()) {
  Case made = made_up_case();
  made.options.truncation_length = {};
  if (made.options.long_sequences == LongSequences::split) {
    made.options.long_sequences = LongSequences::error;
  }
  made.options.split_frames = false;
  std::set<ChunkRange> held;
  for (const WalkedStep& step : walk(*made.sequencer(), {}, kStepsMax)) {
    held.insert(step.load.begin(), step.load.end());
    for (const SequenceRef& ref : step.sequences) {
      const auto has = [&](const ChunkRange& range) {
        return range.contains(ref.chunk, ref.sequence);
      };
      RC_ASSERT(std::ranges::any_of(held, has) || std::ranges::any_of(step.passed, has));
    }
    for (const ChunkRange& range : step.release) held.erase(range);
  }
  RC_ASSERT(held.empty());
}

using Numbered = std::multiset<std::tuple<std::int64_t, std::int64_t, std::int64_t>>;

void add_all(const Step& step, Numbered& all) {
  for (std::size_t i = 0; i < step.sequences.size(); ++i) {
    const auto chunk = static_cast<std::int64_t>(step.sequences[i].chunk);
    all.emplace(chunk, step.sequences[i].sequence, step.sweep_of(i));
  }
}

// Any number of workers delivers the same minibatches, beginning at the same places.
RC_GTEST_PROP(MixedSequencer, WorkersShareTheMinibatchesOfOneWorker, ()) {
  Case made = made_up_case();
  made.options.truncation_length = {};
  made.options.worker_count = 1;
  made.options.worker_index = 0;
  const std::vector<WalkedStep> one = walk(*made.sequencer(), {}, kStepsMax);
  made.options.worker_count = *any_of<std::int64_t>(2, 5);
  std::vector<Numbered> together(one.size());
  for (std::int64_t worker = 0; worker < made.options.worker_count; ++worker) {
    made.options.worker_index = worker;
    const std::vector<WalkedStep> own = walk(*made.sequencer(), {}, kStepsMax);
    RC_ASSERT(own.size() == one.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      RC_ASSERT(own[i].next == one[i].next);
      RC_ASSERT(own[i].ends_sweep == one[i].ends_sweep);
      RC_ASSERT(own[i].ends_epoch == one[i].ends_epoch);
      add_all(own[i], together[i]);
    }
  }
  for (std::size_t i = 0; i < one.size(); ++i) {
    Numbered all;
    add_all(one[i], all);
    RC_ASSERT(together[i] == all);
  }
}

// Buckets move sequences only within a run of minibatches.
RC_GTEST_PROP(MixedSequencer, BucketsDeliverTheSameSequences, ()) {
  Case made = made_up_case();
  made.options.algorithm = OrderAlgorithm::keyed;
  made.options.truncation_length = {};
  made.options.epoch_size = {};
  made.options.sweeps = *any_of<std::int64_t>(1, 3);
  made.options.window_samples = {};
  made.options.window_chunks = *any_of<std::int64_t>(1, 40);
  made.options.drop_last = false;
  made.options.worker_count = 1;
  made.options.worker_index = 0;
  std::map<Batching, Numbered> delivered;
  for (const Batching batching : {Batching::plain, Batching::bucketed}) {
    made.options.batching = batching;
    for (const WalkedStep& step : walk(*made.sequencer(), {}, kStepsMax)) {
      add_all(step, delivered[batching]);
    }
  }
  RC_ASSERT(delivered[Batching::plain] == delivered[Batching::bucketed]);
}

// With drop_last, every minibatch has its full size, and the sequences left out would not fill
// another minibatch.
RC_GTEST_PROP(MixedSequencer, DropLastLeavesOutPartialMinibatches, ()) {
  Case made = made_up_case();
  OrderOptions& options = made.options;
  options.algorithm = OrderAlgorithm::keyed;
  options.truncation_length = {};
  options.split_frames = false;
  options.long_sequences = LongSequences::error;
  if (!options.window_samples) options.window_chunks = 7;
  options.unit = MinibatchUnit::sequences;
  options.sizes = sheaf::Sizes::exact;
  options.worker_count = 1;
  options.worker_index = 0;
  options.epoch_size = {};
  options.sweeps = *any_of<std::int64_t>(1, 3);
  const std::int64_t size = made.draws().sweep_size();
  options.minibatch_size = *any_of<std::int64_t>(1, size + 1);
  options.drop_last = true;
  const bool crosses = made.draws().repeats() && options.sweep_ends == SweepEnds::cross;
  const std::int64_t stretch = crosses ? size * *options.sweeps : size;
  const std::int64_t stretches = *options.epochs * (crosses ? 1 : *options.sweeps);
  const std::vector<WalkedStep> steps = walk(*made.sequencer(), {}, kStepsMax);
  RC_ASSERT(std::ssize(steps) == stretches * (stretch / options.minibatch_size));
  std::int64_t epochs = 0;
  for (const WalkedStep& step : steps) {
    RC_ASSERT(std::ssize(step.sequences) == options.minibatch_size);
    epochs += step.ends_epoch ? 1 : 0;
  }
  RC_ASSERT(epochs == *options.epochs);
}

// An epoch of samples begins at the end of the epoch before, and ends when it has its samples.
RC_GTEST_PROP(MixedSequencer, EpochsOfSamplesEndAtTheirSize, ()) {
  Case made = made_up_case();
  OrderOptions& options = made.options;
  options.truncation_length = {};
  options.drop_last = false;
  options.epoch_size = *any_of<std::int64_t>(1, 300);
  options.worker_count = 1;
  options.worker_index = 0;
  std::int64_t samples = 0;
  std::int64_t epoch = 0;
  for (const WalkedStep& step : walk(*made.sequencer(), {}, kStepsMax)) {
    samples += step.sample_count;
    RC_ASSERT(step.ends_epoch == (step.next.epoch == epoch + 1));
    if (step.ends_epoch) {
      ++epoch;
      RC_ASSERT(samples >= epoch * *options.epoch_size);
    } else if (options.batching == Batching::plain) {
      RC_ASSERT(samples < (epoch + 1) * *options.epoch_size);
    }
  }
  RC_ASSERT(epoch == *options.epochs);
}

RC_GTEST_PROP(MixedSequencer, PlaceOfFindsTheSequenceOfASample, ()) {
  Case made = made_up_case();
  OrderOptions& options = made.options;
  options.truncation_length = {};
  options.worker_count = 1;
  options.worker_index = 0;
  options.batching = Batching::plain;
  options.drop_last = false;
  options.epochs = {};
  const auto sequencer = made.sequencer();
  const std::int64_t sample = *any_of<std::int64_t>(0, 500);
  const Place found = sequencer->place_of(sample);
  // Minibatches of one sequence lead to every place.
  options.minibatch_size = 1;
  options.unit = MinibatchUnit::sequences;
  const auto single = made.sequencer();
  std::int64_t passed = 0;
  Place place;
  testing::Stepper stepper(*single);
  while (passed < sample) {
    const std::optional<Step> step = stepper.step(place);
    RC_ASSERT(step.has_value());
    passed += step->sample_count;
    place = step->next;
  }
  RC_ASSERT(found.sweep == place.sweep);
  RC_ASSERT(found.sequence == place.sequence);
  RC_ASSERT(found.sample == place.sample);
}

RC_GTEST_PROP(MixedSequencer, ASequenceIsFoundByItsNumber, ()) {
  Case made = made_up_case();
  OrderOptions& options = made.options;
  options.truncation_length = {};
  options.split_frames = false;
  options.long_sequences = LongSequences::error;
  options.batching = Batching::plain;
  MemberOrders members(made);
  const auto sequencer = made.sequencer();
  testing::Stepper stepper(*sequencer);
  const std::int64_t size = members.draws().sweep_size();
  for (int i = 0; i < 20; ++i) {
    const std::int64_t sweep = *any_of<std::int64_t>(0, 4);
    const std::int64_t number = *any_of<std::int64_t>(0, size);
    const std::optional<Step> step = stepper.sequence_at(sweep, number);
    RC_ASSERT(step.has_value());
    const auto [ref, own_sweep] = members.draw(sweep, number);
    RC_ASSERT(step->sequences == std::vector<SequenceRef>{ref});
    RC_ASSERT(step->sweep == own_sweep);
    RC_ASSERT(step->sample_count == size_of(made.members.sizes, ref));
  }
  RC_ASSERT(!stepper.sequence_at(0, size).has_value());
  RC_ASSERT(!stepper.sequence_at(-1, 0).has_value());
}

Case small_case(Exhausted exhausted) {
  Case made{.members = {.sizes = {{1, 2}, {3}, {4, 5, 6, 7}}, .ends = {2, 3}},
            .mixture = {.options = {.weights = {1, 1}, .exhausted = exhausted, .schedule = {}},
                        .names = {"a.ctf", "b.ctf"}},
            .options = {.minibatch_size = 2, .unit = MinibatchUnit::sequences}};
  return made;
}

std::vector<std::int64_t> samples_of(const std::vector<WalkedStep>& steps) {
  std::vector<std::int64_t> samples;
  for (const WalkedStep& step : steps) samples.push_back(step.sample_count);
  return samples;
}

// Member a has the samples 1 2 3, and member b has 4 5 6 7. Draws alternate between a and b.
TEST(MixedSequencer, EachExhaustedModeEndsDifferently) {
  using Numbers = std::vector<std::int64_t>;
  EXPECT_EQ(samples_of(walk(*small_case(Exhausted::repeat).sequencer())),
            (Numbers{1 + 4, 2 + 5, 3 + 6, 1 + 7}));
  EXPECT_EQ(samples_of(walk(*small_case(Exhausted::stop).sequencer())), (Numbers{5, 7, 9}));
  EXPECT_EQ(samples_of(walk(*small_case(Exhausted::drop).sequencer())), (Numbers{5, 7, 9, 7}));
}

TEST(MixedSequencer, AMemberThatEndsEarlyCanBeAnError) {
  Case made = small_case(Exhausted::error);
  const std::string message =
      "mixture: a.ctf has no sequences left after 6 draws, and other members have; say "
      "exhausted=\"repeat\", \"stop\" or \"drop\"";
  EXPECT_EQ(error_of([&] { static_cast<void>(walk(*made.sequencer())); }),
            message + ", or say an epoch_size");
  // An epoch that ends before the error is delivered. The next epoch is not.
  made.options.epoch_size = 21;
  EXPECT_EQ(samples_of(walk(*made.sequencer())), (std::vector<std::int64_t>{5, 7, 9}));
  made.options.epochs = 2;
  EXPECT_EQ(error_of([&] { static_cast<void>(walk(*made.sequencer())); }),
            message + ", or make the epochs smaller");
  // Members that end together cause no error.
  Case even = small_case(Exhausted::error);
  even.members = {.sizes = {{1, 2}, {4, 5}}, .ends = {1, 2}};
  even.options.sweeps = 2;
  EXPECT_EQ(samples_of(walk(*even.sequencer())), (std::vector<std::int64_t>{5, 7, 5, 7}));
}

TEST(MixedSequencer, UnsupportedOrdersAreRefused) {
  Case made = small_case(Exhausted::repeat);
  made.options.algorithm = OrderAlgorithm::cntk;
  made.options.window_chunks = 1;
  EXPECT_EQ(error_of([&] { static_cast<void>(made.sequencer()); }),
            "order: a mixture has no order \"cntk\"; say \"keyed\" to shuffle, or \"file\"");
  made.options.algorithm = OrderAlgorithm::keyed;
  made.options.window_chunks = {};
  EXPECT_THROW(static_cast<void>(made.sequencer()), ConfigError);
  made = small_case(Exhausted::repeat);
  made.mixture.options.exhausted = {};
  EXPECT_THROW(static_cast<void>(made.sequencer()), ConfigError);
}

TEST(MixedSequencer, APositionContainsTheWeights) {
  Case made = small_case(Exhausted::repeat);
  made.mixture.options.schedule = {{.from = 9, .weights = {2, 1}}};
  EXPECT_EQ(made.sequencer()->algorithm(), "mixture/1 file");
  EXPECT_EQ(made.sequencer()->options(),
            (std::map<std::string, std::string>{{"mixture", "1:1 repeat 9=2:1"}, {"sweeps", "1"}}));
  made.options.algorithm = OrderAlgorithm::keyed;
  made.options.seed = 3;
  made.options.window_chunks = 2;
  made.options.sizes = sheaf::Sizes::exact;
  made.options.drop_last = true;
  made.options.sweep_ends = SweepEnds::cut;
  EXPECT_EQ(made.sequencer()->algorithm(), "mixture/1 keyed/1");
  EXPECT_EQ(made.sequencer()->options(),
            (std::map<std::string, std::string>{{"cut_at_sweep_end", "true"},
                                                {"drop_last", "true"},
                                                {"minibatch_size", "2"},
                                                {"mixture", "1:1 repeat 9=2:1"},
                                                {"seed", "3"},
                                                {"sweeps", "1"},
                                                {"window_chunks", "2"}}));
}

TEST(MixedSequencer, InvalidPlacesAreRefused) {
  const Case made = small_case(Exhausted::repeat);
  const auto sequencer = made.sequencer();
  const auto refusal = [&](const Place& place) {
    return error_of([&] { static_cast<void>(testing::step_of(*sequencer, place)); });
  };
  EXPECT_EQ(refusal({.sequence = 9}), "position: sequence 9 lies beyond the data, which have 8");
  EXPECT_EQ(refusal({.epoch = 2}), "position: epoch 2 lies beyond the last of 1 epochs");
  EXPECT_EQ(refusal({.carry = {1}}),
            "position: the order of this mixture carries at most 0 numbers from 0 on: got 1");
  EXPECT_NE(refusal({.sweep = std::int64_t{1} << 61}), "none");
  Case endless = made;
  endless.options.sweeps = {};
  EXPECT_EQ(
      error_of([&] {
        static_cast<void>(testing::step_of(*endless.sequencer(), {.sweep = std::int64_t{1} << 61}));
      }),
      "position: sweep 2305843009213693952 of 8 draws each lies beyond the "
      "2305843009213693952 draws of a run");
}

TEST(MixedSequencer, DataWithoutSamplesEnd) {
  Case made = small_case(Exhausted::repeat);
  made.members = {.sizes = {{0, 0}, {0}}, .ends = {1, 2}};
  made.options.unit = MinibatchUnit::samples;
  made.options.sweeps = 3;
  EXPECT_EQ(walk(*made.sequencer()).size(), 3U);
  EXPECT_THROW(static_cast<void>(made.sequencer()->place_of(1)), ConfigError);
}

}  // namespace
}  // namespace sheaf
