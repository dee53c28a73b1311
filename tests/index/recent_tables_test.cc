#include "index/recent_tables.h"

#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "index/made_up_tables.h"

namespace sheaf::internal {
namespace {

constexpr auto kCheap = RecentTables::Cost::cheap;
constexpr auto kDear = RecentTables::Cost::dear;

TableAndNotes made_up(std::uint64_t seed) {
  const MadeUpChunk chunk = make_chunk({.has_text_keys = true}, 100, seed);
  return {.sequences = std::make_shared<const SequenceTable>(chunk.table),
          .notes = std::make_shared<const ChunkNotes>()};
}

/// Returns the size of one made-up chunk.
std::int64_t chunk_bytes() {
  RecentTables tables(0);
  tables.add(0, made_up(0), kDear);
  return tables.memory_bytes();
}

TEST(RecentTables, AreAllKeptWithoutALimit) {
  RecentTables tables(0);
  for (std::int64_t i = 0; i < 100; ++i) tables.add(i, made_up(7), kDear);
  EXPECT_EQ(tables.memory_bytes(), 100 * chunk_bytes());
  for (std::int64_t i = 0; i < 100; ++i) EXPECT_TRUE(tables.find(i));
  EXPECT_FALSE(tables.find(100));
}

TEST(RecentTables, TheLeastRecentlyUsedTableIsDropped) {
  RecentTables tables(4 * chunk_bytes());  // a quarter is reserved for cheap tables
  for (std::int64_t i = 0; i < 3; ++i) tables.add(i, made_up(7), kDear);
  EXPECT_TRUE(tables.find(0));
  tables.add(3, made_up(7), kDear);
  EXPECT_TRUE(tables.find(0));
  EXPECT_FALSE(tables.find(1));
  EXPECT_TRUE(tables.find(2));
  EXPECT_TRUE(tables.find(3));
  EXPECT_EQ(tables.memory_bytes(), 3 * chunk_bytes());
}

TEST(RecentTables, CheapTablesHaveTheirOwnLimit) {
  const auto cheap = [] {
    return TableAndNotes{.sequences = std::make_shared<const SequenceTable>(
                             make_chunk({.has_text_keys = true}, 1, 7).table),
                         .notes = nullptr};
  };
  for (const std::int64_t limit_bytes : {std::int64_t{0}, std::int64_t{100'000}}) {
    RecentTables tables(limit_bytes);
    tables.add(0, made_up(7), kDear);
    const std::int64_t dear_bytes = tables.memory_bytes();
    for (std::int64_t i = 1; i < 10'000; ++i) tables.add(i, cheap(), kCheap);
    const std::int64_t cheap_bytes_max =
        limit_bytes == 0 ? RecentTables::kCheapBytesMax : limit_bytes / 4;
    EXPECT_LE(tables.memory_bytes() - dear_bytes, cheap_bytes_max);
    EXPECT_GT(tables.memory_bytes() - dear_bytes, cheap_bytes_max - 2000);
    EXPECT_TRUE(tables.find(9'999));
    EXPECT_FALSE(tables.find(1));
    EXPECT_TRUE(tables.find(0)) << "cheap ones do not drive out others";
  }
}

TEST(RecentTables, ReferencedTablesAreFoundAgain) {
  RecentTables tables(1);
  const TableAndNotes held = tables.add(0, made_up(7), kDear);
  const auto held_notes = tables.add(1, made_up(8), kDear).notes;
  for (std::int64_t i = 2; i < 100; ++i) tables.add(i, made_up(7), kDear);
  EXPECT_EQ(tables.find(0)->sequences, held.sequences);
  EXPECT_EQ(tables.find(1)->notes, held_notes);
  EXPECT_FALSE(tables.find(50));
}

TEST(RecentTables, ManyReferencedTablesDoNotPreventDropping) {
  constexpr std::int64_t kHeld = 300;  // more than one call skips
  RecentTables tables(1);
  std::vector<TableAndNotes> held;
  for (std::int64_t i = 0; i < kHeld; ++i) held.push_back(tables.add(i, made_up(7), kDear));
  for (std::int64_t i = 0; i < 3 * kHeld; ++i) tables.add(kHeld + i, made_up(7), kDear);
  EXPECT_LT(tables.memory_bytes(), (kHeld + kHeld / 10) * chunk_bytes());
  held.clear();
  for (std::int64_t i = 0; i < 10; ++i) tables.add(10 * kHeld + i, made_up(7), kDear);
  EXPECT_LE(tables.memory_bytes(), 2 * chunk_bytes());
}

TEST(RecentTables, AddingAChunkAgainKeepsTheFirstTable) {
  RecentTables tables(0);
  const auto first = tables.add(5, made_up(7), kDear).sequences;
  EXPECT_EQ(tables.add(5, made_up(8), kDear).sequences, first);
  EXPECT_EQ(tables.memory_bytes(), chunk_bytes());
}

TEST(RecentTables, TheLastChunksCanBeRemoved) {
  RecentTables tables(0);
  for (std::int64_t i = 0; i < 4; ++i) tables.add(i, made_up(7), kDear);
  tables.drop_from(2);
  EXPECT_TRUE(tables.find(1));
  EXPECT_FALSE(tables.find(2));
  EXPECT_EQ(tables.memory_bytes(), 2 * chunk_bytes());
}

}  // namespace
}  // namespace sheaf::internal
