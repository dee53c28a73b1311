#include "ops/task_window.h"

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/executor.h"

namespace sheaf::internal {
namespace {

TEST(TaskWindow, ResultsKeepTheOrderOfSubmission) {
  for (const int threads : {1, 2, 8}) {
    const std::unique_ptr<Executor> executor = thread_pool(threads);
    TaskWindow window(*executor);
    std::vector<int> seen;
    for (int i = 0; i < 1000; ++i) {
      while (window.size() >= 10) window.take();
      window.submit([i, &seen] { return [i, &seen] { seen.push_back(i); }; });
    }
    EXPECT_EQ(window.size(), 10U);
    while (window.size() > 0) window.take();
    ASSERT_EQ(seen.size(), 1000U);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i);
  }
}

TEST(TaskWindow, AnErrorIsThrownInOrder) {
  const std::unique_ptr<Executor> executor = thread_pool(4);
  TaskWindow window(*executor);
  std::vector<int> seen;
  for (int i = 0; i < 8; ++i) {
    window.submit([i, &seen]() -> std::function<void()> {
      if (i > 2) throw std::runtime_error(std::to_string(i));
      return [i, &seen] { seen.push_back(i); };
    });
  }
  try {
    for (;;) window.take();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()), "3");
  }
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2}));
}

TEST(TaskWindow, DestructionWaitsForAllTasks) {
  const std::unique_ptr<Executor> executor = thread_pool(2);
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> running = 0;
    {
      TaskWindow window(*executor);
      for (int i = 0; i < 20; ++i) {
        window.submit([&running] {
          ++running;
          --running;
          return [] {};
        });
      }
    }
    ASSERT_EQ(running, 0);
  }
}

TEST(TaskWindow, ATaskIsDestroyedAfterItRan) {
  const std::unique_ptr<Executor> executor = thread_pool(1);
  TaskWindow window(*executor);
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = held;
  window.submit([held = std::move(held)] { return [] {}; });
  window.submit([] { return [] {}; });
  window.take();
  EXPECT_TRUE(watch.expired());
  window.take();
}

}  // namespace
}  // namespace sheaf::internal
