#include "ops/stat_parts.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf::internal {
namespace {

StatReport part_of_one(std::int64_t number) {
  StatReport report;
  report.streams = {{.name = "x", .sample_shape = Shape{2}}};
  report.stream_stats.resize(1);
  ValueStat values{.count = 2, .min = -1, .max = 1e308, .mean = 0.1};
  values.squares = std::numeric_limits<double>::infinity();
  report.stream_stats[0].values = values;
  report.stream_stats[0].lengths.add(5);
  report.stream_stats[0].lengths.add(5000, 2);
  report.lengths.add(5);
  report.duplicates = 0;
  report.part = {.part = {.number = number, .count = 2}, .values = {{values}}};
  report.part->contents = {{7, 0xffffffffffffffffU}};
  return report;
}

TEST(StatParts, NonFiniteNumbersRoundTrip) {
  const std::string text = to_json(part_of_one(0), "p");
  const auto json = nlohmann::ordered_json::parse(text);
  const std::string merged = merged_stat({json, json});
  EXPECT_NE(merged.find("\"std\":null"), std::string::npos);
  EXPECT_NE(merged.find("\"duplicates\":1"), std::string::npos);
  EXPECT_NE(merged.find("\"stored\":4"), std::string::npos);
  EXPECT_TRUE(merged.ends_with("\"warnings\":[]}\n"));
  EXPECT_NE(merged.find("\"max\":5000"), std::string::npos);
}

TEST(StatParts, DamagedReportsAreRefused) {
  const auto json = nlohmann::ordered_json::parse(to_json(part_of_one(0), "p"));
  auto cut = json;
  cut["part"]["contents"] = "0123";
  EXPECT_THROW(static_cast<void>(merged_stat({cut})), ConfigError);
  cut["part"]["contents"] = std::string(32, 'z');
  EXPECT_THROW(static_cast<void>(merged_stat({cut})), ConfigError);
  auto negative = json;
  for (const auto& [number, count] : {std::pair<std::int64_t, std::int64_t>{-1, 1},
                                      {1, -1},
                                      {(std::int64_t{1} << 53) + 1, 1},
                                      {std::int64_t{1} << 53, 513}}) {
    negative["part"]["lengths"] = {{number, count}};
    EXPECT_THROW(static_cast<void>(merged_stat({negative})), ConfigError) << number;
  }
  negative["part"]["lengths"] = {{std::int64_t{1} << 53, 512}};
  EXPECT_NO_THROW(static_cast<void>(merged_stat({negative})));
  auto large = json;
  large["holes"] = 7.84411e+23;
  EXPECT_THROW(static_cast<void>(merged_stat({large})), ConfigError);
  large = json;
  large["part"]["streams"][0]["values"][0][3] = 0.5;  // bits must be whole numbers
  EXPECT_THROW(static_cast<void>(merged_stat({large})), ConfigError);
  auto unknown = json;
  unknown["streams"][0]["element_type"] = "f13";
  EXPECT_THROW(static_cast<void>(merged_stat({unknown})), ConfigError);
}

}  // namespace
}  // namespace sheaf::internal
