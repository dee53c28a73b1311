#include <string>

#include <gtest/gtest.h>

#include "ops/report/report_data.h"
#include "ops/report/sections.h"

namespace sheaf {
namespace {

using internal::Json;

class SectionLabels : public ::testing::Test, protected testing::ReportData {};

TEST_F(SectionLabels, CountsClasses) {
  const Json labels = json_of(
      "0 |x 0.5 |labels 1:1\n1 |x 0.5 |labels 3:1\n"
      "2 |x 0.5 |labels 1:1\n3 |x 0.5 |labels 1:1\n")["labels"];
  ASSERT_EQ(labels.size(), 1U);
  EXPECT_EQ(labels[0]["stream"], "labels");
  EXPECT_EQ(labels[0]["label"], true);
  EXPECT_EQ(labels[0]["classes"], 4);
  EXPECT_EQ(labels[0]["seen"], 2);
  EXPECT_EQ(labels[0]["counts"], Json::array({Json::array({1, 3}), Json::array({3, 1})}));
  EXPECT_EQ(labels[0]["rest"], 0);
  EXPECT_EQ(labels[0]["unseen"], Json::array({0, 2}));
  EXPECT_EQ(labels[0]["largest_share"], 0.75);
  EXPECT_NEAR(labels[0]["entropy_bits"].get<double>(), 0.811278, 1e-6);
  EXPECT_EQ(labels[0]["per_sample"], (Json{{"min", 1}, {"max", 1}, {"mean", 1.0}}));
}

TEST_F(SectionLabels, OneHotVectorsAndWholeNumbersAreClasses) {
  const Json labels = json_of("0 |x 0.5 |labels 0 1 0\n1 |x 1.5 |labels 1 0 0\n")["labels"];
  ASSERT_EQ(labels.size(), 1U);
  EXPECT_EQ(labels[0]["classes"], 3);
  EXPECT_EQ(labels[0]["counts"], Json::array({Json::array({0, 1}), Json::array({1, 1})}));
  const Json numbers = json_of("0 |x 0.5 |labels 2\n1 |x 1.5 |labels 2\n")["labels"];
  ASSERT_EQ(numbers.size(), 1U);
  EXPECT_EQ(numbers[0]["classes"], 3);
  EXPECT_EQ(numbers[0]["counts"], Json::array({Json::array({2, 2})}));
}

TEST_F(SectionLabels, OneSampleCanRuleOutClasses) {
  EXPECT_TRUE(json_of("0 |x 0.5 |labels 0 1 0\n1 |x 0.5 |labels 1 1 0\n")["labels"].empty());
  EXPECT_TRUE(json_of("0 |x 0.5 |labels 3\n1 |x 0.5 |labels 3.25\n")["labels"].empty());
}

TEST_F(SectionLabels, ListsAreBounded) {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += std::to_string(i) + " |x 0.5 |labels " + std::to_string(2 * i) + ":1\n";
  }
  const Json label = json_of(text)["labels"][0];
  EXPECT_EQ(label["classes"], 199);
  EXPECT_EQ(label["seen"], 100);
  EXPECT_EQ(label["counts"].size(), 20U);
  EXPECT_EQ(label["rest"], 80);
  EXPECT_EQ(label["unseen"].size(), 20U);
}

TEST_F(SectionLabels, IdsThatShareACounterAreEstimated) {
  const Json label = json_of(
      "0 |x 0.5 |labels 65535:1 65536:1\n1 |x 1 |labels 999999:1\n"
      "1 |x 1 |labels 999999:1\n")["labels"][0];
  EXPECT_EQ(label["classes"], 1'000'000);
  EXPECT_EQ(label["is_estimate"], true);
  EXPECT_EQ(label["seen"], 3);
  EXPECT_EQ(label["counts"], Json::array({Json::array({65'535, 1})}));
  EXPECT_EQ(label["rest"], 3);
}

TEST_F(SectionLabels, HiddenValuesLeaveOnlyNumbers) {
  const Json label = json_of("0 |x 0.5 |labels 1:1\n", {.shows_values = false})["labels"][0];
  EXPECT_EQ(label["seen"], 1);
  for (const char* const name : {"counts", "unseen", "rest", "names"}) {
    EXPECT_FALSE(label.contains(name));
  }
}

}  // namespace
}  // namespace sheaf
