#include "sheaf/interruption.h"

#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace sheaf
