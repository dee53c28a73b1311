#include "dataset/recent_cache.h"

#include <memory>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

std::shared_ptr<const int> number(int value) { return std::make_shared<const int>(value); }

TEST(RecentCache, KeepsTheMostRecentlyUsedValues) {
  RecentCache<int> cache(20);
  cache.add(1, number(1), 10);
  cache.add(2, number(2), 10);
  ASSERT_TRUE(cache.find(1));
  cache.add(3, number(3), 10);
  EXPECT_EQ(cache.bytes(), 20);
  EXPECT_FALSE(cache.find(2)) << "used the longest time ago";
  EXPECT_EQ(*cache.find(1), 1);
  EXPECT_EQ(*cache.find(3), 3);
}

TEST(RecentCache, TheFirstValueOfAKeyIsKept) {
  RecentCache<int> cache(20);
  cache.add(1, number(1), 10);
  cache.add(1, number(2), 10);
  EXPECT_EQ(*cache.find(1), 1);
  EXPECT_EQ(cache.bytes(), 10);
}

TEST(RecentCache, AnOversizedValueStaysUntilTheNextOne) {
  RecentCache<int> cache(20);
  cache.add(1, number(1), 100);
  EXPECT_TRUE(cache.find(1));
  cache.add(2, number(2), 1);
  EXPECT_FALSE(cache.find(1));
  EXPECT_EQ(cache.bytes(), 1);
}

TEST(RecentCache, KeepsAllValuesWithoutALimit) {
  RecentCache<int> cache(0);
  for (int i = 0; i < 100; ++i) cache.add(i, number(i), 1'000'000'000);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(*cache.find(i), i);
}

}  // namespace
}  // namespace sheaf::internal
