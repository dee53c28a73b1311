#include <string>

#include <gtest/gtest.h>

#include "ops/report/report_data.h"
#include "ops/report/sections.h"

namespace sheaf {
namespace {

using internal::Json;

class SectionDuplicates : public ::testing::Test, protected testing::ReportData {
 protected:
  static constexpr const char* kText =
      "0 |x 0.5 1 |labels 0:1\n1 |x 2 3 |labels 1:1\n2 |x 0.5 1 |labels 0:1\n"
      "3 |x 2 3 |labels 0:1\n4 |x 9 9 |labels 1:1\n";
};

TEST_F(SectionDuplicates, CountsEqualSequencesAndConflicts) {
  const Json section = json_of(kText)["duplicates"];
  EXPECT_EQ(section["looked_at"], 5);
  EXPECT_EQ(section["sequences"], 5);
  EXPECT_EQ(section["same"], 1);
  EXPECT_EQ(section["labels"], Json::array({"labels"}));
  EXPECT_EQ(section["conflicts"], 1);
  ASSERT_EQ(section["examples"].size(), 2U);
  const Json& conflict = section["examples"][0];
  EXPECT_EQ(conflict["first"]["key"], "1");
  EXPECT_EQ(conflict["first"]["path"], "in.ctf");
  EXPECT_EQ(conflict["first"]["line"], 2);
  EXPECT_EQ(conflict["second"]["key"], "3");
  EXPECT_EQ(conflict["differs"], Json::array({"labels"}));
  EXPECT_EQ(section["examples"][1]["second"]["key"], "2");
  EXPECT_TRUE(section["examples"][1]["differs"].empty());
}

TEST_F(SectionDuplicates, HasNoConflictsWithoutLabels) {
  const Json section = json_of("0 |x 1\n1 |x 1\n")["duplicates"];
  EXPECT_EQ(section["same"], 1);
  EXPECT_FALSE(section.contains("conflicts"));
  EXPECT_FALSE(section.contains("labels"));
}

TEST_F(SectionDuplicates, HiddenValuesLeaveOutExamples) {
  const Json section = json_of(kText, {.shows_values = false})["duplicates"];
  EXPECT_EQ(section["same"], 1);
  EXPECT_FALSE(section.contains("examples"));
}

}  // namespace
}  // namespace sheaf
