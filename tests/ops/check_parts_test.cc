#include "ops/check_parts.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/json.h"

namespace sheaf::internal {
namespace {

CheckedStream stream_with_nan() {
  CheckedStream stream{.non_finite = 3, .non_finite_sequences = 2, .samples_max = 2};
  stream.first_non_finite = {.path = "caf\xe9.ctf", .stream = "x", .found = "nan in sample 0"};
  return stream;
}

TEST(CheckParts, AWarningCountsTheValues) {
  const Diagnostic warning = non_finite_warning(stream_with_nan());
  EXPECT_EQ(warning.found, "nan in sample 0; NaN and infinite values: 3, in 2 of the sequences");
  EXPECT_EQ(warning.code, "check-non-finite");
  EXPECT_EQ(warning.severity, Severity::warning);
  EXPECT_EQ(warning.count, 3);
}

TEST(CheckParts, AStreamOfSingleSamplesHasNoDifferences) {
  CheckedStream stream{.samples_max = 1, .shorter = 4, .missing_max = 2, .shorter_by = {{2, 4}}};
  EXPECT_FALSE(length_difference(stream, "x"));
  stream.samples_max = 2;
  const auto difference = length_difference(stream, "x");
  ASSERT_TRUE(difference);
  EXPECT_EQ(*difference,
            (LengthDifference{.stream = "x", .sequences = 4, .largest = 2, .by_size = {{2, 4}}}));
  stream.shorter = 0;
  EXPECT_FALSE(length_difference(stream, "x"));
}

TEST(CheckParts, TextsThatAreNotUtf8RoundTrip) {
  CheckReport report;
  report.streams = {{.name = "x"}};
  report.part = {.part = {.number = 0, .count = 1}, .limit = 5, .streams = {stream_with_nan()}};
  const auto json = nlohmann::ordered_json::parse(to_json(report, "p"));
  const nlohmann::ordered_json merged = merged_check({json});
  EXPECT_FALSE(merged.contains("part"));
  EXPECT_EQ(merged.at("warning_places"), 3);
  EXPECT_EQ(merged.at("warnings").at(0).dump(), json_text(non_finite_warning(stream_with_nan())));
}

}  // namespace
}  // namespace sheaf::internal
