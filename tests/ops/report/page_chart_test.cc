#include "ops/report/page_chart.h"

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ops/report/html_walk.h"

namespace sheaf::internal::page {
namespace {

const Axes kAxes = {"Lengths", "samples", {{0, "1"}, {0.5, "2"}, {1, "3"}}, {{0, "0"}, {1, "9"}}};

TEST(PageChart, EachBarHasItsHeightAndATitle) {
  const std::vector<Bar> bars = {{1, "one: 9"}, {0.5, "two: 4"}, {0, "three: 0"}};
  const std::string chart = bar_chart(kAxes, bars);
  const testing::HtmlWalk walk(chart);
  EXPECT_EQ(walk.wrong(), "");
  EXPECT_EQ(walk.elements().at("title"), 3);
  EXPECT_NE(chart.find("<title>one: 9</title>"), std::string::npos);
  EXPECT_NE(chart.find("M0.5 100v-100h9v100z"), std::string::npos);
  EXPECT_NE(chart.find("M10.5 100v-50h9v50z"), std::string::npos);
  EXPECT_NE(chart.find("M20.5 100v-0h9v0z"), std::string::npos);
}

TEST(PageChart, ATinyBarIsVisible) {
  const std::vector<Bar> bars = {{1e-9, "1"}};
  EXPECT_NE(bar_chart(kAxes, bars).find("v-1.2h9"), std::string::npos);
}

TEST(PageChart, ABarBeyondTheAxisEndsAtTheAxis) {
  const std::vector<Bar> bars = {{7, "high"}, {-1, "low"}, {std::nan(""), "none"}};
  const std::string chart = bar_chart(kAxes, bars);
  EXPECT_NE(chart.find("v-100h9"), std::string::npos);
  EXPECT_EQ(chart.find("nan"), std::string::npos);
  EXPECT_EQ(chart.find("--"), std::string::npos);
}

TEST(PageChart, FortyEightBarsTakeAFewKilobytes) {
  const std::vector<Bar> bars(48, Bar{0.371, "-12.45 to -11.09: 12,345"});
  EXPECT_LE(bar_chart(kAxes, bars).size(), 7000U);
}

TEST(PageChart, ALineHasAPointAndATitleForEachValue) {
  const Line line = {"", {{0, 0, "first"}, {0.5, 1, "second"}, {1, 0.25, "third"}}};
  const std::string chart = line_chart(kAxes, std::span(&line, 1));
  const testing::HtmlWalk walk(chart);
  EXPECT_EQ(walk.wrong(), "");
  EXPECT_NE(chart.find("d=\"M0 100L300 0L600 75\""), std::string::npos);
  EXPECT_EQ(walk.elements().at("title"), 3);
  EXPECT_EQ(walk.elements().count("ul"), 0U);
}

TEST(PageChart, NamedLinesHaveALegend) {
  const std::vector<Line> lines = {{"file", {{0, 0, "a"}}}, {"random", {{0, 1, "b"}}}};
  const testing::HtmlWalk walk(line_chart(kAxes, lines));
  EXPECT_EQ(walk.wrong(), "");
  EXPECT_EQ(walk.elements().at("li"), 2);
  EXPECT_NE(walk.text().find("random"), std::string::npos);
}

TEST(PageChart, TextsAtTheEndsOfAnAxisStayInside) {
  const std::string chart = framed(kAxes, "");
  EXPECT_NE(chart.find("<span class=\"first\" style=\"left:0%\">1</span>"), std::string::npos);
  EXPECT_NE(chart.find("<span style=\"left:50%\">2</span>"), std::string::npos);
  EXPECT_NE(chart.find("<span class=\"last\" style=\"left:100%\">3</span>"), std::string::npos);
  EXPECT_NE(chart.find("<span style=\"top:100%\">0</span>"), std::string::npos);
}

TEST(PageChart, TheWidthOfAnAxisCountsCharactersAndNotEntities) {
  Axes axes = kAxes;
  axes.y = {{1, "&lt;0.1&nbsp;%"}};
  EXPECT_NE(framed(axes, "").find("style=\"width:7ch\""), std::string::npos);
}

TEST(PageChart, AMeterIsAsLongAsItsShare) {
  EXPECT_NE(meter(0.31).find("M0 0h31v8h-31z"), std::string::npos);
  EXPECT_NE(meter(3).find("M0 0h100v8h-100z\"/></svg>"), std::string::npos);
  EXPECT_EQ(testing::HtmlWalk(meter(std::nan(""))).wrong(), "");
}

TEST(PageChart, AFigureHasAHeadingAChartAndATable) {
  const std::string html = figure("Heading", "<p>chart</p>", "<p>table</p>");
  EXPECT_EQ(testing::HtmlWalk(html).wrong(), "");
  EXPECT_LT(html.find("Heading"), html.find("chart"));
  EXPECT_LT(html.find("chart"), html.find("table"));
}

}  // namespace
}  // namespace sheaf::internal::page
