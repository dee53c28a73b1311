#include "output/delivery_progress.h"

#include <gtest/gtest.h>

namespace sheaf::cli {
namespace {

TEST(DeliveryProgress, SaysHowFarHowFastAndHowLong) {
  Delivered delivered{.minibatches = 3, .samples = 96};
  EXPECT_EQ(delivery_text(delivered), "3 minibatches, 96 samples");
  delivered.seconds = 2;
  EXPECT_EQ(delivery_text(delivered), "3 minibatches, 96 samples, 48 samples/s");
  delivered.sweeps = 0;
  EXPECT_EQ(delivery_text(delivered), "3 minibatches, 96 samples, 48 samples/s, 0 % of sweep 1");
  delivered.sweeps = 1.5;
  EXPECT_EQ(delivery_text(delivered), "3 minibatches, 96 samples, 48 samples/s, 50 % of sweep 2");
  delivered.sweeps_end = 3;
  EXPECT_EQ(delivery_text(delivered),
            "3 minibatches, 96 samples, 48 samples/s, 50 % of sweep 2 of 3, 2 s left");
  delivered.sweeps_before = 1.4;  // a run that was resumed
  EXPECT_EQ(delivery_text(delivered),
            "3 minibatches, 96 samples, 48 samples/s, 50 % of sweep 2 of 3, 30 s left");
  delivered.sweeps = 3;
  delivered.sweeps_before = 0;
  EXPECT_EQ(delivery_text(delivered),
            "3 minibatches, 96 samples, 48 samples/s, 100 % of sweep 3 of 3, 0 s left");
}

}  // namespace
}  // namespace sheaf::cli
