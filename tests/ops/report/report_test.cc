#include "sheaf/report.h"

#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"

#include "ops/report/report_data.h"
#include "support/error_of.h"
#include "support/interrupting.h"

namespace sheaf {
namespace {

using Json = nlohmann::ordered_json;

class Report : public ::testing::Test, protected testing::ReportData {
 protected:
  [[nodiscard]] DataReport report_of_chunks(const ReportOptions& options) {
    FilesSpec spec{.files = {"in.ctf"}};
    spec.format.chunk_size_bytes = 500;
    return sheaf::report(DataSpec{.content = spec}, "in.ctf", options, {.files = &files()});
  }
};

TEST_F(Report, HasAllSections) {
  const DataReport report = sheaf::report(files_spec("in.ctf"), "in.ctf", {}, {.files = &files()});
  const Json json = Json::parse(report.json);
  EXPECT_EQ(json["path"], "in.ctf");
  EXPECT_EQ(json["format"], "ctf");
  for (const char* const name : {"options", "verdict", "data", "streams", "lengths", "order",
                                 "labels", "duplicates", "keys", "sequences", "storage"}) {
    EXPECT_TRUE(json.contains(name)) << name;
  }
  EXPECT_FALSE(json.contains("against"));
  EXPECT_FALSE(report.against);
  EXPECT_EQ(json["data"]["sequences"], kSequenceCount);
  EXPECT_EQ(report.json.back(), '\n');
  EXPECT_EQ(json["verdict"].size(), report.verdict.size());
}

TEST_F(Report, TheFormatIsTheOneThatReadsTheData) {
  const auto format_of = [&](const DataSpec& data) {
    const DataReport report = sheaf::report(data, "data", {}, {.files = &files()});
    return Json::parse(report.json).value("format", "none");
  };
  write("in.jsonl", "{\"x\": 1.5}\n");  // manifests have this extension, too
  EXPECT_EQ(format_of(files_spec("in.jsonl")), "jsonl");
  write("labels.ctf", "0 |y 1\n");
  const JoinSpec join{.members = {files_spec("in.ctf"), files_spec("labels.ctf")}};
  EXPECT_EQ(format_of(DataSpec{.content = join}), "none");
}

TEST_F(Report, DoesNotDependOnThreadsOrMemory) {
  const std::string one = report_of_chunks({.run = {.threads = 1}}).json;
  EXPECT_EQ(report_of_chunks({.run = {.threads = 3}}).json, one);
  EXPECT_EQ(report_of_chunks({.run = {.threads = 2, .memory_limit_bytes = 20'000}}).json, one);
  EXPECT_EQ(
      report_of_chunks({.run = {.threads = 2, .memory_limit_bytes = std::int64_t{1} << 40}}).json,
      one);
}

TEST_F(Report, AMemoryLimitBelowAUnitIsAnError) {
  EXPECT_THROW(static_cast<void>(report_of_chunks({.run = {.memory_limit_bytes = 10}})),
               ConfigError);
}

TEST_F(Report, DataWithoutAValidSequenceAreReported) {
  const DataReport report = report_of("0 |x z\n1 |x z\n");
  EXPECT_EQ(report.error_count, 2);
  const Json json = Json::parse(report.json);
  EXPECT_EQ(json["data"]["sequences"], 0);
  EXPECT_EQ(json["data"]["holes"], 2);
  EXPECT_TRUE(json["sequences"].empty());
  EXPECT_EQ(report.verdict.front().level, FindingLevel::error);
}

TEST_F(Report, HiddenValuesLeaveOutSequences) {
  const DataReport report =
      report_of("77001 |x 1.25\n77002 |x 9.75\n77003 |x 4.5\n", {.shows_values = false});
  EXPECT_FALSE(Json::parse(report.json).contains("sequences"));
  for (const char* const text : {"77001", "77003", "1.25", "9.75", "4.5"}) {
    EXPECT_EQ(report.json.find(text), std::string::npos) << text;
  }
}

TEST_F(Report, ProgressCountsBothData) {
  std::int64_t last = 0;
  const std::string text = "0 |x 1\n1 |x 2\n";
  static_cast<void>(
      compared(text, text, {.run = {.progress = [&](std::int64_t bytes) { last = bytes; }}}));
  EXPECT_EQ(last, 2 * std::ssize(text));
}

TEST_F(Report, OpenDataToCompareWithAreNotOpenedAgain) {
  const std::string text = "0 |x 1\n1 |x 2\n";
  const DataReport expected = compared(text, text);
  ReportOptions options{.against_opened = open_path("other.ctf", {}, {.files = &files()}),
                        .against_path = "other.ctf"};
  files().remove("other.ctf");
  const DataReport report = report_of(text, options);
  EXPECT_EQ(report.json, expected.json);
  ASSERT_TRUE(report.against);
  EXPECT_EQ(report.against->leaks.same, 2);
  options.against = files_spec("in.ctf");
  EXPECT_EQ(testing::error_of([&] { static_cast<void>(report_of(text, options)); }),
            "against and against_opened both name data to compare with: leave one out");
}

TEST_F(Report, AnInterruptionEndsThePass) {
  testing::Refusing interruption;
  const InterruptionScope scope(interruption);
  EXPECT_THROW(static_cast<void>(report_of("0 |x 1\n")), testing::Interrupted);
}

TEST_F(Report, AHostileKeyIsEscaped) {
  write("in.jsonl", "{\"k\": \"</script><script>alert(1)</script>\", \"x\": 1.5}\n");
  FilesSpec spec{.files = {"in.jsonl"}};
  spec.format.extra["jsonl.key"] = "k";
  const DataReport report =
      sheaf::report(DataSpec{.content = spec}, "<b>\xff", {}, {.files = &files()});
  const Json json = Json::parse(report.json);
  EXPECT_EQ(json["path"], "<b>\xef\xbf\xbd");
  EXPECT_EQ(json["sequences"][0]["key"], "</script><script>alert(1)</script>");
}

TEST_F(Report, StaysSmallForAnyData) {
  std::string text;
  const std::string name(3000, 'n');
  for (int i = 0; i < 300; ++i) {
    text += std::to_string(i) + " |" + name + " " + std::to_string(i) + ".5 |labels " +
            std::to_string(977 * i) + ":1";
    for (int s = 0; s < 60; ++s) text += " |s" + std::to_string(s) + " 0.25 " + std::to_string(i);
    text += '\n';
  }
  const DataReport report = report_of(text);
  EXPECT_EQ(report.error_count, 0);
  EXPECT_LT(report.json.size(), 400'000U);
}

TEST_F(Report, ValuesOfEveryTypeGiveTheSameNumbers) {
  write("in.ctf", "0 |x 1 0 2\n1 |x 1 8 4\n1 |x 1 5 0\n");
  for (const char* const type : {"f16", "bf16", "f32", "f64", "i32", "i64", "u8", "u16"}) {
    DataSpec data = files_spec("in.ctf");
    data.transforms = parse_transforms(
        std::string(R"([{"type": "cast", "streams": "x", "dtype": ")") + type + "\"}]", "t");
    const Json stream =
        Json::parse(sheaf::report(data, "in.ctf", {}, {.files = &files()}).json)["streams"][0];
    EXPECT_EQ(stream["type"], type);
    EXPECT_EQ(stream["values"]["count"], 9) << type;
    EXPECT_EQ(stream["values"]["zeros"], 2) << type;
    EXPECT_EQ(stream["values"]["max"], 8) << type;
    EXPECT_DOUBLE_EQ(stream["values"]["mean"].get<double>(), 22.0 / 9) << type;
    EXPECT_EQ(stream["dims"]["constant"], 1) << type;
  }
}

TEST_F(Report, LevelsHaveNames) {
  EXPECT_EQ(to_string(FindingLevel::error), "error");
  EXPECT_EQ(to_string(FindingLevel::warning), "warning");
  EXPECT_EQ(to_string(FindingLevel::notice), "notice");
  EXPECT_EQ(to_string(FindingLevel::good), "good");
}

}  // namespace
}  // namespace sheaf
