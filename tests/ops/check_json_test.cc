#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sheaf/check.h"

#include "ops/conversion_data.h"

namespace sheaf {
namespace {

TEST(CheckJson, ContainsTheNumbersOfTheReport) {
  testing::ConversionData data;
  data.write("in.ctf", "0 |x 1 2\n0 |x 1\n1 |x 3 4\n2 |y 1\n");
  const CheckReport report = check(*data.open("in.ctf", {.takes_first_form = true}));
  const std::string text = to_json(report, "a \"name\"");
  EXPECT_TRUE(text.ends_with("}\n"));
  const nlohmann::json json = nlohmann::json::parse(text);
  EXPECT_EQ(json["path"], "a \"name\"");
  EXPECT_EQ(json["sequences"], report.sequences);
  EXPECT_EQ(json["holes"], report.holes);
  EXPECT_EQ(json["places"], report.errors.count);
  EXPECT_EQ(json["by_code"].size(), report.errors.by_code.size());
  EXPECT_EQ(json["diagnostics"].size(), report.errors.first.size());
  EXPECT_EQ(json["warnings"].size(), report.warnings.first.size());
  EXPECT_EQ(json["streams"][0]["shape"], nlohmann::json({2}));
  EXPECT_FALSE(json.contains("part"));
}

}  // namespace
}  // namespace sheaf
