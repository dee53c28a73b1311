#include "ops/report/verdict.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ops/report/report_data.h"

namespace sheaf {
namespace {

class VerdictOfData : public ::testing::Test, protected testing::ReportData {
 protected:
  static bool has(const DataReport& report, FindingLevel level, const std::string& section,
                  const std::string& text) {
    return std::ranges::any_of(report.verdict, [&](const Finding& each) {
      return each.level == level && each.section == section &&
             each.text.find(text) != std::string::npos;
    });
  }
};

TEST_F(VerdictOfData, GoodDataPassInAllSections) {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += std::to_string(i) + " |x " + std::to_string(73 * i % 200) + ".5 |labels " +
            std::to_string(i * i % 7 % 2) + ":1\n";
  }
  const DataReport report = report_of(text);
  for (const Finding& each : report.verdict) {
    EXPECT_EQ(each.level, FindingLevel::good) << each.text;
    EXPECT_TRUE(each.advice.empty());
  }
  EXPECT_TRUE(has(report, FindingLevel::good, "data", "All 200 sequences can be read."));
  EXPECT_TRUE(has(report, FindingLevel::good, "order", "looks shuffled"));
}

TEST_F(VerdictOfData, TheWorstFindingComesFirst) {
  const DataReport report = report_of("0 |x 1 2\n1 |x z 1\n2 |x 1 3\n2 |x 1 4\n");
  ASSERT_GE(report.verdict.size(), 2U);
  EXPECT_EQ(report.verdict.front().level, FindingLevel::error);
  EXPECT_EQ(report.verdict.front().text,
            "The data have 1 wrong place, and 1 sequence is left out.");
  EXPECT_TRUE(std::ranges::is_sorted(report.verdict, {}, &Finding::level));
  EXPECT_TRUE(has(report, FindingLevel::notice, "streams", "1 of the 2 values of a sample never"));
}

TEST_F(VerdictOfData, ReportsPadding) {
  std::string text;
  for (int i = 0; i < 64; ++i) {
    for (int sample = 0; sample < (i % 16 == 0 ? 40 : 1); ++sample) {
      text += std::to_string(i) + " |x " + std::to_string(i) + "\n";
    }
  }
  const DataReport report = report_of(text);
  EXPECT_TRUE(has(report, FindingLevel::warning, "lengths", "Padding fills"));
  EXPECT_FALSE(has(report, FindingLevel::good, "lengths", ""));
}

TEST_F(VerdictOfData, ReportsBlocksOfClasses) {
  std::string text;
  for (int i = 0; i < 500; ++i) {
    text += std::to_string(i) + " |x " + std::to_string(i % 7) + ".5 |labels " +
            std::to_string(i / 100) + ":1\n";
  }
  EXPECT_TRUE(
      has(report_of(text), FindingLevel::warning, "order", "classes of labels differ along"));
}

TEST_F(VerdictOfData, AdviceStatesTheNoiseOfKeyedOrder) {
  const auto advice = [](double noise) {
    internal::Json report = internal::Json::parse(R"({"data": {"sequences": 9000}, "streams": [],
        "lengths": {"count": 0}, "labels": [], "duplicates": {}, "keys": {},
        "order": {"slices": [], "drift": [{"what": "length", "size": 0.5}],
                  "keyed": {"minibatch_sequences": 256, "workers": [{"workers": 1}]}}})");
    if (noise > 0) report["order"]["keyed"]["workers"][0]["noise"] = noise;
    const std::vector<Finding> findings = internal::verdict_of(report);
    const auto found = std::ranges::find(findings, "order", &Finding::section);
    return found == findings.end() ? std::string{} : found->advice;
  };
  EXPECT_EQ(advice(0), "Read the data with order=keyed, or shuffle the file.");
  EXPECT_EQ(advice(1.3),
            "Read the data with order=keyed, which mixes minibatches of 256 sequences with a noise "
            "of 1.30 (1 is a full shuffle).");
  EXPECT_NE(advice(1.301).find("A larger window mixes better: see sheaf order."),
            std::string::npos);
}

TEST_F(VerdictOfData, CountsHaveSeparators) {
  std::string text;
  for (int i = 0; i < 1438; ++i) text += std::to_string(i) + " |x " + std::to_string(i) + ".5\n";
  EXPECT_TRUE(has(report_of(text), FindingLevel::good, "data", "All 1,438 sequences can be read."));
}

TEST_F(VerdictOfData, ReportsDuplicatesAndConflicts) {
  const DataReport report =
      report_of("0 |x 1.5 |labels 0:1\n1 |x 1.5 |labels 0:1\n2 |x 1.5 |labels 1:1\n");
  EXPECT_TRUE(has(report, FindingLevel::warning, "duplicates",
                  "1 sequence (33 %) repeats an earlier sequence."));
  EXPECT_TRUE(
      has(report, FindingLevel::warning, "duplicates", "1 input comes with different labels."));
}

TEST_F(VerdictOfData, ReportsLeaksAndUnseenIds) {
  const DataReport report = compared("0 |x 1.5 |labels 0:1\n1 |x 2.5 |labels 1:1\n",
                                     "0 |x 1.5 |labels 0:1\n1 |x 9.5 |labels 2:1\n");
  EXPECT_TRUE(has(report, FindingLevel::error, "against",
                  "1 sequence of the data is in \"other.ctf\", too."));
  EXPECT_TRUE(has(report, FindingLevel::warning, "against", "1 id of stream \"labels\" is in"));
}

TEST_F(VerdictOfData, ReportsConstantAndMissingValues) {
  const DataReport report = report_of("0 |x 4\n1 |x 4\n");
  EXPECT_TRUE(
      has(report, FindingLevel::warning, "streams", "All values of stream \"x\" are equal."));
}

TEST_F(VerdictOfData, ReportsRareClasses) {
  const DataReport report = report_of(
      "0 |x 1.5 |labels 4:1\n1 |x 2.5 |labels 4:1\n2 |x 3.5 |labels 4:1\n3 |x 4.5 |labels 0:1\n"
      "4 |x 5.5 |labels 1:1\n");
  EXPECT_TRUE(has(report, FindingLevel::notice, "labels",
                  "2 of the 5 classes of stream \"labels\" never occur."));
  EXPECT_TRUE(has(report, FindingLevel::notice, "labels", "One class has 60 % of the labels"));
}

}  // namespace
}  // namespace sheaf
