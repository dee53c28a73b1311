#include "ops/order_advice.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

// Returns an order of 1000 sequences in 10 chunks that needs no advice.
OrderSummary good_order(OrderAlgorithm algorithm) {
  OrderSummary summary;
  summary.order.algorithm = algorithm;
  summary.report.chunks = 10;
  summary.report.sequences = summary.report.samples = 1000;
  summary.report.all.sequences = 100;
  summary.report.all.noise = 1;
  summary.data_bytes = 20'000;
  return summary;
}

std::string codes(const OrderSummary& summary) {
  std::string all;
  for (const Advice& advice : advice_on(summary, {})) {
    all += (all.empty() ? "" : " ") + advice.code;
  }
  return all;
}

TEST(OrderAdvice, AGoodOrderGetsNoAdvice) {
  for (const OrderAlgorithm each :
       {OrderAlgorithm::file, OrderAlgorithm::cntk, OrderAlgorithm::keyed}) {
    EXPECT_EQ(codes(good_order(each)), "");
  }
}

TEST(OrderAdvice, NamesOptionsAsInTheApiOrTheCommandLine) {
  OrderSummary summary = good_order(OrderAlgorithm::cntk);
  summary.order.window_chunks = 2;
  const std::vector<Advice> plain = advice_on(summary, {});
  ASSERT_EQ(plain.size(), 1U);
  EXPECT_EQ(plain[0].code, "cntk-window");
  EXPECT_EQ(plain[0].text,
            "window_chunks=2 mixes next to nothing: sequences stay with their chunk. Take 3 at "
            "least, or order=keyed");
  const auto own = advice_on(summary, [](std::string_view name, std::string_view value) {
    return "<" + std::string(name) + "|" + std::string(value) + ">";
  });
  EXPECT_EQ(own[0].text.find("<window_chunks|2> mixes"), 0U);
  EXPECT_NE(own[0].text.find("or <order|keyed>"), std::string::npos);
}

TEST(OrderAdvice, WorkersWithoutChunksAreReported) {
  OrderSummary summary = good_order(OrderAlgorithm::cntk);
  summary.order.worker_count = 16;
  EXPECT_EQ(codes(summary), "cntk-workers");
  EXPECT_EQ(advice_on(summary, {})[0].text,
            "6 of 16 workers have nothing to do: order=cntk deals whole chunks, and there are 10. "
            "Take chunk_size=125, or order=keyed");
}

TEST(OrderAdvice, FileOrderHasItsCodes) {
  OrderSummary summary = good_order(OrderAlgorithm::file);
  summary.report.all.noise = 5;
  EXPECT_EQ(codes(summary), "file-order");
  summary.noise_of = "labels";
  summary.order.worker_count = 4;
  EXPECT_EQ(codes(summary), "file-blocks file-workers");
}

TEST(OrderAdvice, KeyedOrderHasItsCodes) {
  OrderSummary summary = good_order(OrderAlgorithm::keyed);
  summary.order.worker_count = 50;
  summary.report.all.noise = 3;
  summary.windows = {{.chunks = 2, .noise = 3, .is_asked = true}, {.chunks = 4, .noise = 2}};
  summary.is_padded = true;
  summary.plain_padding = 0.4;
  summary.bucketed_padding = 0.1;
  EXPECT_EQ(codes(summary), "few-sequences noisy padding");
  summary.order.batching = Batching::bucketed;
  EXPECT_EQ(codes(summary), "few-sequences noisy");
}

TEST(OrderAdvice, UndeliveredSamplesAreReported) {
  OrderSummary summary = good_order(OrderAlgorithm::keyed);
  summary.order.long_sequences = LongSequences::split;
  summary.report.long_sequences = {.sequences = 12, .of_sequences = 1000, .of_samples = 2000};
  EXPECT_EQ(codes(summary), "");
  summary.report.long_sequences->left_out_samples = 100;
  summary.order.long_sequences = LongSequences::drop;
  EXPECT_EQ(codes(summary), "long-sequences");
  EXPECT_EQ(advice_on(summary, {})[0].text,
            "long=drop leaves out 12 of 1000 sequences, 5 % of all samples: with long=split every "
            "sample is delivered");
  summary.report.sequences = 0;  // all sequences are too long
  summary.order.long_sequences = LongSequences::truncate;
  EXPECT_EQ(advice_on(summary, {})[0].text,
            "long=truncate leaves out the ends of 12 of 1000 sequences, 5 % of all samples: with "
            "long=split every sample is delivered");
}

TEST(OrderAdvice, ATooSmallMemoryLimitIsReported) {
  OrderSummary summary = good_order(OrderAlgorithm::keyed);
  summary.memory_limit_bytes = 8 << 20;
  summary.refusal = "memory_limit_bytes: too small";
  EXPECT_EQ(codes(summary), "memory-refused");
  summary.refusal.clear();
  summary.windows = {{.chunks = 2, .memory_bytes = 1, .noise = 3, .is_asked = true},
                     {.chunks = 4, .memory_bytes = 2, .noise = 1, .is_fit = true}};
  EXPECT_EQ(codes(summary), "memory-room");
  summary.report.held_bytes = 16 << 20;
  EXPECT_EQ(codes(summary), "memory-window");
  summary.windows[1].is_fit = false;
  EXPECT_EQ(codes(summary), "memory-too-small");
}

TEST(OrderAdvice, EmptyDataGetNoAdvice) {
  OrderSummary summary = good_order(OrderAlgorithm::file);
  summary.report.sequences = 0;
  summary.order.worker_count = 4;
  EXPECT_EQ(codes(summary), "");
}

}  // namespace
}  // namespace sheaf::internal
