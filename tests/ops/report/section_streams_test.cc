#include <string>

#include <gtest/gtest.h>

#include "ops/report/report_data.h"
#include "ops/report/sections.h"

namespace sheaf {
namespace {

using internal::Json;

class SectionStreams : public ::testing::Test, protected testing::ReportData {};

TEST_F(SectionStreams, DescribesDenseValues) {
  const Json stream = json_of("0 |x 1 0 7\n1 |x 3 0 7\n1 |x 5 0 7\n")["streams"][0];
  EXPECT_EQ(stream["name"], "x");
  EXPECT_EQ(stream["kind"], "dense");
  EXPECT_EQ(stream["type"], "f32");
  EXPECT_EQ(stream["shape"], Json::array({3}));
  EXPECT_EQ(stream["samples"], 3);
  const Json values = stream["values"];
  EXPECT_EQ(values["count"], 9);
  EXPECT_EQ(values["zeros"], 3);
  EXPECT_EQ(values["non_finite"], 0);
  EXPECT_EQ(values["min"], 0);
  EXPECT_EQ(values["max"], 7);
  EXPECT_DOUBLE_EQ(values["mean"].get<double>(), 30.0 / 9);
  EXPECT_EQ(stream["dims"]["count"], 3);
  EXPECT_EQ(stream["dims"]["constant"], 2);
  EXPECT_EQ(stream["dims"]["always_zero"], 1);
  EXPECT_EQ(stream["dims"]["examples"], Json::array({1, 2}));
}

TEST_F(SectionStreams, DescribesSparseValues) {
  const Json stream = json_of("0 |x 2:1 9:1\n1 |x 0:1\n")["streams"][0];
  EXPECT_EQ(stream["kind"], "sparse");
  EXPECT_EQ(stream["shape"], Json::array({10}));
  EXPECT_EQ(stream["density"]["per_sample"], 1.5);
  EXPECT_EQ(stream["density"]["share"], 0.15);
  EXPECT_FALSE(stream.contains("dims"));
}

TEST_F(SectionStreams, NanIsCountedSeparately) {
  const Json stream = json_of_table("a,x\n1,1.5\n2,\n3,2.5\n")["streams"][1];
  EXPECT_EQ(stream["values"]["count"], 3);
  EXPECT_EQ(stream["values"]["non_finite"], 1);
  EXPECT_EQ(stream["values"]["mean"], 2);
  EXPECT_EQ(stream["values"]["max"], 2.5);
}

TEST_F(SectionStreams, HiddenValuesLeaveOutRangeAndChart) {
  const Json stream = json_of("0 |x 17.25\n1 |x 3\n", {.shows_values = false})["streams"][0];
  EXPECT_EQ(stream["values"]["mean"], 10.125);
  EXPECT_FALSE(stream["values"].contains("min"));
  EXPECT_FALSE(stream["values"].contains("max"));
  EXPECT_FALSE(stream.contains("histogram"));
}

TEST_F(SectionStreams, TheListIsBounded) {
  std::string text = "0";
  for (int i = 0; i < 40; ++i) text += " |stream" + std::to_string(i) + " 1";
  const Json json = json_of(text + "\n");
  EXPECT_EQ(json["data"]["streams"], 40);
  EXPECT_EQ(json["streams"].size(), 32U);
}

}  // namespace
}  // namespace sheaf
