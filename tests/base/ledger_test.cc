#include "base/ledger.h"

#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

TEST(Ledger, IsTheSumOfItsTokens) {
  Ledger ledger;
  Ledger::Token first(ledger);
  Ledger::Token second(ledger);
  first.reserve(100);
  second.set(50, 20);
  EXPECT_EQ(ledger.held_bytes(), 150);
  EXPECT_EQ(ledger.used_bytes(), 20);
  first.use(70);
  EXPECT_EQ(ledger.held_bytes(), 120);
  EXPECT_EQ(ledger.used_bytes(), 90);
  second.release();
  EXPECT_EQ(ledger.held_bytes(), 70);
  EXPECT_EQ(ledger.held_bytes_max(), 150);
  EXPECT_EQ(ledger.used_bytes_max(), 90);
}

TEST(Ledger, GetsBackWhatATokenHeld) {
  Ledger ledger;
  {
    Ledger::Token token(ledger);
    token.use(7);
  }
  EXPECT_EQ(ledger.held_bytes(), 0);
  EXPECT_EQ(ledger.used_bytes(), 0);
}

TEST(Ledger, AMovedTokenKeepsItsBytes) {
  Ledger ledger;
  Ledger other;
  Ledger::Token from(ledger);
  from.set(9, 4);
  Ledger::Token to(other);
  to.use(1);
  to = std::move(from);
  EXPECT_EQ(other.held_bytes(), 0);
  EXPECT_EQ(ledger.held_bytes(), 9);
  EXPECT_EQ(to.held_bytes(), 9);
  EXPECT_EQ(to.used_bytes(), 4);
  const Ledger::Token made = std::move(to);
  EXPECT_EQ(made.held_bytes(), 9);
  EXPECT_EQ(ledger.held_bytes(), 9);
  EXPECT_EQ(ledger.held_bytes_max(), 9) << "nothing is counted twice on the way";
}

TEST(Ledger, HasRoomUpToItsLimit) {
  Ledger ledger(100);
  Ledger::Token token(ledger);
  token.reserve(60);
  EXPECT_TRUE(ledger.has_room(40));
  EXPECT_FALSE(ledger.has_room(41));
  EXPECT_EQ(ledger.excess_bytes(45), 5);
  token.reserve(0);
  EXPECT_TRUE(ledger.has_room(100));
  const Ledger any;
  EXPECT_FALSE(any.has_limit());
  EXPECT_TRUE(any.has_room(std::int64_t{1} << 62));
}

TEST(Ledger, CountsForThreadsTogether) {
  Ledger ledger;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (std::int64_t bytes = 0; bytes < 10'000; ++bytes) {
        Ledger::Token token(ledger);
        token.reserve(bytes);
        token.use(bytes / 2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ledger.held_bytes(), 0);
  EXPECT_EQ(ledger.used_bytes(), 0);
  EXPECT_GE(ledger.held_bytes_max(), 9'999);
  EXPECT_LE(ledger.held_bytes_max(), 4 * 9'999);
}

}  // namespace
}  // namespace sheaf::internal
