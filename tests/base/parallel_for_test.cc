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

/// Keeps tasks until it is told to run them.
class LateExecutor final : public Executor {
 public:
  void submit(std::function<void()> task) override { tasks_.push_back(std::move(task)); }
  [[nodiscard]] int thread_count() const noexcept override { return 4; }
  void run() const {
    for (const std::function<void()>& task : tasks_) task();
  }
  [[nodiscard]] std::size_t task_count() const noexcept { return tasks_.size(); }

 private:
  std::vector<std::function<void()>> tasks_;
};

TEST(ParallelFor, DoesNotWaitForTasksThatDoNotRun) {
  LateExecutor late;
  int runs = 0;
  {
    std::vector<int> rounds(10);
    parallel_for(&late, 10, [&](std::int64_t i) { runs += ++rounds[static_cast<std::size_t>(i)]; });
  }
  EXPECT_EQ(runs, 10);
  EXPECT_EQ(late.task_count(), 3U);
  late.run();  // what the body refers to is gone
  EXPECT_EQ(runs, 10);
}

/// Takes so many tasks, and then fails as where memory runs out.
class FailingExecutor final : public Executor {
 public:
  explicit FailingExecutor(int tasks) : tasks_(tasks) {}
  void submit(std::function<void()> task) override {
    if (tasks_-- == 0) throw std::bad_alloc();
    threads_->submit(std::move(task));
  }
  [[nodiscard]] int thread_count() const noexcept override { return 4; }

 private:
  int tasks_;
  std::unique_ptr<Executor> threads_ = thread_pool(2);
};

TEST(ParallelFor, ReturnsAfterTheTasksThatWereTakenThoughOneIsRefused) {
  for (int taken = 0; taken < 3; ++taken) {
    FailingExecutor failing(taken);
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

class Refusing final : public Interruption {
 public:
  void check() override { throw std::logic_error("interrupted"); }
};

TEST(ParallelFor, EndsRoundsUnderWayWhenItsThreadIsInterrupted) {
  const std::unique_ptr<Executor> threads = thread_pool(2);
  std::atomic<int> rounds = 0;
  Refusing refusing;
  const InterruptionScope scope(refusing);
  const auto endless = [&](std::int64_t) {
    ++rounds;
    while (true) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      check_interruption();
    }
  };
  EXPECT_THROW(parallel_for(threads.get(), 100, endless), std::logic_error);
  EXPECT_LE(rounds, 2) << "no round begins after that";
  EXPECT_THROW(parallel_for(nullptr, 100, endless), std::logic_error);
  EXPECT_LE(rounds, 2) << "here it is asked before the first";
}

}  // namespace
}  // namespace sheaf
