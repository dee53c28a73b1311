#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>

#include "sheaf/extend/executor.h"

namespace sheaf {
namespace {

TEST(ThreadPool, RunsEveryTaskOnceBeforeItEnds) {
  for (const int threads : {1, 2, 8}) {
    std::vector<std::atomic<int>> runs(1000);
    {
      const std::unique_ptr<Executor> pool = thread_pool(threads);
      EXPECT_EQ(pool->thread_count(), threads);
      for (std::atomic<int>& count : runs) pool->submit([&count] { ++count; });
    }
    for (const std::atomic<int>& count : runs) EXPECT_EQ(count, 1);
  }
}

TEST(ThreadPool, OneThreadRunsTasksInTheOrderOfSubmission) {
  std::vector<int> order;
  {
    const std::unique_ptr<Executor> pool = thread_pool(1);
    for (int i = 0; i < 100; ++i) pool->submit([&order, i] { order.push_back(i); });
  }
  std::vector<int> expected;
  for (int i = 0; i < 100; ++i) expected.push_back(i);
  EXPECT_EQ(order, expected);
}

TEST(ThreadPool, RunsAsManyTasksAtOnceAsItHasThreadsAndNoneOnTheCallers) {
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::thread::id> threads;
  {
    const std::unique_ptr<Executor> pool = thread_pool(3);
    for (int i = 0; i < 3; ++i) {
      pool->submit([&] {
        std::unique_lock lock(mutex);
        threads.insert(std::this_thread::get_id());
        changed.notify_all();
        changed.wait(lock, [&] { return threads.size() == 3; });  // waits for all three threads
      });
    }
  }
  EXPECT_EQ(threads.size(), 3U);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST(ThreadPool, FinishesTasksThatTasksSubmitWhileItEnds) {
  std::atomic<int> runs = 0;
  std::function<void(Executor&, int)> submit_chain = [&](Executor& pool, int left) {
    pool.submit([&submit_chain, &pool, &runs, left] {
      ++runs;
      if (left > 1) submit_chain(pool, left - 1);
    });
  };
  {
    const std::unique_ptr<Executor> pool = thread_pool(2);
    submit_chain(*pool, 500);
  }
  EXPECT_EQ(runs, 500);
}

TEST(ThreadPool, ReleasesWhatATaskHolds) {
  const auto held = std::make_shared<int>(0);
  {
    const std::unique_ptr<Executor> pool = thread_pool(2);
    for (int i = 0; i < 10; ++i) pool->submit([held] {});
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(AvailableProcessors, AreThoseThatTheProcessMayUse) {
  const int all = available_processors();
  EXPECT_GE(all, 1);
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  EXPECT_EQ(all, CPU_COUNT(&before));
  std::size_t first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(available_processors(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

}  // namespace
}  // namespace sheaf
