#include "ops/report/sections.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "ops/report/report_data.h"

namespace sheaf::internal {
namespace {

TEST(Sections, TextsAreTruncatedBetweenCharacters) {
  EXPECT_EQ(cut_text("short", 5), "short");
  EXPECT_EQ(cut_text("longer", 5), "longe...");
  EXPECT_EQ(cut_text("aa\xc3\xa4", 3), "aa...");
  EXPECT_EQ(cut_text("a\xe2\x82\xac"
                     "b",
                     3),
            "a...");
  EXPECT_EQ(cut_text(std::string(1000, 'x')).size(), 103U);
}

TEST(Sections, NonFiniteNumbersAreLeftOut) {
  Json json = Json::object();
  set_number(json, "a", 0.1);
  set_number(json, "b", std::numeric_limits<double>::infinity());
  set_number(json, "c", std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(json.dump(), "{\"a\":0.1}");
}

TEST(Sections, DescribeValues) {
  const ValueStat stat{.count = 4, .zeros = 1, .min = -1, .max = 3, .mean = 1, .squares = 16};
  EXPECT_EQ(value_numbers(stat, true).dump(),
            "{\"count\":4,\"zeros\":1,\"non_finite\":0,\"min\":-1.0,\"max\":3.0,\"mean\":1.0,"
            "\"deviation\":2.0}");
  EXPECT_FALSE(value_numbers(stat, false).contains("max"));
  EXPECT_FALSE(value_numbers({.count = 2, .non_finite = 2}, true).contains("mean"));
}

class SectionLocations : public ::testing::Test, protected testing::ReportData {};

TEST_F(SectionLocations, ALocationHasKeyPathAndLine) {
  write("in.ctf", "7 |x 1\n9 |x 1\n");
  const NamedData data{open("in.ctf"), "in.ctf"};
  EXPECT_EQ(location_json(data, {0, 1}), (Json{{"key", "9"}, {"path", "in.ctf"}, {"line", 2}}));
}

}  // namespace
}  // namespace sheaf::internal
