#include "reader/plan/known_units.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

TEST(KnownUnits, AreFoundByTheirSequences) {
  KnownUnits known;
  known.add(ChunkIndex{3}, {10, 20}, 5);
  known.add(ChunkIndex{3}, {20, 21}, 6);
  EXPECT_EQ(known.find(ChunkIndex{3}, 9), nullptr);
  EXPECT_EQ(known.find(ChunkIndex{3}, 10)->use, 5);
  EXPECT_EQ(known.find(ChunkIndex{3}, 19)->use, 5);
  EXPECT_EQ(known.find(ChunkIndex{3}, 20)->use, 6);
  EXPECT_EQ(known.find(ChunkIndex{3}, 21), nullptr);
  EXPECT_EQ(known.find(ChunkIndex{67}, 10), nullptr) << "at the same index of the table";
}

TEST(KnownUnits, AreClearedForEachPlan) {
  KnownUnits known;
  known.add(ChunkIndex{0}, {0, 1}, 0);
  known.begin_plan();
  EXPECT_EQ(known.find(ChunkIndex{0}, 0), nullptr);
}

TEST(KnownUnits, AreReplacedByNewUnits) {
  KnownUnits known;
  for (std::int64_t i = 0; i < 5; ++i) known.add(ChunkIndex{64 * i}, {0, 1}, i);
  EXPECT_EQ(known.find(ChunkIndex{0}, 0), nullptr);
  for (std::int64_t i = 1; i < 5; ++i) EXPECT_EQ(known.find(ChunkIndex{64 * i}, 0)->use, i);
}

}  // namespace
}  // namespace sheaf::internal
