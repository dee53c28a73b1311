#include "packer/best_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "packer/first_fit.h"

namespace sheaf::internal {
namespace {

using Ints = std::vector<std::int64_t>;

/// The rule in its simplest form: takes the longest remaining sequence, and looks at every slot.
Ints naive_slots(Ints lengths, std::int64_t step_count) {
  Ints slots(lengths.size());
  Ints rooms;
  for (;;) {
    const auto longest = std::ranges::max_element(lengths);  // the first one of that length
    if (longest == lengths.end() || *longest == 0) return slots;
    std::size_t best = rooms.size();
    for (std::size_t slot = 0; slot < rooms.size(); ++slot) {
      if (rooms[slot] < *longest) continue;
      if (best == rooms.size() || rooms[slot] < rooms[best]) best = slot;
    }
    if (best == rooms.size()) rooms.push_back(step_count);
    rooms[best] -= *longest;
    slots[static_cast<std::size_t>(longest - lengths.begin())] = static_cast<std::int64_t>(best);
    *longest = 0;
  }
}

std::int64_t first_fit_slot_count(const Ints& lengths, std::int64_t step_count) {
  FirstFit first_fit(step_count);
  for (const std::int64_t length : lengths) first_fit.add(length);
  return first_fit.slot_count();
}

TEST(BestFit, PlacesTheLongestFirstInTheTightestSlot) {
  struct Case {
    Ints lengths;
    std::int64_t step_count;
    Ints slots;
    std::int64_t slot_count;
  };
  const Case cases[] = {
      {{3, 4, 1}, 5, {1, 0, 0}, 2},              // 1 fits after both, and fills the slot of 4
      {{2, 7, 5, 3}, 10, {1, 0, 1, 0}, 2},       // first fit would take three slots
      {{4, 4, 1, 1, 1}, 6, {0, 1, 0, 0, 1}, 2},  // of equal candidates, the first sequence and the
                                                 // first slot
      {{6, 5, 4, 1}, 8, {0, 1, 2, 0}, 3},        // fits neither after 5 nor after 4
      {{0, 2, 0, 2}, 2, {0, 0, 0, 1}, 2},        // empty sequences take no room
      {{1, 1, 1}, 1, {0, 1, 2}, 3},              // one step
      {{1, 2, 1}, 1'000'000'000, {0, 0, 0}, 1},  // one slot
      {{}, 7, {}, 0},                            // no sequences
      {{0, 0}, 7, {0, 0}, 0},                    // no samples
  };
  for (const Case& c : cases) {
    const BestFit fit = best_fit(c.lengths, c.step_count);
    EXPECT_EQ(fit.slots, c.slots);
    EXPECT_EQ(fit.slot_count, c.slot_count);
    EXPECT_EQ(naive_slots(c.lengths, c.step_count), c.slots);
  }
}

// Looking at slot after slot would take minutes: each of the 250 000 long sequences needs its own
// slot, and each of as many short ones has all of these slots to choose from.
TEST(BestFit, PlacesHalfAMillionSequencesQuickly) {
  constexpr std::int64_t kCount = 250'000;
  constexpr std::int64_t kStepCount = 1'000'000;
  Ints lengths;
  for (std::int64_t i = 0; i < kCount; ++i) lengths.push_back(kStepCount - kCount + i);
  for (std::int64_t i = 0; i < kCount; ++i) lengths.push_back(kCount - i);
  const BestFit fit = best_fit(lengths, kStepCount);
  EXPECT_EQ(fit.slot_count, kCount);
  for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(fit.slots[i], fit.slots[kCount + i]);
}

RC_GTEST_PROP(BestFitLaws, AgreesWithTheReference, ()) {
  const auto step_count = *rc::gen::inRange<std::int64_t>(1, 20);
  const auto lengths = *rc::gen::container<Ints>(rc::gen::inRange<std::int64_t>(0, step_count + 1));
  const BestFit fit = best_fit(lengths, step_count);
  RC_ASSERT(fit.slots == naive_slots(lengths, step_count));
  const bool is_empty = std::ranges::count(lengths, 0) == std::ssize(lengths);
  RC_ASSERT(fit.slot_count == (is_empty ? 0 : *std::ranges::max_element(fit.slots) + 1));
}

// The purpose of best fit: realistic lengths, with a few sequences in a slot.
TEST(BestFit, UsesFewerSlotsThanFirstFitOnLongTailedLengths) {
  constexpr std::int64_t kStepCount = 512;
  std::mt19937_64 random(5);
  std::int64_t samples = 0;
  std::int64_t least = 0;  // the number of slots if sequences could be cut
  std::int64_t best = 0;
  std::int64_t first = 0;
  for (int minibatch = 0; minibatch < 200; ++minibatch) {
    Ints lengths;
    std::int64_t sum = 0;
    for (int i = 0; i < 200; ++i) {
      // Written by hand, because std::lognormal_distribution differs between standard libraries.
      double normal = -6;
      for (int k = 0; k < 12; ++k) normal += static_cast<double>(random() >> 11) * 0x1p-53;
      const auto length = static_cast<std::int64_t>(80 * std::exp(normal));  // sigma is 1
      lengths.push_back(std::clamp<std::int64_t>(length, 1, kStepCount));
      sum += lengths.back();
    }
    const std::int64_t slots = best_fit(lengths, kStepCount).slot_count;
    EXPECT_LE(slots, first_fit_slot_count(lengths, kStepCount));
    samples += sum;
    least += (sum + kStepCount - 1) / kStepCount;
    best += slots;
    first += first_fit_slot_count(lengths, kStepCount);
  }
  const auto padding = [&](std::int64_t slots) {
    return 1 - static_cast<double>(samples) / static_cast<double>(slots * kStepCount);
  };
  EXPECT_LE(best, least + least / 400);
  EXPECT_LT(padding(best), 0.013);
  EXPECT_GT(padding(first), 0.023);
}

}  // namespace
}  // namespace sheaf::internal
