#include "sheaf/stat.h"

#include <cstdint>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"

#include "ops/conversion_data.h"
#include "support/interrupting.h"

namespace sheaf {
namespace {

class Stat : public ::testing::Test, protected testing::ConversionData {};

TEST_F(Stat, CountsSequencesLengthsAndValues) {
  const StatReport report = stat(*open("in.ctf"));
  EXPECT_EQ(report.lengths.count(), kSequenceCount);
  EXPECT_EQ(report.lengths.total(), 1000);
  EXPECT_EQ(report.lengths.percentile(50), 2);
  EXPECT_EQ(report.duplicates, 0);
  ASSERT_EQ(report.stream_stats.size(), 1U);
  const StreamStat& x = report.stream_stats[0];
  EXPECT_EQ(x.samples, 1000);
  ASSERT_TRUE(x.values);
  EXPECT_EQ(x.values->count, 2000);
  EXPECT_EQ(x.values->max, 399);
  EXPECT_EQ(x.values->zeros, 1);
  EXPECT_EQ(x.density(report.streams[0])->share, 1);
}

TEST_F(Stat, TheReportIsTheSameForAnyThreads) {
  const auto data = open("in.ctf", {.chunk_size_bytes = 500});
  const std::string one = to_json(stat(*data, {.run = {.threads = 1}}), "in.ctf");
  EXPECT_EQ(to_json(stat(*data, {.run = {.threads = 4}}), "in.ctf"), one);
}

TEST_F(Stat, SequencesWithErrorsAreLeftOutAndCounted) {
  write("in.ctf", "0 |x 1\n1 |x z\n2 |x 1\n");
  const StatReport report = stat(DataSpec{FilesSpec{.files = {"in.ctf"}}}, {}, {.files = &files()});
  EXPECT_EQ(report.holes, 1);
  EXPECT_EQ(report.error_count, 1);
  EXPECT_EQ(report.lengths.count(), 2);
  EXPECT_EQ(report.duplicates, 1);
  EXPECT_FALSE(stat(*open("in.ctf"), {.finds_duplicates = false}).duplicates);
}

TEST_F(Stat, ProgressReachesTheEndAndAnInterruptionEndsIt) {
  std::int64_t last = 0;
  const StatOptions options{.run = {.progress = [&](std::int64_t bytes) { last = bytes; }}};
  static_cast<void>(stat(*open("in.ctf"), options));
  EXPECT_EQ(last, std::ssize(read("in.ctf")));
  const auto data = open("in.ctf");
  testing::Refusing interruption;
  const InterruptionScope scope(interruption);
  EXPECT_THROW(static_cast<void>(stat(*data)), testing::Interrupted);
}

}  // namespace
}  // namespace sheaf
