#include "ops/report/duplicates.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "ops/report/id_counts.h"

namespace sheaf::internal {
namespace {

HashedSequence sequence(std::uint64_t input, std::uint64_t whole, std::uint32_t number) {
  return {.input = input, .whole = whole, .location = {0, number}};
}

std::vector<HashedSequence> sample_of(const std::vector<HashedSequence>& sequences) {
  SequenceSample sample(1000);
  for (const HashedSequence& each : sequences) sample.add(each);
  return sample.take();
}

TEST(Duplicates, FindsEqualSequencesAndConflictingLabels) {
  // Inputs 1 and 2 occur with two labels each. Sequences 0, 2 and 5 are equal.
  const Duplicates found = duplicates_of(
      sample_of({sequence(1, 10, 0), sequence(1, 11, 1), sequence(1, 10, 2), sequence(2, 20, 3),
                 sequence(2, 21, 4), sequence(1, 10, 5), sequence(3, 30, 6)}),
      5);
  EXPECT_EQ(found.looked_at, 7);
  EXPECT_EQ(found.same, 2);
  EXPECT_EQ(found.conflicts, 2);
  ASSERT_EQ(found.repeated.size(), 1U);
  EXPECT_EQ(found.repeated[0].first, (CompactLocation{0, 0}));
  EXPECT_EQ(found.repeated[0].second, (CompactLocation{0, 2}));
  ASSERT_EQ(found.conflicting.size(), 2U);
  EXPECT_EQ(found.conflicting[0].first, (CompactLocation{0, 0}));
  EXPECT_EQ(found.conflicting[0].second, (CompactLocation{0, 1}));
}

TEST(Duplicates, ExamplesAreTheFirstDuplicates) {
  std::vector<HashedSequence> sequences;
  for (std::uint32_t i = 0; i < 100; ++i) {
    sequences.push_back(sequence(1 + i % 50, 1 + i % 50, i));
  }
  const Duplicates found = duplicates_of(sample_of(sequences), 3);
  EXPECT_EQ(found.same, 50);
  ASSERT_EQ(found.repeated.size(), 3U);
  EXPECT_EQ(found.repeated[2].first, (CompactLocation{0, 2}));
  EXPECT_EQ(found.repeated[2].second, (CompactLocation{0, 52}));
}

TEST(Duplicates, FindsCommonSequencesOfTwoSamples) {
  const auto own =
      sample_of({sequence(1, 10, 0), sequence(1, 10, 1), sequence(2, 20, 2), sequence(3, 30, 3)});
  const auto others = sample_of({sequence(1, 10, 7), sequence(2, 21, 8), sequence(4, 40, 9)});
  const CommonSequences common = common_sequences(own, others, 10);
  EXPECT_EQ(common.looked_at, 4);
  EXPECT_EQ(common.same, 2);        // 0 and 1
  EXPECT_EQ(common.same_input, 3);  // also 2
  ASSERT_EQ(common.examples.size(), 2U);
  EXPECT_EQ(common.examples[1].first, (CompactLocation{0, 2}));
  EXPECT_EQ(common.examples[1].second, (CompactLocation{0, 8}));
}

TEST(Duplicates, ASmallSampleHasAllCopiesOrNoCopy) {
  SequenceSample sample(64);
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < 1000; ++i) {
      const std::uint64_t hash = spread_bits(i + 1);
      sample.add(sequence(hash, hash, 1000 * round + i));
    }
  }
  const std::uint64_t threshold = sample.threshold();
  std::int64_t below = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) below += spread_bits(i + 1) <= threshold ? 1 : 0;
  const std::vector<HashedSequence> kept = sample.take();
  EXPECT_LE(kept.size(), 64U);
  EXPECT_GE(kept.size(), 8U);
  EXPECT_EQ(std::ssize(kept), below);
  const Duplicates found = duplicates_of(kept, 1);
  EXPECT_EQ(found.looked_at, 3 * std::ssize(kept));
  EXPECT_EQ(found.same, 2 * std::ssize(kept));
}

// With few repeats, a full sample is halved without a sort if a sixteenth of it has at least 1,024
// entries. All samples beyond 16,384 entries grow to their full size at once.
TEST(Duplicates, LargeSamplesHaveAllCopiesOrNone) {
  for (const std::uint32_t distinct : {16'383U, 16'384U, 16'385U, 100'000U}) {
    for (const std::uint32_t rounds : {1U, 2U}) {
      for (const std::size_t count_max :
           {std::size_t{16'383}, std::size_t{16'384}, std::size_t{16'385}, std::size_t{20'000}}) {
        SequenceSample sample(count_max);
        for (std::uint32_t i = 0; i < distinct * rounds; ++i) {
          const std::uint64_t hash = spread_bits(i % distinct + 1);
          sample.add(sequence(hash, hash, i));
        }
        const std::uint64_t threshold = sample.threshold();
        std::int64_t below = 0;
        for (std::uint32_t i = 0; i < distinct; ++i) {
          if (spread_bits(i + 1) <= threshold) ++below;
        }
        const std::vector<HashedSequence> kept = sample.take();
        EXPECT_LE(kept.size(), count_max);
        EXPECT_GE(std::ssize(kept), 3'000);
        ASSERT_EQ(std::ssize(kept), below);
        EXPECT_TRUE(std::ranges::is_sorted(kept));
        const Duplicates found = duplicates_of(kept, 1);
        EXPECT_EQ(found.looked_at, rounds * std::ssize(kept));
        EXPECT_EQ(found.same, (rounds - 1) * std::ssize(kept));
      }
    }
  }
}

TEST(Duplicates, OneRepeatedSequenceDoesNotFillTheSample) {
  SequenceSample sample(16);
  for (std::uint32_t i = 0; i < 1000; ++i) sample.add(sequence(5, 5, i));
  const std::vector<HashedSequence> kept = sample.take();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].count, 1000);
  EXPECT_EQ(kept[0].second, (CompactLocation{0, 1}));
}

}  // namespace
}  // namespace sheaf::internal
