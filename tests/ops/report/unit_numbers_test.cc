#include "ops/report/unit_numbers.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ops/report/report_data.h"

namespace sheaf::internal {
namespace {

class UnitNumbersOfData : public ::testing::Test, protected testing::ReportData {
 protected:
  struct Result {
    UnitNumbers numbers;
    TotalsPool::Totals totals;
  };

  // Reads a small file as one unit that ends at byte `end_bytes` of an imaginary file.
  Result numbers_of(const std::string& text, std::int64_t end_bytes = 1,
                    std::uint64_t hash_max = UnitLimits().hash_max) {
    write("in.ctf", text);
    const auto data = open("in.ctf");
    const auto table = data->index().sequences(ChunkIndex{0});
    const ScanUnit unit{
        .range = {ChunkIndex{0}, 0, table->size()}, .sequences = table, .end_bytes = end_bytes};
    const PassPlan plan(data->streams(), std::vector<bool>(data->streams().size()));
    TotalsPool pool(plan);
    std::unique_ptr<TotalsPool::Totals> totals = pool.take();
    UnitNumbers numbers =
        numbers_of_unit(plan, *data, unit, {.described_max = 2, .hash_max = hash_max}, *totals);
    pool.give(std::move(totals));
    return {std::move(numbers), pool.sum()};
  }
};

TEST_F(UnitNumbersOfData, HaveLengthsAndStreams) {
  const UnitNumbers numbers =
      numbers_of("0 |x 1\n1 |x 2\n1 |x 3\n2 |x z\n3 |x -8\n3 |x 1\n").numbers;
  EXPECT_EQ(numbers.lengths, (std::vector<std::int64_t>{1, 2, 2}));
  EXPECT_EQ(numbers.holes, 1);
  EXPECT_EQ(numbers.error_count, 1);
  EXPECT_EQ(numbers.longest.length, 2);
  EXPECT_EQ(numbers.longest.location, (CompactLocation{0, 1}));
  EXPECT_EQ(numbers.shortest.location, (CompactLocation{0, 0}));
  EXPECT_EQ(numbers.contents.size(), 3U);
  EXPECT_EQ(numbers.streams[0].samples, 5);
  EXPECT_EQ(numbers.streams[0].values.count, 5);
  EXPECT_EQ(numbers.streams[0].largest, 8);
  EXPECT_EQ(numbers.streams[0].largest_in, (ChunkRange{ChunkIndex{0}, 3, 1}));
  EXPECT_EQ(numbers.keys.count, 4);
}

TEST_F(UnitNumbersOfData, SlicesDependOnThePositionInTheData) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += std::to_string(i) + " |x 1\n";
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  EXPECT_EQ(numbers_of(text).numbers.slices.size(), 64U);
  EXPECT_EQ(numbers_of(text, 2 * kMiB).numbers.slices.size(), 64U);
  EXPECT_EQ(numbers_of(text, 2 * kMiB + 1).numbers.slices.size(), 16U);
  EXPECT_EQ(numbers_of(text, 8 * kMiB + 1).numbers.slices.size(), 4U);
  EXPECT_EQ(numbers_of(text, 64 * kMiB + 1).numbers.slices.size(), 1U);
  EXPECT_EQ(numbers_of("0 |x 1\n").numbers.slices.size(), 1U);
}

TEST_F(UnitNumbersOfData, RunsContinueInTheNextSlice) {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += std::to_string(i) + " |x " + std::to_string(i < 30 ? 4 : 1) + "\n";
  }
  const Result result = numbers_of(text);
  const IdRuns& runs = result.numbers.streams[0].runs;
  EXPECT_EQ(runs.sequences(), 100);
  EXPECT_EQ(runs.longest().id, 1);
  EXPECT_EQ(runs.longest().first, 30);
  EXPECT_EQ(runs.longest().count, 70);
  EXPECT_EQ(result.totals[0].ids.own()[1], 70);
}

TEST_F(UnitNumbersOfData, BlocksOfASliceAddUp) {
  for (const int count : {511, 512, 513, 1024, 1025}) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += std::to_string(i) + " |x " + std::to_string(i % 7) + "\n";
    }
    const Result result = numbers_of(text, std::int64_t{65} << 20);  // one slice
    ASSERT_EQ(result.numbers.slices.size(), 1U);
    EXPECT_EQ(result.numbers.slices[0].sequences, count);
    EXPECT_EQ(result.numbers.streams[0].values.count, count);
    EXPECT_EQ(result.numbers.streams[0].runs.sequences(), count);
    EXPECT_EQ(result.numbers.streams[0].runs.longest().count, 1);
    EXPECT_EQ(std::ssize(result.numbers.contents), count);
    EXPECT_EQ(result.totals[0].ids.own()[6], count / 7);
    const SequenceContent& last = result.numbers.contents.back();
    EXPECT_EQ(last.location.sequence, static_cast<std::uint32_t>(count - 1));
    EXPECT_EQ(last.whole, result.numbers.contents[static_cast<std::size_t>(count - 8)].whole);
    EXPECT_NE(last.whole, result.numbers.contents[static_cast<std::size_t>(count - 2)].whole);
  }
}

TEST_F(UnitNumbersOfData, RunsAndHolesCrossTheBordersOfBlocks) {
  std::string text;
  for (int i = 0; i < 600; ++i) {
    const bool is_hole = i == 511 || i == 512;
    text += std::to_string(i) + " |x " +
            (is_hole                ? "z"
             : i >= 500 && i <= 530 ? "4"
                                    : std::to_string(i % 2)) +
            "\n";
  }
  const UnitNumbers numbers = numbers_of(text, std::int64_t{65} << 20).numbers;
  EXPECT_EQ(numbers.holes, 2);
  EXPECT_EQ(numbers.lengths.size(), 598U);
  EXPECT_EQ(numbers.streams[0].values.count, 598);
  EXPECT_EQ(numbers.streams[0].runs.longest().first, 500);
  EXPECT_EQ(numbers.streams[0].runs.longest().count, 29);
  EXPECT_EQ(numbers.contents[510].location.sequence, 510U);
  EXPECT_EQ(numbers.contents[511].location.sequence, 513U);
}

TEST_F(UnitNumbersOfData, HashesAboveTheLimitAreLeftOut) {
  const std::string text = "0 |x 1\n1 |x 2\n2 |x 3\n3 |x 4\n";
  std::vector<std::uint64_t> hashes;
  for (const SequenceContent& each : numbers_of(text).numbers.contents) {
    hashes.push_back(each.input);
  }
  ASSERT_EQ(hashes.size(), 4U);
  std::ranges::sort(hashes);
  EXPECT_EQ(numbers_of(text, 1, hashes[1]).numbers.contents.size(), 2U);
  EXPECT_EQ(numbers_of(text, 1, hashes[1] - 1).numbers.contents.size(), 1U);
  EXPECT_EQ(numbers_of(text, 1, hashes[1] - 1).numbers.lengths.size(), 4U);
}

TEST_F(UnitNumbersOfData, AFractionEndsTheIds) {
  EXPECT_TRUE(numbers_of("0 |x 1\n1 |x 2\n").numbers.streams[0].has_ids);
  EXPECT_FALSE(numbers_of("0 |x 1\n1 |x 2.5\n").numbers.streams[0].has_ids);
}

TEST_F(UnitNumbersOfData, HandleUnitsOfHoles) {
  const UnitNumbers numbers = numbers_of("0 |x z\n1 |x z\n2 |x z\n").numbers;
  EXPECT_EQ(numbers.holes, 3);
  EXPECT_EQ(numbers.described.size(), 2U);
  EXPECT_TRUE(numbers.lengths.empty());
  EXPECT_FALSE(numbers.longest.location.is_known());
}

TEST_F(UnitNumbersOfData, CountStoredPairsOfSparseSamples) {
  const UnitNumbers numbers = numbers_of("0 |x 1:1 2:1\n0 |x 5:1\n1 |x\n").numbers;
  EXPECT_EQ(numbers.streams[0].stored_min, 0);
  EXPECT_EQ(numbers.streams[0].stored_max, 2);
}

}  // namespace
}  // namespace sheaf::internal
