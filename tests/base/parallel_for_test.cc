#include "sheaf/extend/parallel_for.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/interruption.h"

#include "support/interrupting.h"
#include "support/test_executors.h"

namespace sheaf {
namespace {

TEST(ParallelFor, RunsEachRoundOnce) {
  const std::unique_ptr<Executor> threads = thread_pool(3);
  for (Executor* executor : {static_cast<Executor*>(nullptr), threads.get()}) {
    for (const std::int64_t count : {0, 1, 2, 100}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
      parallel_for(executor, count, [&](std::int64_t i) { ++runs[static_cast<std::size_t>(i)]; });
      for (const std::atomic<int>& run : runs) EXPECT_EQ(run, 1);
    }
  }
}

TEST(ParallelFor, ThrowsWhatTheFirstRoundThrew) {
  const std::unique_ptr<Executor> threads = thread_pool(4);
  for (int repeat = 0; repeat < 50; ++repeat) {
    try {
      parallel_for(threads.get(), 100, [](std::int64_t i) {
        if (i >= 3) throw std::runtime_error(std::to_string(i));
      });
      ADD_FAILURE() << "nothing thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "3");
    }
  }
}

TEST(ParallelFor, DoesNotWaitForTasksThatDoNotRun) {
  constexpr int kThreads = 4;
  testing::ManualExecutor late(100, kThreads);
  int runs = 0;
  {
    std::vector<int> rounds(10);
    parallel_for(&late, 10, [&](std::int64_t i) { runs += ++rounds[static_cast<std::size_t>(i)]; });
  }
  EXPECT_EQ(runs, 10);
  EXPECT_EQ(late.task_count(), 3U);
  while (late.run_one()) {  // the objects that the body refers to are gone
  }
  EXPECT_EQ(runs, 10);
}

TEST(ParallelFor, ReturnsAfterTheTasksThatWereTakenThoughOneIsRefused) {
  for (int taken = 0; taken < 3; ++taken) {
    testing::CountingExecutor failing(4, taken);
    std::atomic<int> runs = 0;
    {
      std::vector<int> rounds(20);
      parallel_for(&failing, 20, [&](std::int64_t i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        runs += ++rounds[static_cast<std::size_t>(i)];
      });
    }
    EXPECT_EQ(runs, 20) << "no round is under way when it returns";
  }
}

TEST(ParallelFor, EndsRoundsUnderWayWhenItsThreadIsInterrupted) {
  const std::unique_ptr<Executor> threads = thread_pool(2);
  std::atomic<int> rounds = 0;
  testing::Refusing refusing;
  const InterruptionScope scope(refusing);
  const auto endless = [&](std::int64_t) {
    ++rounds;
    while (true) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      check_interruption();
    }
  };
  EXPECT_THROW(parallel_for(threads.get(), 100, endless), testing::Interrupted);
  EXPECT_LE(rounds, 2) << "no round begins after that";
  EXPECT_THROW(parallel_for(nullptr, 100, endless), testing::Interrupted);
  EXPECT_LE(rounds, 2) << "here it is asked before the first";
}

}  // namespace
}  // namespace sheaf
