// The merged reports of all parts equal the report of the whole, byte for byte.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/check.h"
#include "sheaf/convert.h"
#include "sheaf/merge.h"
#include "sheaf/stat.h"

#include "ops/conversion_data.h"
#include "support/error_of.h"

namespace sheaf {
namespace {

class MergeReports : public ::testing::Test, protected testing::ConversionData {
 protected:
  MergeReports() {
    std::string text;
    for (int i = 0; i < 300; ++i) {
      const std::string key = std::to_string(i);
      for (int row = 0; row <= i % 5; ++row) {
        text += key + " |x " + std::to_string(i % 50) + ".25 " + (i % 37 == 36 ? "-3" : "1e300");
        if (row == 0) text += " |y " + std::to_string(i % 7);
        if (row < 2) text += " |z 3:1 " + std::to_string(i % 9 + 4) + ":0.1";
        text += i % 41 == 40 ? " |w\n" : "\n";
      }
      if (i % 29 == 28) text += key + " |x 1.5.3 2\n";
    }
    write("bad.ctf", text);
    text.clear();
    for (int i = 0; i < 300; ++i) {
      text += std::to_string(i) + " |x 1 " + (i % 37 == 36 ? "-1e300" : "2") + "\n";
    }
    write("large.ctf", text);
    // As 32-bit floats, large numbers become infinite.
    sheaf::convert(open("large.ctf", {.dtype = ElementType::f64}), "infinite.cbf",
                   {.writer = {.format = {.chunk_size_bytes = 200},
                               .streams = {{.name = "x", .dtype = ElementType::f32}},
                               .files = &files()}});
  }

  DataSpec spec(std::optional<DataPart> part, const std::string& path = "bad.ctf") {
    DataSpec data{
        .content = FilesSpec{
            .files = {path},
            .format = {
                .streams = {{.name = "x", .sample_shape = Shape{2}},
                            {.name = "y", .sample_shape = Shape{1}},
                            {.name = "z", .storage = Storage::sparse, .sample_shape = Shape{20}}},
                .dtype = ElementType::f64,
                .chunk_size_bytes = 500}}};
    data.part = part;
    return data;
  }

  std::string check(std::optional<DataPart> part, std::int64_t limit = 100,
                    const std::string& path = "bad.ctf") {
    return to_json(sheaf::check(spec(part, path), {.limit = limit}, {.files = &files()}), path);
  }

  std::string stat(std::optional<DataPart> part, bool finds_duplicates = true) {
    return to_json(
        sheaf::stat(spec(part), {.finds_duplicates = finds_duplicates}, {.files = &files()}),
        "bad.ctf");
  }

  template <typename Report>
  static std::string merged(std::int64_t count, const Report& report) {
    std::vector<NamedReport> parts;
    for (std::int64_t i = count; i-- > 0;) {
      parts.push_back({"part " + std::to_string(i), report(DataPart{i, count})});
    }
    return merge_reports(parts);
  }

  static std::string refusal(const std::vector<NamedReport>& parts) {
    return testing::error_of([&] { static_cast<void>(merge_reports(parts)); });
  }
};

TEST_F(MergeReports, ChecksAreCombined) {
  for (const std::int64_t limit : {0, 1, 5, 100}) {
    const std::string whole = check({}, limit);
    ASSERT_NE(whole.find("\"by_size\""), std::string::npos);
    for (const std::int64_t count : {1, 2, 3, 17, 100}) {
      EXPECT_EQ(merged(count, [&](DataPart part) { return check(part, limit); }), whole)
          << limit << ' ' << count;
    }
  }
  EXPECT_EQ(merged(4, [&](DataPart part) { return check(part, kAll); }), check({}, kAll));
}

TEST_F(MergeReports, NonFiniteValuesGiveOneWarning) {
  const auto report = [this](std::optional<DataPart> part, std::int64_t limit) {
    DataSpec data{.content = FilesSpec{.files = {"infinite.cbf"}}};
    data.part = part;
    return to_json(sheaf::check(data, {.limit = limit}, {.files = &files()}), "p");
  };
  for (const std::int64_t limit : {0, 100}) {
    const std::string whole = report({}, limit);
    ASSERT_NE(whole.find("check-non-finite\":{\"count\":8"), std::string::npos);
    for (const std::int64_t count : {1, 3, 17}) {
      EXPECT_EQ(merged(count, [&](DataPart part) { return report(part, limit); }), whole);
    }
  }
}

TEST_F(MergeReports, NumbersCombineExactly) {
  for (const bool finds_duplicates : {true, false}) {
    const std::string whole = stat({}, finds_duplicates);
    for (const std::int64_t count : {1, 2, 3, 17, 100}) {
      EXPECT_EQ(merged(count, [&](DataPart part) { return stat(part, finds_duplicates); }), whole)
          << count;
    }
  }
}

TEST_F(MergeReports, UnopenableDataAreReportedOnce) {
  write("no.cbf", "this is no file of the format");
  const auto report = [this](std::optional<DataPart> part) {
    DataSpec data{.content = FilesSpec{.files = {"no.cbf"}}};
    data.part = part;
    return to_json(sheaf::check(data, {}, {.files = &files()}), "no.cbf");
  };
  EXPECT_EQ(merged(3, report), report({}));
}

TEST_F(MergeReports, ReportsOfDifferentRunsAreRefused) {
  const std::string zero = check(DataPart{0, 2});
  const std::string one = check(DataPart{1, 2});
  EXPECT_EQ(refusal({}), "merge: there is no report to merge");
  EXPECT_EQ(refusal({{"a", zero}}), "part 1/2 is missing");
  EXPECT_EQ(refusal({{"a", one}}), "part 0/2 is missing");
  EXPECT_EQ(refusal({{"a", zero}, {"b", zero}}), "a and b are both part 0/2");
  EXPECT_EQ(refusal({{"a", zero}, {"b", check(DataPart{1, 3})}}),
            "a and b are no parts of one report: their data or their options differ");
  EXPECT_EQ(refusal({{"a", zero}, {"b", check(DataPart{1, 2}, 3)}}),
            "a and b are no parts of one report: their data or their options differ");
  EXPECT_EQ(refusal({{"a", zero}, {"b", stat(DataPart{1, 2})}}),
            "a and b are no parts of one report: their data or their options differ");
  EXPECT_EQ(
      refusal({{"a", check({})}}),
      "a: is no report of a part: sheaf check and sheaf stat with --part and --json make them");
  EXPECT_EQ(refusal({{"a", "{"}}).substr(0, 2), "a:");
  EXPECT_TRUE(refusal({{"a", R"({"part": {}})"}})
                  .starts_with("merge: a report is not as sheaf writes it: "));
}

}  // namespace
}  // namespace sheaf
