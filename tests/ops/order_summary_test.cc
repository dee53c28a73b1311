#include "sheaf/order_summary.h"

#include <cstdint>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"

#include "ops/conversion_data.h"

namespace sheaf {
namespace {

class SummarizeOrder : public ::testing::Test, protected testing::ConversionData {
 protected:
  OrderSummary summarize(const OrderOptions& order, const OrderSummaryOptions& options = {}) {
    Spec spec;
    spec.data.content = FilesSpec{.files = {"in.ctf"}, .format = {.chunk_size_bytes = 500}};
    spec.read.order = order;
    return summarize_order(spec, options, {.files = &files()});
  }
};

constexpr OrderOptions kKeyed = {.minibatch_size = 20, .algorithm = OrderAlgorithm::keyed};

std::string without_measured(OrderSummary summary) {
  summary.open_seconds = 0;
  summary.first_minibatch_seconds = 0;
  summary.index_bytes = 0;
  for (WindowChoice& window : summary.windows) window.memory_bytes = 0;
  return to_json(summary, "in.ctf");
}

TEST_F(SummarizeOrder, CountsDataAndMeasuresTheOrder) {
  const OrderSummary file = summarize({.minibatch_size = 20, .worker_count = 4});
  EXPECT_EQ(file.report.sequences, kSequenceCount);
  EXPECT_EQ(file.report.samples, 1000);
  EXPECT_EQ(file.data_bytes, std::ssize(read("in.ctf")));
  EXPECT_EQ(file.sweep_bytes(), 4 * static_cast<double>(file.data_bytes));
  EXPECT_TRUE(file.windows.empty());
  ASSERT_EQ(file.advice.size(), 1U);
  EXPECT_EQ(file.advice[0].code, "file-workers");
  EXPECT_EQ(summarize({.minibatch_size = 20}).advice.at(0).code, "file-order");
  const OrderSummary keyed = summarize(kKeyed);
  EXPECT_LT(*keyed.report.all.noise, *file.report.all.noise);
  EXPECT_TRUE(keyed.order.window_chunks);
  EXPECT_TRUE(keyed.holds_all());
  EXPECT_FALSE(keyed.windows.empty());
  EXPECT_GT(*keyed.plain_padding, *keyed.bucketed_padding);
  EXPECT_GT(*keyed.first_minibatch_seconds, 0);
}

TEST_F(SummarizeOrder, DoesNotDependOnThreadsOrOpenData) {
  OrderOptions order = kKeyed;
  order.window_chunks = 8;
  const std::string one = without_measured(summarize(order, {.run = {.threads = 1}}));
  EXPECT_EQ(without_measured(summarize(order, {.run = {.threads = 4}})), one);
  const auto data = open("in.ctf", {.chunk_size_bytes = 500});
  EXPECT_EQ(without_measured(summarize_order(data, {.order = order})), one);
}

TEST_F(SummarizeOrder, NoiseOfAStreamReadsAllDataWithProgress) {
  std::int64_t last = 0;
  const OrderSummaryOptions options{.noise_of = "x",
                                    .run = {.progress = [&](std::int64_t bytes) { last = bytes; }}};
  const OrderSummary summary = summarize({.minibatch_size = 20}, options);
  EXPECT_EQ(last, std::ssize(read("in.ctf")));
  ASSERT_FALSE(summary.advice.empty());
  EXPECT_EQ(summary.advice[0].code, "file-blocks");
  EXPECT_THROW(static_cast<void>(summarize({}, {.noise_of = "y"})), ConfigError);
}

TEST_F(SummarizeOrder, LongSequencesAreCounted) {  // lengths are 1, 2, 3, 4, 1, ...
  OrderOptions order = kKeyed;
  order.row_samples = 2;
  EXPECT_FALSE(summarize(order).report.long_sequences);
  order.long_sequences = LongSequences::split;
  const OrderSummary split = summarize(order);
  EXPECT_EQ(split.report.long_sequences,
            (LongReport{.sequences = 200, .of_sequences = 400, .pieces = 400, .of_samples = 1000}));
  EXPECT_EQ(split.report.sequences, 600);
  EXPECT_EQ(split.report.samples, 1000);
  order.long_sequences = LongSequences::drop;
  const OrderSummary drop = summarize(order, {.noise_of = "x"});
  EXPECT_EQ(drop.report.sequences, 200);
  EXPECT_EQ(drop.report.samples, 300);
  EXPECT_EQ(drop.report.long_sequences->left_out_samples, 700);
  EXPECT_EQ(drop.advice.at(0).code, "long-sequences");
  EXPECT_TRUE(drop.first_minibatch_seconds);
}

TEST_F(SummarizeOrder, StepsAreCountedFromZero) {
  EXPECT_EQ(summarize(kKeyed, {.steps_max = 7}).report.steps, 7);
  EXPECT_THROW(static_cast<void>(summarize(kKeyed, {.steps_max = -1})), ConfigError);
}

TEST_F(SummarizeOrder, ATooSmallLimitIsAdviceNotAnError) {
  const OrderSummary summary = summarize(kKeyed, {.run = {.memory_limit_bytes = 1000}});
  EXPECT_FALSE(summary.first_minibatch_seconds);
  EXPECT_NE(summary.refusal, "");
  ASSERT_FALSE(summary.advice.empty());
  EXPECT_EQ(summary.advice.back().code.find("memory-"), 0U);
}

TEST_F(SummarizeOrder, AnInterruptionEndsTheSummary) {
  const auto data = open("in.ctf");
  static_cast<void>(data->index().chunk(ChunkIndex{}));
  class Always final : public Interruption {
   public:
    void check() override { throw std::runtime_error("interrupted"); }
  };
  Always interruption;
  const InterruptionScope scope(interruption);
  EXPECT_THROW(static_cast<void>(summarize_order(data, {})), std::runtime_error);
}

}  // namespace
}  // namespace sheaf
