#include <string>

#include <gtest/gtest.h>

#include "ops/report/report_data.h"
#include "ops/report/sections.h"

namespace sheaf {
namespace {

using internal::Json;

class SectionLengths : public ::testing::Test, protected testing::ReportData {
 protected:
  // Returns 16 sequences of alternating lengths 1 and 9.
  static std::string in_turn() {
    std::string text;
    for (int i = 0; i < 16; ++i) {
      for (int sample = 0; sample < (i % 2 == 0 ? 1 : 9); ++sample) {
        text += std::to_string(i) + " |x 1\n";
      }
    }
    return text;
  }
};

TEST_F(SectionLengths, HasQuantilesAndBars) {
  const Json lengths = json_of(in_turn())["lengths"];
  EXPECT_EQ(lengths["count"], 16);
  EXPECT_EQ(lengths["min"], 1);
  EXPECT_EQ(lengths["max"], 9);
  EXPECT_EQ(lengths["mean"], 5);
  ASSERT_EQ(lengths["quantiles"].size(), 7U);
  EXPECT_EQ(lengths["quantiles"][3]["percent"], 50);
  EXPECT_EQ(lengths["quantiles"][3]["length"], 1);
  EXPECT_EQ(lengths["quantiles"][4]["length"], 9);
  ASSERT_EQ(lengths["histogram"].size(), 9U);
  EXPECT_EQ(lengths["histogram"][8]["count"], 8);
}

TEST_F(SectionLengths, HasPadding) {
  const Json padding = json_of(in_turn())["lengths"]["padding"];
  ASSERT_EQ(padding.size(), 7U);
  EXPECT_EQ(padding[0]["sequences"], 8);
  EXPECT_DOUBLE_EQ(padding[0]["file"].get<double>(), 1 - 80.0 / 144);
  EXPECT_DOUBLE_EQ(padding[0]["buckets"].get<double>(), 0);
  EXPECT_DOUBLE_EQ(padding[1]["buckets"].get<double>(), 1 - 80.0 / 144);
  EXPECT_GT(padding[0]["random"].get<double>(), 0.4);
}

TEST_F(SectionLengths, HasPacking) {
  const Json packing = json_of(in_turn())["lengths"]["packing"];
  ASSERT_EQ(packing.size(), 7U);
  EXPECT_EQ(packing[0]["tokens"], 128);
  EXPECT_EQ(packing[0]["rows"], 1);
  EXPECT_EQ(packing[0]["efficiency"], 80.0 / 128);
  EXPECT_EQ(packing[0]["too_long"], 0);
}

TEST_F(SectionLengths, DataWithoutAValidSequenceHaveNoLengths) {
  const Json lengths = json_of("0 |x 1 2\n1 |x z\n", {})["lengths"];
  EXPECT_EQ(lengths["count"], 1);
  const Json none = json_of("0 |x z\n1 |x z 1\n")["lengths"];
  EXPECT_EQ(none, (Json{{"count", 0}}));
}

}  // namespace
}  // namespace sheaf
