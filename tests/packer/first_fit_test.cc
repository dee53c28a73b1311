#include "packer/first_fit.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace sheaf::internal {
namespace {

using Starts = std::vector<FirstFit::Start>;

Starts starts_of(const std::vector<std::int64_t>& lengths) {
  FirstFit first_fit(*std::ranges::max_element(lengths));
  Starts starts;
  for (const std::int64_t length : lengths) starts.push_back(first_fit.add(length));
  return starts;
}

/// The rule in its simplest form: looks at every slot, from the first one.
Starts naive_starts(const std::vector<std::int64_t>& lengths) {
  const std::int64_t step_count = *std::ranges::max_element(lengths);
  std::vector<std::int64_t> used;
  Starts starts;
  for (const std::int64_t length : lengths) {
    std::size_t slot = 0;
    while (slot < used.size() && used[slot] + length > step_count) ++slot;
    if (slot == used.size()) used.push_back(0);
    starts.push_back({static_cast<std::int64_t>(slot), used[slot]});
    used[slot] += length;
  }
  return starts;
}

TEST(FirstFit, PlacesASequenceInTheFirstSlotWithRoom) {
  struct Case {
    std::vector<std::int64_t> lengths;
    Starts starts;
  };
  const Case cases[] = {
      {{3, 1, 4, 1, 5}, {{0, 0}, {0, 3}, {1, 0}, {0, 4}, {2, 0}}},  // from CNTK
      {{3, 1, 4, 2}, {{0, 0}, {0, 3}, {1, 0}, {2, 0}}},             // from CNTK
      {{1}, {{0, 0}}},                                              // a single sequence
      {{2, 2, 2}, {{0, 0}, {1, 0}, {2, 0}}},                        // no two fit into a slot
      {{4, 3, 2, 1, 2, 4}, {{0, 0}, {1, 0}, {2, 0}, {1, 3}, {2, 2}, {3, 0}}},  // back to the first
  };
  for (const Case& c : cases) {
    EXPECT_EQ(starts_of(c.lengths), c.starts);
    EXPECT_EQ(naive_starts(c.lengths), c.starts);
  }
}

TEST(FirstFit, CountsOpenedSlots) {
  FirstFit first_fit(3);
  EXPECT_EQ(first_fit.slot_count(), 0);
  first_fit.add(2);
  EXPECT_EQ(first_fit.slot_count(), 1);
  first_fit.add(2);
  EXPECT_EQ(first_fit.slot_count(), 2);
  first_fit.add(1);
  EXPECT_EQ(first_fit.slot_count(), 2);
}

// Looking at slot after slot would take minutes: up to 500 000 slots for each of as many sequences.
TEST(FirstFit, PlacesAMillionSequencesQuickly) {
  constexpr std::int64_t kCount = 500'000;
  constexpr std::int64_t kStepCount = 1'000;
  FirstFit first_fit(kStepCount);
  for (std::int64_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(first_fit.add(kStepCount - 1), (FirstFit::Start{i, 0}));
  }
  for (std::int64_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(first_fit.add(2), (FirstFit::Start{kCount + i / 500, i % 500 * 2}));
  }
  EXPECT_EQ(first_fit.add(1), (FirstFit::Start{0, kStepCount - 1}));
  EXPECT_EQ(first_fit.slot_count(), kCount + kCount / 500);
}

RC_GTEST_PROP(FirstFitLaws, AgreesWithTheReference, ()) {
  const auto longest = *rc::gen::inRange<std::int64_t>(1, 12);
  const auto lengths = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(
      rc::gen::inRange<std::int64_t>(1, longest + 1)));
  RC_ASSERT(starts_of(lengths) == naive_starts(lengths));
}

}  // namespace
}  // namespace sheaf::internal
