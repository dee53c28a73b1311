#include "ops/report/comparison.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ops/report/report_data.h"

namespace sheaf {
namespace {

using internal::Json;

class Comparison : public ::testing::Test, protected testing::ReportData {
 protected:
  static std::string numbered(int first, int count, int classes) {
    std::string text;
    for (int i = first; i < first + count; ++i) {
      text += std::to_string(i) + " |x " + std::to_string(i) + ".25 |labels " +
              std::to_string(i % classes) + ":1\n";
    }
    return text;
  }

  static double size_of(const DataReport& report, const std::string& what) {
    for (const Drift& each : report.against->drift) {
      if (each.what == what) return each.size;
    }
    return -1;
  }
};

TEST_F(Comparison, FindsEqualSequencesAndEqualInputs) {
  const DataReport report = compared(
      "0 |x 1.5 |labels 0:1\n1 |x 2.5 |labels 1:1\n2 |x 3.5 |labels 1:1\n3 |x 3.5 |labels 1:1\n",
      "7 |labels 1:1 |x 3.5\n8 |labels 0:1 |x 2.5\n9 |labels 0:1 |x 99.5\n");
  ASSERT_TRUE(report.against);
  EXPECT_EQ(report.against->leaks.looked_at, 4);
  EXPECT_EQ(report.against->leaks.same, 2);
  EXPECT_EQ(report.against->leaks.same_input, 3);
  const Json leaks = Json::parse(report.json)["against"]["leaks"];
  EXPECT_EQ(leaks["same"], 2);
  ASSERT_EQ(leaks["examples"].size(), 2U);
  EXPECT_EQ(leaks["examples"][0], (Json{{"key", "1"}, {"other_key", "8"}}));
  EXPECT_EQ(leaks["examples"][1], (Json{{"key", "2"}, {"other_key", "7"}}));
}

TEST_F(Comparison, DataWithoutLabelsMayLeakInputs) {
  const DataReport report =
      compared("0 |x 1.5 |labels 0:1\n1 |x 2.5 |labels 1:1\n", "0 |x 2.5\n1 |x 8\n");
  EXPECT_EQ(report.against->leaks.same, 0);
  EXPECT_EQ(report.against->leaks.same_input, 1);
}

TEST_F(Comparison, EqualDataHaveNoDriftAndOtherDataHave) {
  const std::string text = numbered(0, 400, 10);
  const DataReport same = compared(text, text);
  for (const Drift& each : same.against->drift) EXPECT_EQ(each.size, 0) << each.what;
  EXPECT_EQ(same.against->leaks.same, 400);
  const DataReport other = compared(text, numbered(100'000, 400, 1));
  EXPECT_EQ(size_of(other, "length"), 0);
  EXPECT_EQ(size_of(other, "values of x"), 1);
  EXPECT_GT(size_of(other, "classes of labels"), 0.85);
}

TEST_F(Comparison, FindsUnseenIds) {
  const Json unseen =
      Json::parse(compared(numbered(0, 20, 2), numbered(0, 20, 4)).json)["against"]["unseen"];
  ASSERT_EQ(unseen.size(), 1U);
  EXPECT_EQ(unseen[0]["stream"], "labels");
  EXPECT_EQ(unseen[0]["ids"], 2);
  EXPECT_EQ(unseen[0]["samples"], 10);
  EXPECT_EQ(unseen[0]["examples"], Json::array({2, 3}));
  EXPECT_FALSE(
      Json::parse(compared(numbered(0, 20, 4), numbered(0, 20, 2)).json)["against"].contains(
          "unseen"));
}

TEST_F(Comparison, HiddenValuesLeaveOnlyCounts) {
  const DataReport report =
      compared(numbered(0, 20, 2), numbered(0, 20, 4), {.shows_values = false});
  const Json against = Json::parse(report.json)["against"];
  EXPECT_FALSE(against["leaks"].contains("examples"));
  EXPECT_FALSE(against["unseen"][0].contains("examples"));
  EXPECT_EQ(against["unseen"][0]["ids"], 2);
}

TEST_F(Comparison, LabelsOfOtherDataAreMatchedByName) {
  internal::DataNumbers numbers;
  numbers.streams = {{.name = "x"}, {.name = "labels"}};
  numbers.labels = {false, true};
  const std::vector<Stream> others = {{.name = "labels"}, {.name = "target"}};
  EXPECT_EQ(internal::same_labels(numbers, others), (std::vector<bool>{true, false}));
}

}  // namespace
}  // namespace sheaf
