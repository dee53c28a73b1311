#include <string>

#include <gtest/gtest.h>

#include "ops/report/report_data.h"
#include "ops/report/sections.h"

namespace sheaf {
namespace {

using internal::Json;

class SectionOrder : public ::testing::Test, protected testing::ReportData {
 protected:
  // Returns 1000 sequences of 10 classes, in blocks or alternating.
  static std::string classes(bool in_blocks) {
    std::string text;
    for (int i = 0; i < 1000; ++i) {
      const int label = in_blocks ? i / 100 : i % 10;
      text += std::to_string(i) + " |x " + std::to_string(i % 7) + ".5 |labels " +
              std::to_string(label) + ":1\n";
    }
    return text;
  }

  static double drift(const Json& order, const std::string& what) {
    for (const Json& each : order["drift"]) {
      if (each["what"] == what) return each["size"].get<double>();
    }
    return -1;
  }
};

TEST_F(SectionOrder, BlocksOfOneClassAreDetected) {
  const Json order = json_of(classes(true))["order"];
  EXPECT_GT(drift(order, "classes of labels"), 0.8);
  EXPECT_LT(drift(order, "length"), 0.01);
  EXPECT_LT(drift(order, "values of x"), 0.1);
  ASSERT_EQ(order["runs"].size(), 1U);
  EXPECT_EQ(order["runs"][0]["longest"], 100);
  EXPECT_EQ(order["runs"][0]["first"], 0);
  EXPECT_EQ(order["runs"][0]["expected"], 3);  // log(900) / log(10)
}

TEST_F(SectionOrder, ClassesInTurnShowNoDrift) {
  const Json order = json_of(classes(false))["order"];
  EXPECT_LT(drift(order, "classes of labels"), 0.1);
  EXPECT_EQ(order["runs"][0]["longest"], 1);
}

TEST_F(SectionOrder, SlicesHaveMeansAndClasses) {
  const Json slices = json_of(classes(true))["order"]["slices"];
  ASSERT_EQ(slices.size(), 64U);
  EXPECT_EQ(slices[0]["first"], 0);
  EXPECT_EQ(slices[0]["sequences"], 15);
  EXPECT_EQ(slices[0]["mean_length"], 1);
  EXPECT_EQ(slices[0]["classes"]["labels"], (Json::array({Json::array({0, 15})})));
  EXPECT_EQ(slices[63]["classes"]["labels"], (Json::array({Json::array({9, 16})})));
  // The values 0.5, 1.5, .. 6.5 occur twice, and 0.5 once more.
  EXPECT_DOUBLE_EQ(slices[0]["means"]["x"].get<double>(), 49.5 / 15);
  const Json hidden = json_of(classes(true), {.shows_values = false})["order"]["slices"];
  EXPECT_FALSE(hidden[0].contains("classes"));
}

TEST_F(SectionOrder, WorkersTakeTurns) {
  // The first of 8 sequences has 9 samples, and the others have 1.
  std::string text;
  for (int i = 0; i < 8; ++i) {
    for (int sample = 0; sample < (i == 0 ? 9 : 1); ++sample) {
      text += std::to_string(i) + " |x 1\n";
    }
  }
  const Json workers = json_of(text)["order"]["workers"];
  ASSERT_EQ(workers.size(), 7U);
  EXPECT_EQ(workers[0]["largest"], 1);
  EXPECT_EQ(workers[1]["workers"], 2);
  EXPECT_EQ(workers[1]["largest"], 12.0 / 8);
  EXPECT_EQ(workers[3]["largest"], 9.0 / 2);
  EXPECT_EQ(workers[6]["largest"], 9.0 / 0.25);
}

TEST_F(SectionOrder, OneSequenceHasNoDrift) {
  const Json order = json_of("0 |x 1\n")["order"];
  EXPECT_TRUE(order["drift"].empty());
  EXPECT_EQ(order["slices"].size(), 1U);
  EXPECT_FALSE(order.contains("runs"));
}

}  // namespace
}  // namespace sheaf
