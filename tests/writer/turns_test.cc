#include "writer/turns.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"

#include "support/error_of.h"
#include "support/interrupting.h"

namespace sheaf::internal {
namespace {

using std::chrono::milliseconds;
using testing::error_of;

struct Numbered final : Serializer::Block {
  Numbered(std::int64_t n, std::int64_t bytes) : number(n), size_bytes(bytes) {}
  [[nodiscard]] std::int64_t memory_bytes() const noexcept override { return size_bytes; }

  std::int64_t number;
  std::int64_t size_bytes;
};

std::unique_ptr<Serializer::Block> block(std::int64_t number, std::int64_t size_bytes = 1) {
  return std::make_unique<Numbered>(number, size_bytes);
}

/// Records the numbers of blocks in order of arrival. Fails at block `bad`.
struct Log {
  std::vector<std::int64_t> numbers;
  std::int64_t bad = -1;
  std::atomic<int> inside = 0;

  Turns::Append append() {
    return [this](std::unique_ptr<Serializer::Block> one) {
      EXPECT_EQ(++inside, 1);
      const std::int64_t number = static_cast<Numbered&>(*one).number;
      if (number == bad) throw IoError("disk full");
      numbers.push_back(number);
      --inside;
    };
  }
};

std::vector<std::int64_t> up_to(std::int64_t end) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < end; ++i) numbers.push_back(i);
  return numbers;
}

void claim_and_put(Turns& turns, std::int64_t turn, std::int64_t size_bytes = 1) {
  turns.claim(turn);
  turns.put(turn, block(turn, size_bytes));
}

TEST(Turns, PassBlocksOnInOrder) {
  Log log;
  Turns turns("a", 100, log.append());
  for (const std::int64_t turn : {3, 1, 2}) claim_and_put(turns, turn);
  EXPECT_TRUE(log.numbers.empty());
  EXPECT_EQ(turns.waiting_bytes(), 3);
  claim_and_put(turns, 0);
  EXPECT_EQ(log.numbers, up_to(4));
  EXPECT_EQ(turns.waiting_bytes(), 0);
  turns.close();
}

TEST(Turns, ATurnMayBeEmpty) {
  Log log;
  Turns turns("a", 100, log.append());
  turns.claim(1);
  turns.put(1, nullptr);
  claim_and_put(turns, 2);
  claim_and_put(turns, 0);
  EXPECT_EQ(log.numbers, (std::vector<std::int64_t>{0, 2}));
  turns.close();
}

TEST(Turns, TheOrderIsTheSameForManyThreads) {
  constexpr std::int64_t kTurns = 2000;
  for (const int thread_count : {2, 8}) {
    Log log;
    Turns turns("a", 5, log.append());
    std::atomic<std::int64_t> next = 0;
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(thread_count));
    for (int i = 0; i < thread_count; ++i) {
      threads.emplace_back([&] {
        for (std::int64_t turn = next++; turn < kTurns; turn = next++) {
          claim_and_put(turns, turn, turn % 7);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    turns.close();
    EXPECT_EQ(log.numbers, up_to(kTurns));
    EXPECT_EQ(turns.waiting_bytes(), 0);
  }
}

TEST(Turns, BlocksAboveTheLimitWaitForEarlierTurns) {
  Log log;
  Turns turns("a", 10, log.append());
  claim_and_put(turns, 2, 6);
  claim_and_put(turns, 1, 4);  // just fits
  std::atomic<bool> is_through = false;
  std::thread waiting([&] {
    claim_and_put(turns, 3, 1);
    is_through = true;
  });
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_FALSE(is_through);
  EXPECT_EQ(turns.waiting_bytes(), 10);
  claim_and_put(turns, 0, 1000);  // the next turn never waits
  waiting.join();
  EXPECT_EQ(log.numbers, up_to(4));
}

TEST(Turns, WaitingCanBeInterrupted) {
  testing::Refusing refusing;
  Log log;
  Turns turns("a", 10, log.append());
  claim_and_put(turns, 1, 10);
  {
    const InterruptionScope scope(refusing);
    EXPECT_THROW(claim_and_put(turns, 2, 1), testing::Interrupted);
  }
  claim_and_put(turns, 0, 1);
  EXPECT_EQ(log.numbers, up_to(2));
}

TEST(Turns, ABlockLargerThanTheLimitIsWrittenInItsTurn) {
  Log log;
  Turns turns("a", 10, log.append());
  std::thread waiting([&] { claim_and_put(turns, 1, 11); });
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(turns.waiting_bytes(), 0);
  claim_and_put(turns, 0);
  waiting.join();
  EXPECT_EQ(log.numbers, up_to(2));
}

TEST(Turns, AnErrorIsThrownByWaitingAndLaterCalls) {
  Log log;
  log.bad = 0;
  Turns turns("a", 10, log.append());
  claim_and_put(turns, 1, 10);
  std::string waiting_error;
  std::thread waiting([&] { waiting_error = error_of([&] { claim_and_put(turns, 2); }); });
  std::this_thread::sleep_for(milliseconds(20));
  try {
    claim_and_put(turns, 0);
    FAIL() << "appended";
  } catch (const IoError&) {
    turns.fail(std::current_exception());
  }
  waiting.join();
  EXPECT_EQ(waiting_error, "disk full");
  turns.fail(std::make_exception_ptr(std::runtime_error("a later one")));
  EXPECT_EQ(error_of([&] { turns.claim(7); }), "disk full");
  EXPECT_EQ(error_of([&] { static_cast<void>(turns.claim_next()); }), "disk full");
  EXPECT_EQ(error_of([&] { turns.close(); }), "disk full");
  EXPECT_TRUE(log.numbers.empty());
}

TEST(Turns, ATurnIsWrittenOnce) {
  Log log;
  Turns turns("a", 10, log.append());
  claim_and_put(turns, 0);
  turns.claim(2);
  EXPECT_EQ(error_of([&] { turns.claim(0); }), "a: turn 0 was written before");
  EXPECT_EQ(error_of([&] { turns.claim(2); }), "a: turn 2 was written before");
  EXPECT_EQ(error_of([&] { turns.claim(-1); }), "a: turns count from 0, got -1");
}

TEST(Turns, TheDefaultTurnFollowsTheLastOne) {
  Log log;
  Turns turns("a", 10, log.append());
  EXPECT_EQ(turns.claim_next(), 0);
  turns.put(0, block(0));
  claim_and_put(turns, 1);
  EXPECT_EQ(turns.claim_next(), 2);
  turns.put(2, block(2));
  EXPECT_EQ(log.numbers, up_to(3));
}

TEST(Turns, AMissingTurnIsAnErrorAtTheEnd) {
  Log log;
  Turns turns("a", 10, log.append());
  claim_and_put(turns, 0);
  claim_and_put(turns, 3);
  EXPECT_EQ(error_of([&] { turns.close(); }),
            "a: turn 1 is missing: turn 3 was written, and none may be left out; skip() those "
            "without sequences");
}

TEST(Turns, BlocksAfterTheEndAreRefused) {
  Log log;
  Turns turns("a", 10, log.append());
  turns.close();
  EXPECT_EQ(error_of([&] { turns.claim(0); }), "a: finished: nothing can be written any more");
  EXPECT_EQ(error_of([&] { turns.close(); }), "a: finished before");
}

}  // namespace
}  // namespace sheaf::internal
