#include <string>

#include <gtest/gtest.h>

#include "ops/report/html_walk.h"
#include "ops/report/page_sections.h"
#include "ops/report/report_examples.h"

namespace sheaf::internal::page {
namespace {

using testing::full_report;
using testing::HtmlWalk;

TEST(PageLengths, TheMedianAndTheLongestAreStated) {
  EXPECT_NE(lengths_body(full_report())
                .find("Half of the sequences have 32 samples or fewer. The longest has 1,980."),
            std::string::npos);
}

TEST(PageLengths, EqualLengthsAreStated) {
  Json report = full_report();
  report["lengths"]["min"] = 7;
  report["lengths"]["max"] = 7;
  EXPECT_NE(lengths_body(report).find("Every sequence has 7 samples, so no padding is needed."),
            std::string::npos);
}

TEST(PageLengths, PaddingHasASentenceAChartAndATable) {
  const std::string html = lengths_body(full_report());
  EXPECT_NE(html.find("With 64 sequences in a minibatch, 60&nbsp;% of the array would be padding "
                      "in random order, and 4.8&nbsp;% with similar lengths together."),
            std::string::npos);
  EXPECT_NE(html.find("<title>64, random order: 60&nbsp;%</title>"), std::string::npos);
  EXPECT_NE(html.find("<td class=\"n\">45.5&nbsp;%</td>"), std::string::npos);
}

TEST(PageLengths, TheFirstMinibatchSizeIsTheFallbackExample) {
  Json report = full_report();
  report["lengths"]["padding"].erase(3);
  EXPECT_NE(lengths_body(report).find("With 8 sequences in a minibatch"), std::string::npos);
}

TEST(PageLengths, PackingHasARowForEachLength) {
  const std::string html = lengths_body(full_report());
  EXPECT_NE(html.find("8,192</th><td class=\"n\">99.1&nbsp;%</td><td class=\"n\">0</td>"),
            std::string::npos);
  EXPECT_NE(html.find("128</th><td class=\"n\">87.1&nbsp;%</td><td class=\"n\">61</td>"),
            std::string::npos);
}

TEST(PageLengths, EmptyChartsAreLeftOut) {
  Json report = full_report();
  for (Json& each : report["lengths"]["padding"]) {
    each = {{"sequences", each["sequences"]}, {"file", 0}, {"random", 0}, {"buckets", 0}};
  }
  report["lengths"]["histogram"] = {{{"from", 1}, {"to", 1}, {"count", 12}}};
  EXPECT_EQ(HtmlWalk(lengths_body(report)).elements().count("figure"), 0U);
}

TEST(PageLengths, ChartsMayBeAbsent) {
  Json report = full_report();
  for (const char* const name : {"padding", "packing", "histogram"}) report["lengths"].erase(name);
  const HtmlWalk walk(lengths_body(report));
  EXPECT_EQ(walk.wrong(), "");
  EXPECT_EQ(walk.elements().count("figure"), 0U);
}

}  // namespace
}  // namespace sheaf::internal::page
