#include <string>

#include <gtest/gtest.h>

#include "ops/report/html_walk.h"
#include "ops/report/page_sections.h"
#include "ops/report/report_examples.h"

namespace sheaf::internal::page {
namespace {

using testing::full_report;

TEST(PageLabels, StatesHowManyClassesOccur) {
  const std::string html = labels_body(full_report());
  EXPECT_NE(html.find("9 of 10 classes occur. The most frequent one has 29.7&nbsp;% of all."),
            std::string::npos);
  EXPECT_NE(html.find("About 31,877 of 50,000 classes occur."), std::string::npos);
  EXPECT_NE(html.find("carry 2.813 bits each, and equal classes would carry 3.17."),
            std::string::npos);
  EXPECT_NE(html.find("The ids carry 10.2 bits each"), std::string::npos);
  EXPECT_NE(html.find("A sample has 1 to 12 of them, 3.2 on average."), std::string::npos);
}

TEST(PageLabels, ClassesHaveNamesCountsAndShares) {
  const std::string html = labels_body(full_report());
  EXPECT_NE(html.find("3 <span class=\"soft\"><bdi>three</bdi></span></th>"
                      "<td class=\"n\">180</td><td class=\"n\">17.8&nbsp;%</td>"),
            std::string::npos);
  EXPECT_NE(html.find("all others</th><td class=\"n\">90,011</td><td class=\"n\">54.9&nbsp;%</td>"),
            std::string::npos);
  EXPECT_EQ(testing::HtmlWalk(html).wrong(), "");
}

TEST(PageLabels, ClassesThatNeverOccurAreListed) {
  const std::string html = labels_body(full_report());
  EXPECT_NE(html.find("Classes that never occur: 9.</p>"), std::string::npos);
  EXPECT_NE(html.find("Classes that never occur: 0, 12, 77, 2001, 31000 and others.</p>"),
            std::string::npos);
}

TEST(PageLabels, NeedsCountsForATable) {
  Json report = full_report();
  for (Json& each : report["labels"]) {
    each.erase("counts");
    each.erase("rest");
    each.erase("unseen");
  }
  EXPECT_EQ(testing::HtmlWalk(labels_body(report)).elements().count("table"), 0U);
}

}  // namespace
}  // namespace sheaf::internal::page
