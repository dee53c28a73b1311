#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ops/report/html_walk.h"
#include "ops/report/page_sections.h"
#include "ops/report/report_examples.h"

namespace sheaf::internal::page {
namespace {

using testing::full_report;

TEST(PageOrder, ExplainsDriftAndGivesAdvice) {
  const std::string html = order_body(full_report());
  EXPECT_NE(html.find("into 64 slices"), std::string::npos);
  EXPECT_NE(html.find("order=\"keyed\""), std::string::npos);
  EXPECT_NE(html.find("0 means that the slices look alike"), std::string::npos);
  EXPECT_NE(html.find("0.83"), std::string::npos);
}

TEST(PageOrder, RunsAreComparedWithAShuffledOrder) {
  const std::string html = order_body(full_report());
  EXPECT_NE(html.find("<td class=\"n\">112</td><td class=\"n\">4.2</td><td class=\"n\">448</td>"),
            std::string::npos);
}

TEST(PageOrder, EachNumberOfWorkersHasAPoint) {
  const std::string html = order_body(full_report());
  EXPECT_NE(html.find("<title>64 workers: 1.41</title>"), std::string::npos);
  EXPECT_NE(html.find("64</th><td class=\"n\">1.6&nbsp;%</td><td class=\"n\">1.41</td>"),
            std::string::npos);
}

TEST(PageOrder, ARowWithoutAShareLeavesTheOtherLabels) {
  Json report = full_report();
  report["order"]["workers"] = {
      {{"workers", 3}}, {{"workers", 17}, {"largest", 1.25}}, {{"workers", 91}, {"largest", 1.5}}};
  const std::string html = order_body(report);
  EXPECT_NE(html.find(">17</span>"), std::string::npos);
  EXPECT_NE(html.find(">91</span>"), std::string::npos);
  EXPECT_EQ(html.find(">77</"), std::string::npos);
}

TEST(PageOrder, OneNumberOfWorkersIsASinglePoint) {
  Json report = full_report();
  report["order"]["workers"] = {{{"workers", 1}, {"largest", 1}}};
  EXPECT_EQ(testing::HtmlWalk(order_body(report)).wrong(), "");
}

TEST(PageOrder, TheKeyedForecastIsATable) {
  Json report = full_report();
  report["order"]["keyed"] = {{"minibatch_sequences", 256}, {"window_chunks", 128}};
  report["order"]["keyed"]["workers"] = {{{"workers", 8},
                                          {"noise", 1.25},
                                          {"chunks", 96},
                                          {"excess", 0.5},
                                          {"held_bytes", 1 << 20},
                                          {"held_share", 0.125}},
                                         {{"workers", 64}}};
  const std::string html = order_body(report);
  EXPECT_EQ(testing::HtmlWalk(html).wrong(), "");
  EXPECT_NE(html.find("minibatches of 256 sequences and the default window of 128 chunks"),
            std::string::npos);
  EXPECT_NE(html.find("8</th><td class=\"n\">1.25</td><td class=\"n\">96</td>"
                      "<td class=\"n\">1.5</td><td class=\"n\">1.0&nbsp;MiB</td>"
                      "<td class=\"n\">12.5&nbsp;%</td>"),
            std::string::npos);
}

std::int64_t row_count(const std::string& html) {
  const std::vector<std::string> scopes = testing::HtmlWalk(html).values_of("scope");
  return std::ranges::count(scopes, "row");
}

TEST(PageOrder, TablesOfWorkersHaveAtMost64Rows) {
  const std::vector<std::pair<int, int>> cases = {{63, 63}, {64, 64}, {65, 64}};
  for (const auto& [given, shown] : cases) {
    Json rows = Json::array();
    for (int i = 1; i <= given; ++i) rows.push_back({{"workers", i}, {"largest", 1.5}});
    Json balance;
    balance["order"] = {{"slices", Json::array()}, {"workers", rows}};
    EXPECT_EQ(row_count(order_body(balance)), shown) << given;
    Json forecast;
    forecast["order"] = {{"slices", Json::array()}, {"keyed", {{"workers", rows}}}};
    EXPECT_EQ(row_count(order_body(forecast)), shown) << given;
  }
}

TEST(PageOrder, PartsMayBeAbsent) {
  Json report = full_report();
  report["order"] = {{"slices", Json::array()}};
  const std::string html = order_body(report);
  EXPECT_NE(html.find("into 0 slices"), std::string::npos);
  EXPECT_EQ(html.find("<h3>"), std::string::npos);
}

}  // namespace
}  // namespace sheaf::internal::page
