#include "reader/plan/known_cuts.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/index.h"

namespace sheaf::internal {
namespace {

/// Cuts of 200 chunks of 30 sequences.
class KnownCutsTest : public ::testing::Test {
 protected:
  KnownCutsTest() {
    for (int chunk = 0; chunk < 200; ++chunk) {
      SequenceTable::Builder table;
      for (std::uint64_t i = 0; i < 30; ++i) table.push_back({.key = {i}, .sample_count = 1});
      index_.add({.decoded_size_bytes = 30}, table.finish());
    }
  }

  [[nodiscard]] RangeCut cut(std::int64_t chunk, std::int64_t first, std::int64_t count) const {
    return {index_, {ChunkIndex{chunk}, first, count}};
  }

  MemoryIndex index_;
  KnownCuts known_;
};

TEST_F(KnownCutsTest, AreFoundByTheirSequences) {
  const RangeCut held = cut(3, 10, 10);
  const RangeCut late = cut(3, 20, 3);
  const RangeCut whole = cut(5, 0, ChunkRange::kAll);
  known_.add(held, true);
  known_.add(late, false);
  known_.add(whole, true);
  EXPECT_EQ(known_.find(ChunkIndex{3}, 11)->cut, &held);
  EXPECT_EQ(known_.find(ChunkIndex{3}, 18)->cut, &held);
  EXPECT_TRUE(known_.find(ChunkIndex{3}, 18)->is_held);
  EXPECT_EQ(known_.find(ChunkIndex{3}, 21)->cut, &late);
  EXPECT_FALSE(known_.find(ChunkIndex{3}, 21)->is_held);
  EXPECT_EQ(known_.find(ChunkIndex{3}, 23), nullptr);
  EXPECT_EQ(known_.find(ChunkIndex{67}, 11), nullptr) << "at the same index of the table";
  EXPECT_EQ(known_.find(ChunkIndex{5}, 0)->cut, &whole);
  EXPECT_EQ(known_.find(ChunkIndex{5}, 29)->cut, &whole);
  EXPECT_EQ(known_.find(ChunkIndex{5}, 30), nullptr);
}

TEST_F(KnownCutsTest, AreNotFoundBySequencesThatAnotherRangeMayShare) {
  const RangeCut ranges[] = {cut(3, 0, 1), cut(3, 3, 2), cut(3, 10, 10)};
  for (const RangeCut& range : ranges) known_.add(range, true);
  for (const std::int64_t sequence : {0, 1, 3, 4, 5, 10, 19, 20}) {
    EXPECT_EQ(known_.find(ChunkIndex{3}, sequence), nullptr) << sequence;
  }
}

TEST_F(KnownCutsTest, AreClearedForEachPlan) {
  const RangeCut whole = cut(0, 0, ChunkRange::kAll);
  known_.add(whole, true);
  EXPECT_NE(known_.find(ChunkIndex{0}, 29), nullptr);
  known_.begin_plan();
  EXPECT_EQ(known_.find(ChunkIndex{0}, 29), nullptr);
}

TEST_F(KnownCutsTest, AreReplacedByNewCuts) {
  std::vector<RangeCut> cuts;
  for (std::int64_t i = 0; i < 5; ++i) cuts.push_back(cut(i == 4 ? 0 : 64 * i, i, 3));
  for (const RangeCut& each : cuts) known_.add(each, true);
  EXPECT_EQ(known_.find(ChunkIndex{0}, 1), nullptr);
  EXPECT_EQ(known_.find(ChunkIndex{0}, 5)->cut, &cuts[4]);
  for (std::size_t i = 1; i < 4; ++i) {
    const auto number = static_cast<std::int64_t>(i);
    EXPECT_EQ(known_.find(ChunkIndex{64 * number}, number + 1)->cut, &cuts[i]);
  }
}

}  // namespace
}  // namespace sheaf::internal
