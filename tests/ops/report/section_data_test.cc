#include <string>

#include <gtest/gtest.h>

#include "sheaf/extend/join.h"

#include "ops/report/report_data.h"
#include "ops/report/sections.h"

namespace sheaf {
namespace {

using internal::Json;

class SectionData : public ::testing::Test, protected testing::ReportData {};

TEST_F(SectionData, CountsValidSequencesAndHoles) {
  const Json data = json_of("0 |x 1\n1 |x z\n2 |x 1\n2 |x 2\n")["data"];
  EXPECT_EQ(data["sequences"], 2);
  EXPECT_EQ(data["holes"], 1);
  EXPECT_EQ(data["samples"], 3);
  EXPECT_EQ(data["bytes"], 28);
  EXPECT_EQ(data["error_places"], 1);
  ASSERT_EQ(data["diagnostics"].size(), 1U);
  EXPECT_EQ(data["diagnostics"][0]["code"], "ctf-number");
  EXPECT_EQ(data["diagnostics"][0]["line"], 2);
}

TEST_F(SectionData, DescribesOnlyTheFirstErrors) {
  std::string text = "0 |x 1\n";
  for (int i = 1; i < 100; ++i) text += std::to_string(i) + " |x wrong\n";
  const Json data = json_of(text)["data"];
  EXPECT_EQ(data["error_places"], 99);
  EXPECT_EQ(data["holes"], 99);
  EXPECT_EQ(data["diagnostics"].size(), 20U);
  EXPECT_EQ(data["diagnostics"][19]["line"], 21);
}

TEST_F(SectionData, HiddenValuesAreNotQuoted) {
  const DataReport report = report_of("0 |x 1\n1 |x secret\n", {.shows_values = false});
  EXPECT_EQ(report.json.find("secret"), std::string::npos);
  const Json location = Json::parse(report.json)["data"]["diagnostics"][0];
  EXPECT_EQ(location["code"], "ctf-number");
  EXPECT_EQ(location["line"], 2);
  EXPECT_FALSE(location.contains("message"));
}

TEST_F(SectionData, RisingKeysHaveGaps) {
  const Json keys = json_of("3 |x 1\n4 |x 1\n9 |x 1\n")["keys"];
  EXPECT_EQ(keys["kind"], "numbers");
  EXPECT_EQ(keys["rising"], true);
  EXPECT_EQ(keys["gaps"], 1);
  EXPECT_EQ(keys["repeats"], 0);
  EXPECT_EQ(keys["first"], "3");
  EXPECT_EQ(keys["last"], "9");
}

TEST_F(SectionData, UnorderedKeysAreCompared) {
  const Json keys = json_of("3 |x 1\n4 |x 1\n3 |x 1\n")["keys"];
  EXPECT_EQ(keys["rising"], false);
  EXPECT_FALSE(keys.contains("gaps"));
  EXPECT_EQ(keys["looked_at"], 3);
  EXPECT_EQ(keys["repeats"], 1);
}

TEST_F(SectionData, KeysMayBeTexts) {
  write("in.jsonl", "{\"key\": \"anna\", \"x\": 1.5}\n{\"key\": \"b\\\"<b>\", \"x\": 2.5}\n");
  ReportOptions options;
  FilesSpec files{.files = {"in.jsonl"}};
  files.format.extra["jsonl.key"] = "key";
  const DataReport report =
      sheaf::report(DataSpec{.content = files}, "in.jsonl", options, {.files = &this->files()});
  const Json keys = Json::parse(report.json)["keys"];
  EXPECT_EQ(keys["kind"], "texts");
  EXPECT_EQ(keys["first"], "anna");
  EXPECT_EQ(keys["last"], "b\"<b>");
  EXPECT_EQ(keys["repeats"], 0);
  const DataReport hidden = sheaf::report(DataSpec{.content = files}, "in.jsonl",
                                          {.shows_values = false}, {.files = &this->files()});
  EXPECT_EQ(hidden.json.find("anna"), std::string::npos);
}

TEST_F(SectionData, AJoinReportsUnmatchedSequences) {
  write("a.ctf", "0 |x 1\n1 |x 2\n2 |x 3\n");
  write("b.ctf", "1 |labels 0\n2 |labels 1\n7 |labels 1\n8 |labels 1\n");
  const DataSpec joined{.content = JoinSpec{.members = {files_spec("a.ctf"), files_spec("b.ctf")}}};
  const Json json =
      Json::parse(sheaf::report(joined, "a.ctf + b.ctf", {}, {.files = &files()}).json);
  EXPECT_EQ(json["data"]["sequences"], 2);
  ASSERT_EQ(json["keys"]["joined"].size(), 2U);
  EXPECT_EQ(json["keys"]["joined"][0]["path"], "a.ctf");
  EXPECT_EQ(json["keys"]["joined"][0]["left_out"], 1);
  EXPECT_EQ(json["keys"]["joined"][1]["sequences"], 4);
  EXPECT_EQ(json["keys"]["joined"][1]["left_out"], 2);
}

TEST_F(SectionData, EstimatesStorage) {
  const Json storage = json_of("0 |x 1\n0 |x 2\n")["storage"];
  EXPECT_EQ(storage["bytes"], 14);
  EXPECT_EQ(storage["chunks"], 1);
  EXPECT_EQ(storage["bytes_per_sample"], 7);
}

}  // namespace
}  // namespace sheaf
