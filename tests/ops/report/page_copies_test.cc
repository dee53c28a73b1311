#include <string>

#include <gtest/gtest.h>

#include "ops/report/html_walk.h"
#include "ops/report/page_sections.h"
#include "ops/report/report_examples.h"

namespace sheaf::internal::page {
namespace {

using testing::full_report;

TEST(PageCopies, DuplicatesAreCountedAndShown) {
  const std::string html = duplicates_body(full_report());
  EXPECT_NE(html.find("3 sequences equal an earlier one in every stream."), std::string::npos);
  EXPECT_NE(html.find("1 input comes with different labels."), std::string::npos);
  EXPECT_NE(html.find("sheaf compared 1,000 of 1,012 sequences."), std::string::npos);
  EXPECT_NE(html.find("takes these streams for labels: <bdi>labels</bdi>."), std::string::npos);
  EXPECT_NE(html.find("<bdi>utt-0044</bdi> <span class=\"soft\"><bdi>speech/train.ctf</bdi>:2019"),
            std::string::npos);
  EXPECT_NE(html.find("<td>nothing</td>"), std::string::npos);
  EXPECT_NE(html.find("<td><bdi>labels</bdi></td>"), std::string::npos);
}

TEST(PageCopies, TheAbsenceOfDuplicatesIsStated) {
  const Json report = {{"duplicates", {{"looked_at", 9}, {"sequences", 9}, {"same", 0}}}};
  EXPECT_EQ(duplicates_body(report), "<p>No sequence equals another one.</p>\n");
}

TEST(PageCopies, KeysHaveARangeAndRepeats) {
  Json report = full_report();
  EXPECT_NE(keys_body(report).find("The keys are texts, from <bdi>utt-0001</bdi> to "
                                   "<bdi>utt-1012</bdi>."),
            std::string::npos);
  EXPECT_NE(keys_body(report).find("No key occurs twice."), std::string::npos);
  EXPECT_NE(keys_body(report).find("sheaf compared the keys of 1,000 of 1,012 sequences."),
            std::string::npos);
  report["keys"] = {{"kind", "numbers"}, {"rising", false}, {"repeats", 2}, {"gaps", 1}};
  EXPECT_NE(keys_body(report).find("The keys are numbers, and do not rise"), std::string::npos);
  EXPECT_NE(keys_body(report).find("2 sequences have the key of an earlier one"),
            std::string::npos);
  EXPECT_NE(keys_body(report).find("1 number is missing"), std::string::npos);
  report["keys"] = {{"kind", "none"}};
  EXPECT_NE(keys_body(report).find("The data have no keys."), std::string::npos);
}

TEST(PageCopies, EachJoinedMemberHasARow) {
  const std::string html = keys_body(full_report());
  EXPECT_NE(html.find("<bdi>labels.mlf</bdi></th><td class=\"n\">1,015</td><td class=\"n\">3</td>"),
            std::string::npos);
  EXPECT_EQ(testing::HtmlWalk(html).wrong(), "");
}

}  // namespace
}  // namespace sheaf::internal::page
