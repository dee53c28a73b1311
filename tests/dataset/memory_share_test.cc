#include "dataset/memory_share.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

TEST(MemoryShare, RefusesMoreThanTheLimit) {
  MemoryShare share(100);
  EXPECT_TRUE(share.take(99));
  EXPECT_TRUE(share.take(100)) << "the part before was given back";
  EXPECT_FALSE(share.take(101));
  EXPECT_TRUE(share.take(100)) << "a refusal takes nothing";
}

TEST(MemoryShare, GrantsAnySizeWithoutALimit) {
  MemoryShare share(std::nullopt);
  const auto first = share.take(std::int64_t{1} << 50);
  EXPECT_TRUE(first && share.take(std::int64_t{1} << 50));
}

TEST(MemoryShare, ThreadsWaitForEachOther) {
  MemoryShare share(100);
  std::atomic<std::int64_t> taken = 0;
  std::atomic<std::int64_t> most = 0;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        const auto part = share.take(40);
        const std::int64_t now = taken += 40;
        if (now > most) most = now;
        std::this_thread::yield();
        taken -= 40;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 80);
  EXPECT_EQ(taken, 0);
}

}  // namespace
}  // namespace sheaf::internal
