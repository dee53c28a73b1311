#include "packer/first_fit.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace sheaf::internal {
namespace {

using Places = std::vector<FirstFit::Place>;

Places places_of(const std::vector<std::int64_t>& lengths) {
  FirstFit first_fit(*std::ranges::max_element(lengths));
  Places places;
  for (const std::int64_t length : lengths) places.push_back(first_fit.add(length));
  return places;
}

/// The rule in its simplest form: looks at every slot, from the first one.
Places naive_places(const std::vector<std::int64_t>& lengths) {
  const std::int64_t step_count = *std::ranges::max_element(lengths);
  std::vector<std::int64_t> used;
  Places places;
  for (const std::int64_t length : lengths) {
    std::size_t slot = 0;
    while (slot < used.size() && used[slot] + length > step_count) ++slot;
    if (slot == used.size()) used.push_back(0);
    places.push_back({static_cast<std::int64_t>(slot), used[slot]});
    used[slot] += length;
  }
  return places;
}

TEST(FirstFit, PlacesASequenceInTheFirstSlotWithRoom) {
  struct Case {
    std::vector<std::int64_t> lengths;
    Places places;
  };
  const Case cases[] = {
      {{3, 1, 4, 1, 5}, {{0, 0}, {0, 3}, {1, 0}, {0, 4}, {2, 0}}},  // from CNTK
      {{3, 1, 4, 2}, {{0, 0}, {0, 3}, {1, 0}, {2, 0}}},             // from CNTK
      {{1}, {{0, 0}}},                                              // a single sequence
      {{2, 2, 2}, {{0, 0}, {1, 0}, {2, 0}}},                        // no two fit into a slot
      {{4, 3, 2, 1, 2, 4}, {{0, 0}, {1, 0}, {2, 0}, {1, 3}, {2, 2}, {3, 0}}},  // back to the first
  };
  for (const Case& c : cases) {
    EXPECT_EQ(places_of(c.lengths), c.places);
    EXPECT_EQ(naive_places(c.lengths), c.places);
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
    ASSERT_EQ(first_fit.add(kStepCount - 1), (FirstFit::Place{i, 0}));
  }
  for (std::int64_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(first_fit.add(2), (FirstFit::Place{kCount + i / 500, i % 500 * 2}));
  }
  EXPECT_EQ(first_fit.add(1), (FirstFit::Place{0, kStepCount - 1}));
  EXPECT_EQ(first_fit.slot_count(), kCount + kCount / 500);
}

RC_GTEST_PROP(FirstFitLaws, AgreesWithTheReference, ()) {
  const auto longest = *rc::gen::inRange<std::int64_t>(1, 12);
  const auto lengths = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(
      rc::gen::inRange<std::int64_t>(1, longest + 1)));
  RC_ASSERT(places_of(lengths) == naive_places(lengths));
}

}  // namespace
}  // namespace sheaf::internal
