#include "ops/report/page_sections.h"

#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "ops/report/html_walk.h"
#include "ops/report/report_examples.h"

namespace sheaf::internal::page {
namespace {

using testing::full_report;
using testing::HtmlWalk;

TEST(PageSections, EachHasAUniqueId) {
  std::set<std::string_view> ids;
  for (const Section& each : kSections) EXPECT_TRUE(ids.insert(each.id).second) << each.id;
  EXPECT_EQ(ids.size(), 11U);
}

TEST(PageSections, EachIsEmptyWithoutItsField) {
  for (const Section& each : kSections) {
    EXPECT_EQ(each.body(Json::object()), "") << each.id;
    EXPECT_NE(each.body(full_report()), "") << each.id;
    EXPECT_EQ(HtmlWalk(each.body(full_report())).wrong(), "") << each.id;
  }
}

TEST(PageSections, TheVerdictCountsItsFindingsAndLinksToSections) {
  const std::string html = verdict_body(full_report());
  EXPECT_NE(html.find("2 errors, 2 warnings, 1 notice, 1 good sign."), std::string::npos);
  EXPECT_NE(html.find("<a href=\"#order\">Order in the file</a>"), std::string::npos);
  const HtmlWalk walk(html);
  EXPECT_EQ(walk.elements().at("li"), 6);
  EXPECT_EQ(walk.elements().at("a"), 6);
}

TEST(PageSections, AVerdictDoesNotLinkToMissingSections) {
  Json report = full_report();
  report.erase("order");
  report["verdict"][0]["section"] = "no such section";
  EXPECT_EQ(HtmlWalk(verdict_body(report)).elements().at("a"), 4);
}

TEST(PageSections, ALongVerdictIsFolded) {
  Json report = full_report();
  for (int i = 0; i < 120; ++i) report["verdict"].push_back(report["verdict"][4]);
  const std::string html = verdict_body(report);
  EXPECT_EQ(HtmlWalk(html).elements().at("li"), 100);
  EXPECT_NE(html.find("<summary>88 more findings</summary>"), std::string::npos);
  EXPECT_NE(html.find("Not shown here: 26 of 126 findings."), std::string::npos);
}

TEST(PageSections, AVerdictWithoutFindingsIsStated) {
  EXPECT_NE(verdict_body(testing::small_report()).find("nothing that you need to mend"),
            std::string::npos);
}

TEST(PageSections, AFindingOfAnUnknownLevelIsANotice) {
  const Json report = {{"verdict", {{{"level", "<b>"}, {"text", "something"}}}}};
  EXPECT_NE(verdict_body(report).find("<li class=\"notice\"><b>Notice</b>"), std::string::npos);
}

TEST(PageSections, ErrorsHaveLocationsMessagesAndHints) {
  const std::string html = data_body(full_report());
  EXPECT_NE(html.find("The data have 2 wrong places and 1 place with a warning."),
            std::string::npos);
  EXPECT_NE(html.find("<bdi>speech/train.ctf</bdi>:1042:19"), std::string::npos);
  EXPECT_NE(html.find("<bdi>speech/train.ctf</bdi>, byte 18,345,677"), std::string::npos);
  EXPECT_NE(html.find("expected a number, found &quot;1.2.3&quot;"), std::string::npos);
  EXPECT_NE(html.find("is the file complete?"), std::string::npos);
  EXPECT_EQ(html.find("Not shown here"), std::string::npos);
}

TEST(PageSections, WarningsAreNotErrors) {
  Json report = testing::small_report();
  report["data"]["warning_places"] = 1;
  report["data"]["diagnostics"] = {{{"path", "a"}, {"line", 0}, {"byte_offset", -1}}};
  const std::string html = data_body(report);
  EXPECT_NE(html.find("The data have 1 place with a warning. <code>"), std::string::npos);
  EXPECT_NE(html.find("<bdi>a</bdi></th>"), std::string::npos);
}

TEST(PageSections, OmittedErrorsAreCounted) {
  Json report = full_report();
  report["data"]["error_places"] = 2002;
  EXPECT_NE(data_body(report).find("Not shown here: 2,000 of 2,003 places."), std::string::npos);
}

TEST(PageSections, TruncatedDataAreStated) {
  Json report = testing::small_report();
  EXPECT_NE(data_body(report).find("without an error"), std::string::npos);
  report["data"]["is_cut"] = true;
  EXPECT_NE(data_body(report).find("cannot read the data to their end"), std::string::npos);
  EXPECT_EQ(data_body(report).find("without an error"), std::string::npos);
}

TEST(PageSections, CoverageIsStatedIfSequencesWereLeftOut) {
  EXPECT_EQ(coverage_html({{"looked_at", 5}, {"sequences", 5}}, "sheaf compared"), "");
  EXPECT_EQ(coverage_html({{"sequences", 5}}, "sheaf compared"), "");
  EXPECT_EQ(coverage_html({{"looked_at", 5}, {"sequences", 6000}}, "sheaf compared"),
            "<p class=\"soft\">sheaf compared 5 of 6,000 sequences.</p>\n");
}

TEST(PageSections, DriftHasTwoDigits) {
  const std::string html = drift_table(full_report()["order"], "Drift");
  EXPECT_NE(html.find("<td class=\"n\">0.83</td>"), std::string::npos);
  EXPECT_EQ(HtmlWalk(html).elements().at("svg"), 3);
}

}  // namespace
}  // namespace sheaf::internal::page
