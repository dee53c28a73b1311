#include "ops/order_windows.h"

#include <cstdint>
#include <memory>

#include <gtest/gtest.h>

#include "sheaf/extend/sequencer.h"

#include "ops/conversion_data.h"

namespace sheaf::internal {
namespace {

class OrderWindows : public ::testing::Test, protected sheaf::testing::ConversionData {
 protected:
  // Measures windows of 8 chunks.
  std::vector<WindowChoice> measure(std::int64_t memory_limit_bytes) {
    const std::shared_ptr<const Deserializer> data = open("in.ctf", {.chunk_size_bytes = 100});
    const std::shared_ptr<const Counts> counts(data, &data->index());
    summary_.order = {.minibatch_size = 20, .algorithm = OrderAlgorithm::cntk, .window_chunks = 8};
    summary_.memory_limit_bytes = memory_limit_bytes;
    const OrderReportOptions options{.chunk_bytes = [](ChunkIndex) { return 1e6; }};
    summary_.report = measure_order(counts, summary_.order, options);
    return measure_windows(summary_, counts, options);
  }

  OrderSummary summary_;
};

TEST_F(OrderWindows, AreHalfOnceAndTwiceTheWindow) {
  const std::vector<WindowChoice> windows = measure(0);
  ASSERT_EQ(windows.size(), 3U);
  EXPECT_EQ(windows[0].chunks, 4);
  EXPECT_EQ(windows[1].chunks, 8);
  EXPECT_EQ(windows[2].chunks, 16);
  EXPECT_TRUE(windows[1].is_asked);
  EXPECT_FALSE(windows[0].is_asked);
  EXPECT_LT(windows[0].memory_bytes, windows[2].memory_bytes);
  EXPECT_GT(*windows[0].noise, *windows[2].noise);
}

TEST_F(OrderWindows, TheLargestThatFitsTheLimitIsMarked) {
  bool fits = false;
  for (const WindowChoice& window : measure(60'000'000)) {
    if (!window.is_fit) continue;
    fits = true;
    EXPECT_GT(*window.chunks, 8);
    EXPECT_LE(window.memory_bytes, window_room_bytes(summary_));
  }
  EXPECT_TRUE(fits);
  EXPECT_GT(reading_bytes(summary_), 0);
  for (const WindowChoice& window : measure(1)) EXPECT_FALSE(window.is_fit);
}

}  // namespace
}  // namespace sheaf::internal
