#include "reader/unit_store.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/buffer.h"

#include "reader/run_all.h"

namespace sheaf::internal {
namespace {

/// Units of two chunks of four sequences, each a unit of its own or two in one.
class UnitStoreTest : public ::testing::Test {
 protected:
  [[nodiscard]] static UnitUse use(std::int64_t chunk, std::int64_t unit,
                                   std::int64_t sequences_each = 1) {
    sheaf::testing::FakeData data;
    data.sample_size_bytes = ChunkCut::kUnitSizeBytes / sequences_each;
    data.lengths = {{1, 1, 1, 1}, {1, 1, 1, 1}};
    const auto deserializer = sheaf::testing::fake(data);
    return {std::make_shared<const ChunkCut>(deserializer->index(), ChunkIndex{chunk}), unit};
  }

  [[nodiscard]] bool has(std::int64_t chunk, std::int64_t unit) {
    Unit* const found = store_.find_and_pin(use(chunk, unit));
    if (found != nullptr) store_.unpin(*found, 0);
    return found != nullptr;
  }

  UnitStore store_;
};

TEST_F(UnitStoreTest, AUnitStaysWhileASweepStillNeedsIt) {
  Unit& unit = store_.add_pinned(use(0, 0, 2), 100);
  EXPECT_EQ(unit.count, 2);
  store_.unpin(unit, 1);
  EXPECT_EQ(store_.find_and_pin(use(0, 0, 2)), &unit);
  EXPECT_EQ(store_.bytes(), 100);
  store_.unpin(unit, 1);  // both sequences were packed
  EXPECT_EQ(store_.find_and_pin(use(0, 0, 2)), nullptr);
  EXPECT_EQ(store_.bytes(), 0);
  EXPECT_EQ(store_.take_dropped().size(), 1U);
  EXPECT_EQ(store_.take_dropped().size(), 0U);
}

TEST_F(UnitStoreTest, AReleasedChunkIsDroppedAsSoonAsNoStepNeedsIt) {
  Unit& unpinned = store_.add_pinned(use(0, 0), 1);
  store_.unpin(unpinned, 0);
  Unit& pinned = store_.add_pinned(use(0, 1), 10);
  Unit& other = store_.add_pinned(use(1, 0), 100);
  store_.unpin(other, 0);
  store_.release(ChunkIndex{0});
  EXPECT_EQ(store_.bytes(), 110);
  store_.unpin(pinned, 0);
  EXPECT_EQ(store_.bytes(), 100);
  EXPECT_TRUE(has(1, 0));
}

TEST_F(UnitStoreTest, AUnitNamedAgainIsNoLongerReleased) {
  Unit& unit = store_.add_pinned(use(0, 0, 2), 1);
  store_.release(ChunkIndex{0});
  EXPECT_EQ(store_.find_and_pin(use(0, 0, 2)), &unit);
  store_.unpin(unit, 1);
  store_.unpin(unit, 0);
  EXPECT_EQ(store_.bytes(), 1);
}

TEST_F(UnitStoreTest, EvictsTheUnpinnedUnitUsedTheLongestTimeAgo) {
  Unit& first = store_.add_pinned(use(0, 0), 1);
  Unit& second = store_.add_pinned(use(0, 1), 10);
  static_cast<void>(store_.add_pinned(use(0, 2), 100));
  store_.unpin(second, 0);
  store_.unpin(first, 0);
  EXPECT_EQ(store_.unpinned_bytes(), 11);
  EXPECT_TRUE(store_.evict());
  EXPECT_EQ(store_.bytes(), 101);  // without the second
  EXPECT_TRUE(store_.evict());
  EXPECT_FALSE(store_.evict());
  EXPECT_EQ(store_.bytes(), 100);
}

TEST_F(UnitStoreTest, TheAccountFollowsWhatAUnitReallyTakes) {
  Unit& unit = store_.add_pinned(use(0, 0), 50);
  store_.set_bytes(unit, 70);
  EXPECT_EQ(store_.bytes(), 70);
  store_.set_bytes(unit, 0);
  EXPECT_EQ(store_.bytes(), 0);
}

TEST(HeldBytes, CountWhatIsBorrowedToo) {
  const auto bytes = std::make_shared<std::vector<std::byte>>(400);
  const std::vector<Stream> streams = {{.name = "x", .sample_shape = {1}}};
  std::vector<Column> columns(1);
  columns[0].values = Buffer::borrow(*bytes, bytes);
  const Chunk chunk(streams, 100, std::move(columns));
  EXPECT_EQ(chunk.memory_bytes(), 0);
  EXPECT_EQ(held_bytes(chunk), 400);
}

}  // namespace
}  // namespace sheaf::internal
