#include "dataset/cache_trial.h"

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

TEST(CacheTrial, EndsAfterEnoughUnitsAndBytes) {
  CacheTrial trial(2, 100);
  EXPECT_FALSE(trial.add(1, 2, 50));
  EXPECT_TRUE(trial.is_running());
  EXPECT_FALSE(trial.add(1, 2, 49)) << "one byte too few";
  EXPECT_TRUE(trial.is_running());
  const auto times = trial.add(1, 2, 1);
  ASSERT_TRUE(times);
  EXPECT_EQ(times->unit_count, 3);
  EXPECT_FALSE(trial.is_running());
  EXPECT_FALSE(trial.add(1, 2, 1)) << "the verdict comes once";
}

TEST(CacheTrial, ComparesMedians) {
  // One unit had to wait for the disk or for another program.
  CacheTrial good(3, 0);
  EXPECT_FALSE(good.add(1.0, 0.5, 1));
  EXPECT_FALSE(good.add(1.0, 9.0, 1));
  EXPECT_FALSE(good.add(1.0, 0.6, 1));
  EXPECT_FALSE(good.is_running());
  CacheTrial bad(3, 0);
  EXPECT_FALSE(bad.add(1.0, 1.5, 1));
  EXPECT_FALSE(bad.add(9.0, 1.6, 1));
  const auto times = bad.add(1.0, 1.7, 1);
  ASSERT_TRUE(times);
  EXPECT_EQ(times->source_seconds, 1.0);
  EXPECT_EQ(times->cache_seconds, 1.6);
}

TEST(CacheTrial, AcceptsACacheThatTakesUpToNineTenthsOfTheTime) {
  for (const double cache_seconds : {89.0, 90.0, 91.0}) {
    CacheTrial trial(1, 1);
    EXPECT_EQ(trial.add(100.0, cache_seconds, 1).has_value(), cache_seconds > 90.0);
  }
}

TEST(CacheTrial, DoesNotRunWithoutUnits) {
  CacheTrial trial(0, 100);
  EXPECT_FALSE(trial.is_running());
  EXPECT_FALSE(trial.add(1, 2, 1000));
}

}  // namespace
}  // namespace sheaf::internal
