#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "ops/report/report_data.h"
#include "ops/report/sections.h"

namespace sheaf {
namespace {

using internal::Json;

class SectionSequences : public ::testing::Test, protected testing::ReportData {
 protected:
  // Returns the sequence that is shown for a reason.
  static Json shown(const Json& report, const std::string& why) {
    for (const Json& each : report["sequences"]) {
      if (each["why"].get<std::string>().find(why) != std::string::npos) return each;
    }
    return nullptr;
  }
};

TEST_F(SectionSequences, ShowsTypicalAndUnusualSequences) {
  const Json report = json_of(
      "10 |x z\n11 |x 1\n12 |x 2\n12 |x -3\n13 |x 9.5\n14 |x 1\n14 |x 2\n14 |x 1\n15 |x 0\n");
  EXPECT_EQ(shown(report, "the first")["key"], "11");
  EXPECT_EQ(shown(report, "the first")["sequence"], 1);
  EXPECT_EQ(shown(report, "the first")["line"], 2);
  EXPECT_EQ(shown(report, "the longest")["key"], "14");
  EXPECT_EQ(shown(report, "the longest")["samples"], 3);
  EXPECT_EQ(shown(report, "the shortest")["key"], "11");
  EXPECT_EQ(shown(report, "the largest value of x")["key"], "13");
  EXPECT_EQ(shown(report, "one in the middle")["key"], "13");
  EXPECT_EQ(shown(report, "the longest")["streams"][0]["line"], Json::array({1.0, 2.0, 1.0}));
}

TEST_F(SectionSequences, ShowsTheFirstNonFiniteSequence) {
  const Json report = json_of_table("a,x\n1,0.5\n2,\n3,\n");
  const Json found = shown(report, "the first that is not finite in x");
  EXPECT_EQ(found["sequence"], 1);
  EXPECT_EQ(found["streams"][1]["line"], Json::array({"nan"}));
}

TEST_F(SectionSequences, ShowsPairsOfSparseSamples) {
  std::string text = "0";
  for (int i = 0; i < 100; ++i) text += (i == 0 ? " |x " : " ") + std::to_string(3 * i) + ":0.5";
  const Json stream = json_of(text + "\n")["sequences"][0]["streams"][0];
  EXPECT_EQ(stream["ids"].size(), 64U);
  EXPECT_EQ(stream["ids"][2], Json::array({6, 0.5}));
  EXPECT_EQ(stream["more"], 36);
}

TEST_F(SectionSequences, SamplesOfSeveralValuesAreAHeatMap) {
  std::string text;
  for (int sample = 0; sample < 3; ++sample) text += "0 |x 0 1 2 4.5\n";
  const Json heat = json_of(text)["sequences"][0]["streams"][0]["heat"];
  EXPECT_EQ(heat["rows"], 3);
  EXPECT_EQ(heat["columns"], 4);
  EXPECT_EQ(heat["low"], 0);
  EXPECT_EQ(heat["high"], 4.5);
  EXPECT_EQ(heat["levels"], "ADlx/wA5cf8AOXH/");  // 0, 57, 113 and 255, three times each
}

TEST_F(SectionSequences, ASquareOfWholeNumbersIsAPicture) {
  std::string text = "0 |x";
  for (int i = 0; i < 64; ++i) text += ' ' + std::to_string(i % 9);
  const Json stream = json_of(text + "\n")["sequences"][0]["streams"][0];
  EXPECT_EQ(stream["heat"]["rows"], 8);
  EXPECT_EQ(stream["heat"]["columns"], 8);
  const Json line = json_of(text + ".5\n")["sequences"][0]["streams"][0];
  EXPECT_EQ(line["line"].size(), 64U);
}

TEST_F(SectionSequences, ALongCurveIsSampledEvenly) {
  std::string text;
  for (int i = 0; i < 1024; ++i) text += "0 |x " + std::to_string(i) + "\n";
  const Json line = json_of(text)["sequences"][0]["streams"][0]["line"];
  ASSERT_EQ(line.size(), 256U);
  EXPECT_EQ(line[1], 4);
  EXPECT_EQ(line[255], 1020);
}

TEST_F(SectionSequences, TextsAreTruncated) {
  write("in.jsonl", "{\"text\": \"<script>" + std::string(1000, 'a') + "\"}\n");
  const Json report =
      Json::parse(sheaf::report(files_spec("in.jsonl"), "in.jsonl", {}, {.files = &files()}).json);
  const Json stream = report["sequences"][0]["streams"][0];
  EXPECT_EQ(stream["bytes"], 1008);
  EXPECT_EQ(stream["text"].get<std::string>().size(), 403U);
}

TEST_F(SectionSequences, TheSizeIsBounded) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += std::to_string(i);
    for (int s = 0; s < 20; ++s) {
      text += " |s" + std::to_string(s);
      for (int v = 0; v < 70; ++v) text += ' ' + std::to_string((i * v + s) % 1000) + ".125";
    }
    text += '\n';
  }
  const Json sequences = json_of(text)["sequences"];
  EXPECT_GE(sequences.size(), 3U);
  EXPECT_LE(sequences.size(), 10U);
  EXPECT_EQ(sequences[0]["streams"].size(), 6U);
  EXPECT_LT(sequences.dump().size(), 151'000U);
}

}  // namespace
}  // namespace sheaf
