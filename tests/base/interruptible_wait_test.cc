#include "base/interruptible_wait.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

class Refusing final : public Interruption {
 public:
  void check() override {
    if (++calls == 2) throw std::runtime_error("enough");
  }
  std::atomic<int> calls = 0;
};

TEST(InterruptibleWait, GivesUpWithTheLockHeld) {
  std::mutex mutex;
  std::condition_variable changed;
  Refusing refusing;
  const InterruptionScope scope(refusing);
  std::unique_lock lock(mutex);
  EXPECT_THROW(wait_interruptibly(changed, lock, [] { return false; }), std::runtime_error);
  EXPECT_TRUE(lock.owns_lock());
  EXPECT_EQ(refusing.calls, 2);
}

TEST(InterruptibleWait, AsksBeforeItWaitsSoThatShortWaitsAreAskedToo) {
  std::mutex mutex;
  std::condition_variable changed;
  Refusing refusing;
  const InterruptionScope scope(refusing);
  std::unique_lock lock(mutex);
  for (int wait = 0; wait < 2; ++wait) {
    int looks = 0;
    const auto done_at_the_second_look = [&] { return ++looks > 1; };
    if (wait == 0) {
      wait_interruptibly(changed, lock, done_at_the_second_look);
    } else {
      EXPECT_THROW(wait_interruptibly(changed, lock, done_at_the_second_look), std::runtime_error);
    }
  }
  EXPECT_EQ(refusing.calls, 2);
}

TEST(InterruptibleWait, AsksWithoutTheLockUntilItIsDone) {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
  class Finishing final : public Interruption {
   public:
    Finishing(std::mutex& mutex, bool& is_done) : mutex_(mutex), is_done_(is_done) {}
    void check() override {
      const std::scoped_lock lock(mutex_);  // a deadlock if the waiting thread held it
      is_done_ = true;
    }

   private:
    std::mutex& mutex_;
    bool& is_done_;
  } finishing(mutex, is_done);
  const InterruptionScope scope(finishing);
  std::unique_lock lock(mutex);
  wait_interruptibly(changed, lock, [&] { return is_done; });
  EXPECT_TRUE(is_done);
}

}  // namespace
}  // namespace sheaf::internal
