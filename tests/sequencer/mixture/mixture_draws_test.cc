#include "sequencer/mixture/mixture_draws.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sequencer/mixture/made_up_mixture.h"
#include "support/error_of.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::any_of;
using sheaf::testing::error_of;
using sheaf::testing::made_up_mixture;

using Numbers = std::vector<std::int64_t>;

Numbers made_up_sizes() {
  return *rc::gen::nonEmpty(
      rc::gen::resize(6, rc::gen::container<Numbers>(any_of<std::int64_t>(1, 40))));
}

Mixture mixture_of(Numbers weights, Exhausted exhausted, std::vector<MixtureStage> schedule = {}) {
  Mixture mixture;
  for (std::size_t i = 0; i < weights.size(); ++i)
    mixture.names.push_back(std::string("m") + std::to_string(i));
  mixture.options = {
      .weights = std::move(weights), .exhausted = exhausted, .schedule = std::move(schedule)};
  return mixture;
}

// The slow model, draw by draw: a stage shares its draws out by the weights of the members that are
// left.
class SlowDraws {
 public:
  SlowDraws(const Mixture& mixture, Numbers sizes)
      : options_(mixture.options), left_(sizes), weights_(options_.weights), sizes_(sizes) {
    begin_stage();
  }

  // Returns the member of the next draw, or -1 at the end of a sweep with Exhausted::drop.
  std::int64_t next() {
    const bool drops = options_.exhausted == Exhausted::drop;
    bool changes = false;
    while (stage_ < options_.schedule.size() && options_.schedule[stage_].from <= place_) {
      weights_ = options_.schedule[stage_++].weights;
      changes = true;
    }
    if (drops && just_dropped_) changes = true;
    if (changes) begin_stage();
    while (is_nobody_left()) {
      if (stage_ == options_.schedule.size()) return -1;
      weights_ = options_.schedule[stage_++].weights;
      begin_stage();
    }
    const std::int64_t member = ShareTree(now_).at(place_ - first_).member;
    ++place_;
    just_dropped_ = --left_[static_cast<std::size_t>(member)] == 0;
    return member;
  }

 private:
  void begin_stage() {
    first_ = place_;
    now_ = weights_;
    for (std::size_t i = 0; i < now_.size(); ++i) {
      if (options_.exhausted == Exhausted::drop && left_[i] == 0) now_[i] = 0;
    }
  }
  [[nodiscard]] bool is_nobody_left() const {
    return std::ranges::all_of(now_, [](auto weight) { return weight == 0; });
  }

  MixtureOptions options_;
  Numbers left_;
  Numbers weights_;
  Numbers sizes_;
  Numbers now_;
  std::size_t stage_ = 0;
  std::int64_t first_ = 0;
  std::int64_t place_ = 0;
  bool just_dropped_ = false;
};

RC_GTEST_PROP(MixtureDraws, DropDeliversEverySequenceOnce, ()) {
  const Numbers sizes = made_up_sizes();
  const Mixture mixture = made_up_mixture(sizes.size(), Exhausted::drop);
  const MixtureDraws draws(mixture, sizes);
  RC_ASSERT(draws.sweep_size() == std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}));
  RC_ASSERT(draws.is_complete());
  SlowDraws slow(mixture, sizes);
  MixtureDraws::Walk walk(draws);
  Numbers counts(sizes.size());
  for (std::int64_t draw = 0; draw < draws.sweep_size(); ++draw) {
    const ShareTree::Draw found = draws.at(draw);
    RC_ASSERT(found.member == slow.next());
    RC_ASSERT(found == walk.next());
    RC_ASSERT(found.ordinal == counts[static_cast<std::size_t>(found.member)]++);
    RC_ASSERT(draws.counts(draw + 1) == counts);
  }
  RC_ASSERT(slow.next() == -1);
  RC_ASSERT(counts == sizes);
  RC_ASSERT(draws.at(draws.sweep_size() - 1).member == draws.last_member());
}

RC_GTEST_PROP(MixtureDraws, ASweepEndsWithTheFirstOrTheLastMember, ()) {
  const Numbers sizes = made_up_sizes();
  const Exhausted exhausted =
      *rc::gen::element(Exhausted::repeat, Exhausted::stop, Exhausted::error);
  const Mixture mixture = made_up_mixture(sizes.size(), exhausted);
  const MixtureDraws draws(mixture, sizes);
  SlowDraws slow(mixture, sizes);
  MixtureDraws::Walk walk(draws);
  Numbers counts(sizes.size());
  std::int64_t first_lack = -1;  // the first draw of a member without sequences left
  std::int64_t last_end = -1;    // the draw that completes the last member
  std::size_t ended = 0;
  const std::int64_t end = 3 * draws.sweep_size() + 1;
  for (std::int64_t draw = 0; draw < end; ++draw) {
    const ShareTree::Draw found = draws.at(draw);
    RC_ASSERT(found.member == slow.next());
    RC_ASSERT(found == walk.next());
    const auto member = static_cast<std::size_t>(found.member);
    RC_ASSERT(found.ordinal == counts[member]);
    if (counts[member] == sizes[member] && first_lack < 0) {
      first_lack = draw;
      if (!draws.repeats()) RC_ASSERT(draws.last_member() == found.member);
    }
    if (++counts[member] == sizes[member] && ++ended == sizes.size()) last_end = draw + 1;
  }
  RC_ASSERT(draws.sweep_size() == (draws.repeats() ? last_end : first_lack));
  const std::int64_t all = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  RC_ASSERT(draws.is_complete() == (draws.repeats() || draws.sweep_size() == all));
  const std::int64_t from = *any_of<std::int64_t>(0, end);
  walk.go_to(from);
  for (std::int64_t draw = from; draw < end; ++draw) RC_ASSERT(draws.at(draw) == walk.next());
}

TEST(MixtureDraws, EmptyMembersAreRefusedUnlessDropped) {
  for (const Exhausted exhausted : {Exhausted::repeat, Exhausted::stop, Exhausted::error}) {
    const auto make = [&] { MixtureDraws(mixture_of({1, 1}, exhausted), {3, 0}); };
    EXPECT_EQ(error_of(make),
              "mixture: m1 has no sequences; leave the member out, or say exhausted=\"drop\"");
  }
  EXPECT_EQ(MixtureDraws(mixture_of({1, 1}, Exhausted::drop), {3, 0}).sweep_size(), 3);
  EXPECT_EQ(MixtureDraws(mixture_of({1, 1}, Exhausted::drop), {0, 0}).sweep_size(), 0);
}

TEST(MixtureDraws, AStageMayLeaveMembersOut) {
  const Mixture mixture =
      mixture_of({1, 1}, Exhausted::drop, {{.from = 2, .weights = {0, 1}}, {6, {1, 0}}});
  const MixtureDraws draws(mixture, {4, 3});
  Numbers members;
  for (std::int64_t draw = 0; draw < draws.sweep_size(); ++draw) {
    members.push_back(draws.at(draw).member);
  }
  // Member 1 is exhausted after draw 4, so the last stage begins at once.
  EXPECT_EQ(members, (Numbers{0, 1, 1, 1, 0, 0, 0}));
  EXPECT_EQ(draws.weights_at(3), (Numbers{0, 1}));
  EXPECT_EQ(draws.weights_at(4), (Numbers{1, 0}));
}

// The schedule does not use the rest of a member.
TEST(MixtureDraws, AMemberWithoutAFinalWeightIsDropped) {
  const Mixture mixture = mixture_of({1, 1}, Exhausted::drop, {{.from = 2, .weights = {0, 1}}});
  EXPECT_EQ(MixtureDraws(mixture, {4, 3}).sweep_size(), 4);
  const Mixture repeating = mixture_of({1, 1}, Exhausted::repeat, {{.from = 2, .weights = {0, 1}}});
  EXPECT_EQ(MixtureDraws(repeating, {4, 3}).sweep_size(), 4);
}

TEST(MixtureDraws, TheLargestPartIsRoundedUp) {
  const Mixture mixture = mixture_of({1, 2}, Exhausted::repeat, {{.from = 9, .weights = {3, 1}}});
  const MixtureDraws draws(mixture, {4, 3});
  EXPECT_EQ(draws.largest_part(0, 8), 6);
  EXPECT_EQ(draws.largest_part(1, 8), 6);
  EXPECT_EQ(draws.largest_part(1, 3), 2);
  EXPECT_EQ(draws.largest_part(0, 0), 0);
}

// Draw 10^9 of 100 members: no table grows with the number of draws.
TEST(MixtureDraws, DistantDrawsAreFoundQuickly) {
  Numbers weights(100);
  std::iota(weights.begin(), weights.end(), 1);
  const MixtureDraws draws(mixture_of(weights, Exhausted::repeat), Numbers(100, 1'000'000));
  const ShareTree::Draw found = draws.at(1'000'000'000);
  const std::int64_t weight = weights[static_cast<std::size_t>(found.member)];
  EXPECT_LE(std::abs(found.ordinal - 1'000'000'000 * weight / 5050), 2);
}

}  // namespace
}  // namespace sheaf::internal
