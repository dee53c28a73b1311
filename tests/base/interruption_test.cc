#include "sheaf/extend/interruption.h"

#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "base/interruption_watch.h"
#include "support/interrupting.h"

namespace sheaf {
namespace {

using testing::Interrupted;
using testing::Interrupting;

TEST(Interruption, AsksTheInnermostScopeOfItsThreadAlone) {
  EXPECT_EQ(current_interruption(), nullptr);
  check_interruption();
  Interrupting outer(101);
  Interrupting inner(2);
  {
    const InterruptionScope outer_scope(outer);
    {
      const InterruptionScope inner_scope(inner);
      check_interruption();
      EXPECT_THROW(check_interruption(), Interrupted);
      std::thread([] {
        EXPECT_EQ(current_interruption(), nullptr);
        check_interruption();
      }).join();
    }
    check_interruption();
    EXPECT_NE(current_interruption(), nullptr);
  }
  EXPECT_EQ(current_interruption(), nullptr);
  EXPECT_EQ(inner.count(), 2);
  EXPECT_EQ(outer.count(), 1);
}

TEST(Interruption, AWatchTellsWhetherOneWasTheReason) {
  Interrupting enough(1);
  const internal::InterruptionWatch before;
  {
    const InterruptionScope scope(enough);
    EXPECT_FALSE(before.was_interrupted());
    EXPECT_THROW(check_interruption(), Interrupted);
  }
  EXPECT_TRUE(before.was_interrupted());
  const internal::InterruptionWatch after;
  EXPECT_THROW(throw std::runtime_error("another reason"), std::runtime_error);
  EXPECT_FALSE(after.was_interrupted());
}

TEST(Interruption, APauseAsksNobody) {
  Interrupting enough(1);
  const InterruptionScope scope(enough);
  {
    const internal::InterruptionPause pause;
    check_interruption();
    EXPECT_EQ(current_interruption(), nullptr);
  }
  EXPECT_EQ(enough.count(), 0);
  EXPECT_THROW(check_interruption(), Interrupted);
}

}  // namespace
}  // namespace sheaf
