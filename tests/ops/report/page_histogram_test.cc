#include "ops/report/page_histogram.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ops/report/html_walk.h"
#include "ops/report/report_examples.h"

namespace sheaf::internal::page {
namespace {

TEST(PageHistogram, BinsWithoutARangeOrACountAreLeftOut) {
  const Json list =
      Json::parse(R"([{"from":1,"to":2,"count":3},{"from":1,"count":3},{"from":1,"to":2},7,null])");
  const std::vector<HistogramBin> bins = histogram_bins(list);
  ASSERT_EQ(bins.size(), 1U);
  EXPECT_EQ(bins[0].from, 1);
  EXPECT_EQ(bins[0].to, 2);
  EXPECT_EQ(bins[0].count, 3);
  EXPECT_TRUE(histogram_bins(Json()).empty());
}

TEST(PageHistogram, ShowsTheFirstOfManyBins) {
  EXPECT_EQ(histogram_bins(testing::bell_bins(500, 0, 1)).size(), kBinsMax);
}

TEST(PageHistogram, EqualBinsHaveMarksAtRoundNumbers) {
  const std::string chart = value_histogram(histogram_bins(testing::bell_bins(40, -2, 2)), "x");
  EXPECT_EQ(testing::HtmlWalk(chart).wrong(), "");
  EXPECT_NE(chart.find("style=\"left:50%\">0</span>"), std::string::npos);
  EXPECT_NE(chart.find("style=\"left:25%\">-1</span>"), std::string::npos);
}

TEST(PageHistogram, OtherBinsHaveMarksAtTheirStarts) {
  const std::string chart = value_histogram({{1, 1, 9}, {2, 3, 4}, {4, 9, 1}}, "x");
  EXPECT_NE(chart.find("style=\"left:50%\">2</span>"), std::string::npos);
  EXPECT_NE(chart.find("<title>2 to 3: 4</title>"), std::string::npos);
  EXPECT_NE(chart.find("<title>1: 9</title>"), std::string::npos);
}

TEST(PageHistogram, HistogramsOfLengthsHaveFewMarks) {
  std::vector<HistogramBin> bins;
  for (int i = 0; i < 48; ++i) bins.push_back({i * 1.0, i * 1.0, 1});
  const testing::HtmlWalk walk(length_histogram(bins));
  EXPECT_EQ(walk.wrong(), "");
  EXPECT_EQ(walk.elements().at("title"), 48);
  EXPECT_EQ(walk.elements().at("span"), 2 + 6);
}

TEST(PageHistogram, CountsOfOneHaveNoMiddleMark) {
  const std::string chart = value_histogram({{0, 1, 1}}, "x");
  EXPECT_EQ(chart.find(">0.5<"), chart.rfind(">0.5<"));  // only on the axis of values
  EXPECT_NE(chart.find("style=\"top:0%\">1</span>"), std::string::npos);
}

TEST(PageHistogram, TheTableHasARowForEachBin) {
  const testing::HtmlWalk walk(histogram_table({{1, 1, 9}, {2, 3, 4000}}, "Samples", "sequences"));
  EXPECT_EQ(walk.wrong(), "");
  EXPECT_EQ(walk.elements().at("tr"), 3);
  EXPECT_NE(walk.text().find("4,000"), std::string::npos);
}

}  // namespace
}  // namespace sheaf::internal::page
