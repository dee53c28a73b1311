#include <string>

#include <gtest/gtest.h>

#include "ops/report/html_walk.h"
#include "ops/report/page_sections.h"
#include "ops/report/report_examples.h"

namespace sheaf::internal::page {
namespace {

using testing::full_report;
using testing::HtmlWalk;

TEST(PageStreams, EachStreamHasARow) {
  const std::string html = streams_body(full_report());
  EXPECT_NE(html.find("<bdi>features</bdi>"), std::string::npos);
  EXPECT_NE(html.find("<bdi>labels</bdi> <span class=\"soft\">label</span>"), std::string::npos);
  EXPECT_NE(html.find("-18.42"), std::string::npos);
  EXPECT_NE(html.find("3.2 per sample"), std::string::npos);
  EXPECT_NE(html.find("&gt;99.9&nbsp;%"), std::string::npos);  // the share of values that are not
                                                               // zero
}

TEST(PageStreams, ShapesShowVariableExtents) {
  Json report = full_report();
  report["streams"][0]["shape"] = {3, nullptr, 224};
  EXPECT_NE(streams_body(report).find("3&nbsp;&times;&nbsp;any&nbsp;&times;&nbsp;224"),
            std::string::npos);
  report["streams"][0]["shape"] = Json::array();
  EXPECT_NE(streams_body(report).find("one value"), std::string::npos);
}

TEST(PageStreams, StreamsWithHistogramsHaveCharts) {
  const HtmlWalk walk(streams_body(full_report()));
  EXPECT_EQ(walk.elements().at("figure"), 3);
  EXPECT_EQ(walk.elements().at("svg"), 3);
  EXPECT_EQ(walk.elements().at("details"), 3);
}

TEST(PageStreams, ConstantValuesAreNamed) {
  Json report = full_report();
  EXPECT_NE(streams_body(report).find(
                "1 of 40 values in a sample never changes: value 39. It is always 0."),
            std::string::npos);
  report["streams"][0]["dims"] = {
      {"count", 400}, {"constant", 12}, {"always_zero", 3}, {"examples", {1, 2}}};
  EXPECT_NE(streams_body(report).find("12 of 400 values in a sample never change, for example "
                                      "values 1, 2. 3 of them are always 0."),
            std::string::npos);
}

TEST(PageStreams, OneValueIsStated) {
  Json report = full_report();
  Json stream = report["streams"][1];
  stream["histogram"] = Json::array();
  stream["histogram"].push_back({{"from", 1}, {"to", 1}, {"count", 12}});
  report["streams"] = Json::array();
  report["streams"].push_back(stream);
  const std::string html = streams_body(report);
  EXPECT_NE(html.find("Every value is 1."), std::string::npos);
  EXPECT_EQ(HtmlWalk(html).elements().count("svg"), 0U);
}

TEST(PageStreams, ManyStreamsAreCounted) {
  Json report = full_report();
  for (int i = 0; i < 300; ++i) report["streams"].push_back(report["streams"][0]);
  const std::string html = streams_body(report);
  EXPECT_NE(html.find("Not shown here: 104 of 304 streams."), std::string::npos);
  EXPECT_NE(html.find("Not shown here: 280 of 304 charts."), std::string::npos);
}

}  // namespace
}  // namespace sheaf::internal::page
