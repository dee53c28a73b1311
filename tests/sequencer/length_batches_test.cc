#include "sequencer/length_batches.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sequencer/made_up_options.h"

namespace sheaf::internal {
namespace {

using testing::any_of;

std::int64_t padded(std::span<const std::int64_t> batch, const std::vector<std::int64_t>& lengths) {
  std::int64_t longest = 0;
  for (const std::int64_t i : batch)
    longest = std::max(longest, lengths[static_cast<std::size_t>(i)]);
  return longest * std::ssize(batch);
}

RC_GTEST_PROP(LengthBatchesLaws, EverySequenceIsInOneBatchThatKeepsItsSize, ()) {
  const auto lengths = *rc::gen::container<std::vector<std::int64_t>>(
      rc::gen::oneOf(any_of<std::int64_t>(0, 5), any_of<std::int64_t>(0, 100)));
  const auto size = *any_of<std::int64_t>(1, 300);
  const auto unit = *rc::gen::element(MinibatchUnit::samples, MinibatchUnit::sequences);
  const LengthBatches batches = batches_by_length(lengths, size, unit, 9);
  std::vector<std::int64_t> all = batches.sequences;
  std::ranges::sort(all);
  std::vector<std::int64_t> expected(lengths.size());
  std::iota(expected.begin(), expected.end(), std::int64_t{0});
  RC_ASSERT(all == expected);
  for (std::int64_t i = 0; i < batches.count(); ++i) {
    const std::span<const std::int64_t> batch = batches.batch(i);
    RC_ASSERT(!batch.empty());
    RC_ASSERT(std::ranges::is_sorted(batch));
    const std::int64_t has =
        unit == MinibatchUnit::sequences ? std::ssize(batch) : padded(batch, lengths);
    RC_ASSERT(has <= size || std::ssize(batch) == 1);
  }
}

// The lengths of batches do not overlap, so padding is as small as after sorting all sequences.
RC_GTEST_PROP(LengthBatchesLaws, BatchesAreRangesOfLength, ()) {
  const auto lengths = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::int64_t>>(any_of<std::int64_t>(0, 100)));
  const LengthBatches batches = batches_by_length(lengths, 100, MinibatchUnit::samples, 3);
  struct Range {
    std::int64_t least;
    std::int64_t most;
  };
  std::vector<Range> ranges;
  for (std::int64_t i = 0; i < batches.count(); ++i) {
    Range range{1000, 0};
    for (const std::int64_t sequence : batches.batch(i)) {
      const std::int64_t length = lengths[static_cast<std::size_t>(sequence)];
      range = {std::min(range.least, length), std::max(range.most, length)};
    }
    ranges.push_back(range);
  }
  std::ranges::sort(ranges, {},
                    [](const Range& range) { return std::pair(range.least, range.most); });
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    RC_ASSERT(ranges[i].least >= ranges[i - 1].most);
  }
}

TEST(LengthBatches, HaveSimilarSizes) {
  const std::vector<std::int64_t> lengths(65, 1);
  const LengthBatches batches = batches_by_length(lengths, 32, MinibatchUnit::samples, 0);
  ASSERT_EQ(batches.count(), 3);
  for (std::int64_t i = 0; i < 3; ++i) EXPECT_GE(std::ssize(batches.batch(i)), 21);
}

TEST(LengthBatches, AreOrderedByTheKey) {
  std::vector<std::int64_t> lengths(320);
  std::iota(lengths.begin(), lengths.end(), std::int64_t{0});
  const auto order = [&](std::uint64_t key) {
    return batches_by_length(lengths, 10, MinibatchUnit::sequences, key).sequences;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

TEST(LengthBatches, EmptyDataGiveNoBatches) {
  EXPECT_EQ(batches_by_length({}, 10, MinibatchUnit::samples, 0).count(), 0);
}

}  // namespace
}  // namespace sheaf::internal
