#include <string>

#include <gtest/gtest.h>

#include "ops/report/html_walk.h"
#include "ops/report/page_sections.h"
#include "ops/report/report_examples.h"

namespace sheaf::internal::page {
namespace {

using testing::full_report;

TEST(PageAgainst, LeaksAreCountedAndShown) {
  const std::string html = against_body(full_report());
  EXPECT_NE(html.find("<bdi>valid.ctf</bdi>, which has 200 sequences."), std::string::npos);
  EXPECT_NE(html.find("4 sequences are in the other data, too. 5 sequences have the input of a "
                      "sequence there."),
            std::string::npos);
  EXPECT_NE(html.find("<bdi>utt-0400</bdi></th><td><bdi>val-0077</bdi></td>"), std::string::npos);
  EXPECT_EQ(testing::HtmlWalk(html).wrong(), "");
}

TEST(PageAgainst, TheAbsenceOfLeaksIsStated) {
  Json report = full_report();
  report["against"]["leaks"] = {{"looked_at", 100}, {"same", 0}, {"same_input", 0}};
  const std::string html = against_body(report);
  EXPECT_NE(html.find("No sequence of these data is in the other data."), std::string::npos);
  EXPECT_NE(html.find("sheaf compared 100 of 1,012 sequences."), std::string::npos);
}

TEST(PageAgainst, DriftAndUnseenIdsHaveTables) {
  const std::string html = against_body(full_report());
  EXPECT_NE(html.find("<td class=\"n\">0.31</td>"), std::string::npos);
  EXPECT_NE(html.find("<td class=\"n\">3</td><td class=\"n\">12</td><td>7, 8, 40411</td>"),
            std::string::npos);
}

}  // namespace
}  // namespace sheaf::internal::page
