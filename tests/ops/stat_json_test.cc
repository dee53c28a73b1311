#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sheaf/stat.h"

#include "ops/conversion_data.h"

namespace sheaf {
namespace {

TEST(StatJson, ContainsTheNumbersOfTheReport) {
  testing::ConversionData data;
  const StatReport report = stat(*data.open("in.ctf"));
  const nlohmann::json json = nlohmann::json::parse(to_json(report, "a \"name\""));
  EXPECT_EQ(json["path"], "a \"name\"");
  EXPECT_EQ(json["sequences"], 400);
  EXPECT_EQ(json["samples"], 1000);
  EXPECT_EQ(json["lengths"]["p90"], 4);
  EXPECT_EQ(json["streams"][0]["shape"], nlohmann::json({2}));
  EXPECT_EQ(json["streams"][0]["values"]["std"], report.stream_stats[0].values->deviation());
  EXPECT_TRUE(json["warnings"].empty());
  EXPECT_EQ(json["cost"]["name"], "bytes");
  EXPECT_EQ(json["cost"]["total"], report.cost->total);
  EXPECT_EQ(json["cost"]["mean"], static_cast<double>(report.cost->total) / 400);
  EXPECT_LE(report.cost->min, report.cost->total / 400);
  EXPECT_GE(report.cost->max, report.cost->total / 400);
}

TEST(StatJson, ClassesHaveTheNamesOfTheData) {
  StatReport report;
  report.streams = {{.name = "image"}, {.name = "label"}};
  report.streams[1].class_names =
      std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"a\"b", "c"});
  report.stream_stats.resize(2);
  const nlohmann::json json = nlohmann::json::parse(to_json(report, ""));
  EXPECT_FALSE(json["streams"][0].contains("class_names"));
  EXPECT_EQ(json["streams"][1]["class_names"], nlohmann::json({"a\"b", "c"}));
}

TEST(StatJson, MissingNumbersAreNull) {
  StatReport report;
  report.streams = {{.name = "x"}};
  report.stream_stats.resize(1);
  const nlohmann::json json = nlohmann::json::parse(to_json(report, ""));
  EXPECT_TRUE(json["duplicates"].is_null());
  EXPECT_FALSE(json.contains("cost"));  // only if the data declare a cost
  EXPECT_TRUE(json["lengths"].is_null());
  EXPECT_TRUE(json["streams"][0]["values"].is_null());
  EXPECT_TRUE(json["streams"][0]["density"].is_null());
}

TEST(StatJson, VariableExtentsAreIncluded) {
  StatReport report;
  report.streams = {{.name = "x", .sample_shape = {Shape::kVariable, 3}}};
  report.stream_stats.push_back({.samples = 4, .extents = {{2, 7, 18}, {3, 3, 12}}});
  const nlohmann::json json = nlohmann::json::parse(to_json(report, ""));
  EXPECT_EQ(json["streams"][0]["shape"].dump(), "[null,3]");
  EXPECT_EQ(json["streams"][0]["extents"].dump(),
            R"([{"max":7,"mean":4.5,"min":2},{"max":3,"mean":3,"min":3}])");
}

}  // namespace
}  // namespace sheaf
