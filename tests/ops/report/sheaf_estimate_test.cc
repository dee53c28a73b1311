#include "ops/report/sheaf_estimate.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/open.h"

#include "ops/report/data_numbers.h"
#include "ops/report/report_data.h"
#include "support/fake_deserializer.h"

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

TEST_F(SheafEstimateOfData, CompressedAndEmptyDataHaveNoEstimate) {
  EXPECT_FALSE(json_of("0 |x z\n")["storage"].contains("as_sheaf"));
  write("in.ctf", "0 |x 1\n1 |x 2\n");
  convert("out.sheaf");
  const DataReport report =
      sheaf::report(files_spec("out.sheaf"), "out.sheaf", {}, {.files = &files()});
  EXPECT_FALSE(Json::parse(report.json)["storage"].contains("as_sheaf"));
}

/// The samples of two neighbours, of one size each.
struct Neighbours {
  std::int64_t sample_size_bytes = 0;
  std::int64_t first = 0;
  std::int64_t second = 0;
};

// Estimates the size of one chunk of 40 such pairs. Each of the four stretches begins with a pair.
std::optional<SheafEstimate> estimate_of(const Neighbours& pair) {
  testing::FakeData fake;
  fake.sample_size_bytes = pair.sample_size_bytes;
  fake.lengths.resize(1);
  for (int i = 0; i < 40; ++i) {
    fake.lengths[0].push_back(pair.first);
    fake.lengths[0].push_back(pair.second);
  }
  const OpenedData data{.data = std::make_shared<testing::FakeDeserializer>(fake)};
  DataNumbers numbers;
  numbers.sequences = 80;
  numbers.bytes = 40 * (pair.first + pair.second) * pair.sample_size_bytes;
  numbers.chunk_end = ChunkIndex{1};
  return sheaf_estimate({.data = data, .numbers = numbers});
}

// Returns the bytes of the first stretch. All stretches are equal.
std::int64_t stretch_of(const Neighbours& pair) { return estimate_of(pair)->looked_at / 4; }

TEST(SheafEstimateOfStretches, AStretchHasAtMost256KiBOfTheData) {
  EXPECT_EQ(stretch_of({87'381, 1, 2}), 262'143);     // both neighbours
  EXPECT_EQ(stretch_of({65'536, 2, 2}), 262'144);     // both
  EXPECT_EQ(stretch_of({52'429, 2, 3}), 2 * 52'429);  // both would have 262,145
}

// A sample takes 1 KiB in memory and 1 byte in the data.
TEST(SheafEstimateOfStretches, AStretchHasAtMost4MiBInMemory) {
  static_assert(testing::FakeDeserializer::kSampleBytesMax == 1024);
  EXPECT_EQ(stretch_of({1, 2048, 2047}), 4095);  // both neighbours
  EXPECT_EQ(stretch_of({1, 2048, 2048}), 4096);  // both, and 4 MiB in memory
  EXPECT_EQ(stretch_of({1, 2048, 2049}), 2048);  // both would have 4 MiB and 1 KiB
}

TEST(SheafEstimateOfStretches, ASequenceAbove64MiBIsLeftOut) {
  constexpr std::int64_t kMost = 67'108'864;
  EXPECT_EQ(stretch_of({kMost - 1, 1, 1}), kMost - 1);
  EXPECT_EQ(stretch_of({kMost, 1, 1}), kMost);
  EXPECT_FALSE(estimate_of({kMost + 1, 1, 1}));
}

TEST_F(SheafEstimateOfData, ASampledRangeEndsAtAHole) {
  EXPECT_TRUE(json_of("0 |x 1\n1 |x 2\n2 |x z\n3 |x 4\n")["storage"].contains("as_sheaf"));
}

}  // namespace
}  // namespace sheaf::internal
