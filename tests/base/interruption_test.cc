#include "sheaf/extend/interruption.h"

#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "base/interruption_watch.h"

namespace sheaf {
namespace {

class Counting final : public Interruption {
 public:
  explicit Counting(int calls_max) : calls_max_(calls_max) {}
  void check() override {
    if (++calls > calls_max_) throw std::runtime_error("enough");
  }
  int calls = 0;

 private:
  int calls_max_;
};

TEST(Interruption, AsksTheInnermostScopeOfItsThreadAlone) {
  EXPECT_EQ(current_interruption(), nullptr);
  check_interruption();
  Counting outer(100);
  Counting inner(1);
  {
    const InterruptionScope outer_scope(outer);
    {
      const InterruptionScope inner_scope(inner);
      check_interruption();
      EXPECT_THROW(check_interruption(), std::runtime_error);
      std::thread([] {
        EXPECT_EQ(current_interruption(), nullptr);
        check_interruption();
      }).join();
    }
    check_interruption();
    EXPECT_NE(current_interruption(), nullptr);
  }
  EXPECT_EQ(current_interruption(), nullptr);
  EXPECT_EQ(inner.calls, 2);
  EXPECT_EQ(outer.calls, 1);
}

TEST(Interruption, AWatchTellsWhetherOneWasTheReason) {
  Counting enough(0);
  const internal::InterruptionWatch before;
  {
    const InterruptionScope scope(enough);
    EXPECT_FALSE(before.was_interrupted());
    EXPECT_THROW(check_interruption(), std::runtime_error);
  }
  EXPECT_TRUE(before.was_interrupted());
  const internal::InterruptionWatch after;
  EXPECT_THROW(throw std::runtime_error("another reason"), std::runtime_error);
  EXPECT_FALSE(after.was_interrupted());
}

TEST(Interruption, APauseAsksNobody) {
  Counting enough(0);
  const InterruptionScope scope(enough);
  {
    const internal::InterruptionPause pause;
    check_interruption();
    EXPECT_EQ(current_interruption(), nullptr);
  }
  EXPECT_EQ(enough.calls, 0);
  EXPECT_THROW(check_interruption(), std::runtime_error);
}

}  // namespace
}  // namespace sheaf
