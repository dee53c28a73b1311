#include "ops/report/sheaf_estimate.h"

#include <string>

#include <gtest/gtest.h>

#include "ops/report/report_data.h"

namespace sheaf::internal {
namespace {

class SheafEstimateOfData : public ::testing::Test, protected testing::ReportData {};

TEST_F(SheafEstimateOfData, IsCloseToTheSizeOfTheFile) {
  std::string text;
  for (int i = 0; i < 60'000; ++i) {
    text += std::to_string(i) + " |x " + std::to_string(i * 7919 % 1000) + "." +
            std::to_string(i * 31 % 100) + " 0.25 |labels " + std::to_string(i % 10) + ":1\n";
  }
  const Json storage = json_of(text)["storage"];
  convert("out.sheaf");
  const double real = static_cast<double>(read("out.sheaf").size());
  EXPECT_NEAR(storage["as_sheaf"]["bytes"].get<double>() / real, 1, 0.1);
  EXPECT_LT(storage["as_sheaf"]["looked_at"].get<double>(), 1'100'000);
}

TEST_F(SheafEstimateOfData, SmallDataAreWrittenOnce) {
  const std::string text = "0 |x 1\n1 |x 2\n2 |x 3\n";
  const Json as_sheaf = json_of(text)["storage"]["as_sheaf"];
  EXPECT_LE(as_sheaf["looked_at"].get<std::int64_t>(), std::ssize(text));
  EXPECT_GT(as_sheaf["bytes"].get<std::int64_t>(), 0);
}

TEST_F(SheafEstimateOfData, CompressedDataAndDataWithoutAGoodSequenceHaveNone) {
  EXPECT_FALSE(json_of("0 |x z\n")["storage"].contains("as_sheaf"));
  write("in.ctf", "0 |x 1\n1 |x 2\n");
  convert("out.sheaf");
  const DataReport report =
      sheaf::report(files_spec("out.sheaf"), "out.sheaf", {}, {.files = &files()});
  EXPECT_FALSE(Json::parse(report.json)["storage"].contains("as_sheaf"));
}

TEST_F(SheafEstimateOfData, AStretchEndsAtAHole) {
  EXPECT_TRUE(json_of("0 |x 1\n1 |x 2\n2 |x z\n3 |x 4\n")["storage"].contains("as_sheaf"));
}

}  // namespace
}  // namespace sheaf::internal
