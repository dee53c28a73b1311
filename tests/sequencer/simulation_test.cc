// Checks in a small simulation why "keyed/1" was chosen. sheaf_simulate_order prints a large
// simulation.

#include "sequencer/simulation.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace sheaf::testing {
namespace {

TEST(Simulation, EqualLengthsAreSharedEvenlyAndReadAtHome) {
  const MadeUpData data = equal_lengths(64'000, 40);
  for (const std::int64_t workers : {1, 3, 8, 64}) {
    for (const std::int64_t each : {10, 64}) {
      if (workers == 64 && each == 64) continue;  // too few steps
      SCOPED_TRACE(std::to_string(workers) + " x " + std::to_string(each));
      const Figures figures =
          simulate(data, {.laps = 4, .workers = workers, .sequences_each = each});
      EXPECT_LT(figures.excess, 0.02);
      EXPECT_LT(figures.foreign, 0.10);
      EXPECT_EQ(figures.idle_steps, 0);
      EXPECT_GT(figures.smallest_step, 0.9);
    }
  }
}

TEST(Simulation, LongTailedLengthsAreSharedAsEvenlyAsTheLongestAllows) {
  const MadeUpData data = log_normal_lengths(64'000, 40);
  for (const std::int64_t workers : {3, 8, 64}) {
    for (const std::int64_t each : {10, 64}) {
      if (workers == 64 && each == 64) continue;
      SCOPED_TRACE(std::to_string(workers) + " x " + std::to_string(each));
      const Figures figures =
          simulate(data, {.laps = 4, .workers = workers, .sequences_each = each});
      EXPECT_LT(figures.excess_beyond, 0.02);
      EXPECT_LT(figures.foreign, 0.15);
      EXPECT_EQ(figures.idle_steps, 0);
    }
  }
}

TEST(Simulation, AWindowOfAQuarterMixesNearlyLikeAllData) {
  const MadeUpData data = equal_lengths(50'000, 50);
  const Setting setting{.laps = 4};
  const MeasuredNoise noise = noise_of(data, setting, 256, 4);
  EXPECT_LT(noise.sorted, 1.2);
  EXPECT_LT(noise.units, 1.2);
  // A tumbling order holds the next window while it is read, so windows are half as large.
  const MeasuredNoise tumbling =
      noise_of(data, {.candidate = Candidate::tumbling, .laps = 8}, 1024, 4);
  const MeasuredNoise keyed = noise_of(data, setting, 1024, 4);
  EXPECT_LT(keyed.sorted, tumbling.sorted);
  EXPECT_LT(keyed.units, tumbling.units);
}

TEST(Simulation, WithoutBalancingWorkersWaitForEachOther) {
  const MadeUpData data = equal_lengths(64'000, 40);
  Setting setting{.candidate = Candidate::unshared, .laps = 4, .workers = 64};
  const double unshared = simulate(data, setting).excess;
  setting.candidate = Candidate::keyed;
  EXPECT_LT(5 * simulate(data, setting).excess, unshared);
}

}  // namespace
}  // namespace sheaf::testing
