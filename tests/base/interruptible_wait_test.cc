#include "base/interruptible_wait.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "support/interrupting.h"

namespace sheaf::internal {
namespace {

using testing::Interrupted;
using testing::Interrupting;

TEST(InterruptibleWait, GivesUpWithTheLockHeld) {
  std::mutex mutex;
  std::condition_variable changed;
  Interrupting refusing(2);
  const InterruptionScope scope(refusing);
  std::unique_lock lock(mutex);
  EXPECT_THROW(wait_interruptibly(changed, lock, [] { return false; }), Interrupted);
  EXPECT_TRUE(lock.owns_lock());
  EXPECT_EQ(refusing.count(), 2);
}

TEST(InterruptibleWait, AsksBeforeItWaitsSoThatShortWaitsAreAskedToo) {
  std::mutex mutex;
  std::condition_variable changed;
  Interrupting refusing(2);
  const InterruptionScope scope(refusing);
  std::unique_lock lock(mutex);
  for (int wait = 0; wait < 2; ++wait) {
    int looks = 0;
    const auto done_at_the_second_look = [&] { return ++looks > 1; };
    if (wait == 0) {
      wait_interruptibly(changed, lock, done_at_the_second_look);
    } else {
      EXPECT_THROW(wait_interruptibly(changed, lock, done_at_the_second_look), Interrupted);
    }
  }
  EXPECT_EQ(refusing.count(), 2);
}

TEST(InterruptibleWait, AsksWithoutTheLockUntilItIsDone) {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
  class Finishing final : public Interruption {
   public:
    Finishing(std::mutex& mutex, bool& is_done) : mutex_(mutex), is_done_(is_done) {}
    void check() override {
      const std::scoped_lock lock(mutex_);  // deadlocks if the waiting thread holds it
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
