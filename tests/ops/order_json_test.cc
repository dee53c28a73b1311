#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sheaf/order_summary.h"

namespace sheaf {
namespace {

TEST(OrderJson, ContainsNumbersWindowsAndAdvice) {
  OrderSummary summary;
  summary.order.algorithm = OrderAlgorithm::keyed;
  summary.order.window_samples = 7;
  summary.order.worker_count = 2;
  summary.report.sequences = 5;
  summary.report.foreign_samples = 1;
  summary.report.held_bytes = 100;
  summary.index_bytes = 20;
  summary.data_bytes = 1000;
  summary.windows = {{.samples = 7, .memory_bytes = 120, .noise = 1.5, .is_asked = true}};
  summary.advice = {{.code = "noisy", .text = "too \"noisy\""}};
  const std::string text = to_json(summary, "a\"b.ctf");
  EXPECT_EQ(text.back(), '\n');
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["path"], "a\"b.ctf");
  EXPECT_EQ(json["order"], "keyed");
  EXPECT_EQ(json["sequences"], 5);
  EXPECT_TRUE(json["window_chunks"].is_null());
  EXPECT_TRUE(json["noise_of"].is_null());
  EXPECT_TRUE(json["worker_source"].is_null());
  EXPECT_TRUE(json["long_sequences"].is_null());
  EXPECT_EQ(json["memory_bytes"], 120);
  EXPECT_EQ(json["sweep_bytes"], 2000);
  EXPECT_EQ(json["worker_sweep_bytes"], 1000);
  EXPECT_EQ(json["windows"][0]["window_samples"], 7);
  EXPECT_EQ(json["windows"][0]["is_fit"], false);
  EXPECT_EQ(json["advice"][0]["code"], "noisy");
  EXPECT_EQ(json["advice"][0]["text"], "too \"noisy\"");
}

TEST(OrderJson, ContainsTheSourceOfTheWorker) {
  OrderSummary summary;
  summary.order.worker_index = 1;
  summary.order.worker_count = 4;
  summary.worker_source = "OpenMPI (\"1\")";
  summary.noise_of = "y";
  const auto json = nlohmann::json::parse(to_json(summary, "a.ctf"));
  EXPECT_EQ(json["workers"], 4);
  EXPECT_EQ(json["worker_index"], 1);
  EXPECT_EQ(json["worker_source"], "OpenMPI (\"1\")");
  EXPECT_EQ(json["noise_of"], "y");
}

TEST(OrderJson, ContainsTheTreatmentOfLongSequences) {
  OrderSummary summary;
  summary.order.long_sequences = LongSequences::truncate;
  summary.order.row_samples = 7;
  summary.report.long_sequences = {
      .sequences = 2, .of_sequences = 5, .pieces = 3, .left_out_samples = 40, .of_samples = 90};
  const auto json = nlohmann::json::parse(to_json(summary, "a.ctf"));
  EXPECT_EQ(json["long_sequences"], nlohmann::json::parse(R"({"long": "truncate", "row_samples": 7,
      "sequences": 2, "of_sequences": 5, "pieces": 3, "left_out_samples": 40, "of_samples": 90})"));
}

}  // namespace
}  // namespace sheaf
