#include <string>

#include <gtest/gtest.h>

#include "ops/report/html_walk.h"
#include "ops/report/page_sections.h"
#include "ops/report/report_examples.h"

namespace sheaf::internal::page {
namespace {

using testing::full_report;
using testing::HtmlWalk;

TEST(PageSequences, EachHasACardWithItsKeyAndItsStreams) {
  const HtmlWalk walk(sequences_body(full_report()));
  EXPECT_EQ(walk.wrong(), "");
  EXPECT_EQ(walk.elements().at("article"), 3);
  EXPECT_EQ(walk.elements().at("img"), 4);
  EXPECT_EQ(walk.elements().at("svg"), 1);
  EXPECT_EQ(walk.elements().at("pre"), 1);
  EXPECT_NE(walk.text().find("The longest"), std::string::npos);
  EXPECT_NE(walk.text().find("utt-0448"), std::string::npos);
  EXPECT_NE(walk.text().find("picture, 1 sample, 47.1&nbsp;KiB"), std::string::npos);
  EXPECT_NE(walk.text().find("Sequence 448 of the data. 120 samples."), std::string::npos);
}

TEST(PageSequences, AnUnsupportedStreamIsLeftOut) {
  const Json report = {{"sequences", {{{"why", "the first"}, {"streams", {{{"name", "x"}}}}}}}};
  const HtmlWalk walk(sequences_body(report));
  EXPECT_EQ(walk.wrong(), "");
  EXPECT_EQ(walk.elements().count("b"), 0U);
}

TEST(PageSequences, ManySequencesAreCounted) {
  Json report = full_report();
  for (int i = 0; i < 30; ++i) report["sequences"].push_back(report["sequences"][0]);
  EXPECT_NE(sequences_body(report).find("Not shown here: 9 of 33 sequences."), std::string::npos);
}

}  // namespace
}  // namespace sheaf::internal::page
