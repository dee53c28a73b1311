#include "reader/fetch/unit_cache.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

#include "index/units.h"
#include "reader/run_all.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kAll = ChunkRange::kAll;

/// Units of two chunks of four sequences. A unit has one or two sequences.
class UnitCacheTest : public ::testing::Test {
 protected:
  [[nodiscard]] UnitUse use(const ChunkRange& range, std::int64_t unit,
                            std::int64_t sequences_each = 1) {
    sheaf::testing::FakeData data;
    data.sample_size_bytes = kUnitSizeBytes / sequences_each;
    data.lengths = {{1, 1, 1, 1}, {1, 1, 1, 1}};
    const auto deserializer = sheaf::testing::fake(data);
    return use_of(std::make_shared<const RangeCut>(deserializer->index(), range), unit);
  }
  [[nodiscard]] UnitUse use(std::int64_t chunk, std::int64_t unit,
                            std::int64_t sequences_each = 1) {
    return use(ChunkRange{ChunkIndex{chunk}}, unit, sequences_each);
  }

  /// Returns unit number `number` of a cut.
  [[nodiscard]] UnitUse use_of(std::shared_ptr<const RangeCut> cut, std::int64_t number) {
    SequenceSpan unit = cut->unit_at(cut->first());
    for (; number > 0; --number) unit = cut->unit_at(unit.end);
    return {cuts_.emplace_back(std::move(cut)).get(), unit};
  }

  /// Returns a unit of a held range.
  [[nodiscard]] UnitUse held(const ChunkRange& range, std::int64_t unit) {
    UnitUse held = use(range, unit, 2);
    held.is_held = true;
    return held;
  }

  /// Adds a unit that nothing needs right now.
  void add(const UnitUse& use, std::int64_t bytes) { cache_.unpin(add_read(use, bytes), 0); }

  /// Adds a pinned unit that was read.
  Unit& add_read(const UnitUse& use, std::int64_t bytes) {
    Unit& unit = cache_.add_pinned(use, bytes);
    cache_.set_read(unit, bytes);
    return unit;
  }

  [[nodiscard]] bool has(const UnitUse& use) {
    Unit* const found = cache_.find_and_pin(use);
    if (found != nullptr) cache_.unpin(*found, 0);
    return found != nullptr;
  }

  /// Returns the bytes of the units that were not dropped.
  [[nodiscard]] std::int64_t held_bytes() const {
    return ledger_.held_bytes() - cache_.leaving_bytes();
  }

  std::vector<std::shared_ptr<const RangeCut>> cuts_;  // of the uses
  Ledger ledger_{std::int64_t{1} << 40};               // a limit, so that units may be evicted
  UnitCache cache_{ledger_};
};

TEST_F(UnitCacheTest, AUnitStaysWhileASweepStillNeedsIt) {
  Unit& unit = add_read(use(0, 0, 2), 100);
  EXPECT_EQ(unit.count, 2);
  cache_.unpin(unit, 1);
  EXPECT_EQ(cache_.find_and_pin(use(0, 0, 2)), &unit);
  EXPECT_EQ(held_bytes(), 100);
  cache_.unpin(unit, 1);  // both sequences were packed
  EXPECT_EQ(cache_.find_and_pin(use(0, 0, 2)), nullptr);
  EXPECT_EQ(held_bytes(), 0);
  EXPECT_EQ(cache_.take_dropped().size(), 1U);
  EXPECT_EQ(cache_.take_dropped().size(), 0U);
}

TEST_F(UnitCacheTest, FoundSequencesBecomeTheUnitOfAStep) {
  const auto bytes = std::make_shared<std::vector<std::byte>>(400);
  const std::vector<Stream> streams = {{.name = "x", .sample_shape = {25}}};
  std::vector<Column> columns(1);
  columns[0].values = Buffer::borrow(*bytes, bytes);
  const auto chunk = std::make_shared<const HeldChunk>(Chunk(streams, 4, std::move(columns)));
  cache_.add_found({{{ChunkIndex{0}, 0, 2}, chunk, 0}, {{ChunkIndex{0}, 2, 2}, chunk, 2}});
  EXPECT_EQ(ledger_.used_bytes(), 400);

  EXPECT_EQ(cache_.find_and_pin(use(1, 0, 2)), nullptr) << "another chunk";
  EXPECT_EQ(cache_.find_and_pin(use(0, 0)), nullptr) << "fewer sequences";
  UnitUse part = use(0, 1, 2);
  part.part_first = 2;
  part.part_count = 2;
  EXPECT_EQ(cache_.find_and_pin(part), nullptr) << "a part is read by itself";

  Unit* const unit = cache_.find_and_pin(use(0, 1, 2));
  ASSERT_NE(unit, nullptr);
  EXPECT_EQ(unit->state, UnitState::pinned);
  EXPECT_EQ(unit->chunk, chunk);
  EXPECT_EQ(unit->index_in_chunk(3), 3);
  EXPECT_EQ(ledger_.used_bytes(), 400) << "the memory belongs to the unit now";
  EXPECT_EQ(cache_.find_and_pin(use(0, 1, 2)), unit) << "pinned twice";
  cache_.unpin(*unit, 1);
  cache_.unpin(*unit, 1);
  EXPECT_EQ(held_bytes(), 200);
  EXPECT_EQ(cache_.find_and_pin(use(0, 1, 2)), nullptr) << "found once, dropped, to be read again";
}

TEST_F(UnitCacheTest, AHeldUnitStaysAfterPacking) {
  const ChunkRange range{ChunkIndex{0}, 0, 2};
  Unit& unit = add_read(held(range, 0), 100);
  cache_.unpin(unit, 2);
  EXPECT_EQ(cache_.find_and_pin(held(range, 0)), &unit);
  cache_.release(range);
  EXPECT_EQ(held_bytes(), 100) << "it is pinned";
  cache_.unpin(unit, 2);
  EXPECT_EQ(held_bytes(), 0);
}

TEST_F(UnitCacheTest, HoldingKeepsCachedUnits) {
  Unit& unit = add_read(use(0, 0, 2), 100);
  cache_.hold({ChunkIndex{0}});
  cache_.hold({ChunkIndex{1}});  // nothing of this chunk is cached
  cache_.unpin(unit, 2);
  EXPECT_EQ(held_bytes(), 100);
  cache_.release({ChunkIndex{0}});
  EXPECT_EQ(held_bytes(), 0);
}

TEST_F(UnitCacheTest, AUnitHeldAgainBeforeItsLastPinStays) {
  const ChunkRange range{ChunkIndex{0}, 0, 2};
  Unit& unit = add_read(held(range, 0), 100);
  cache_.release(range);
  cache_.hold(range);
  cache_.unpin(unit, 2);
  EXPECT_EQ(held_bytes(), 100);
}

TEST_F(UnitCacheTest, AReleasedChunkIsDroppedAsSoonAsNoStepNeedsIt) {
  add(use(0, 0), 1);
  Unit& pinned = add_read(use(0, 1), 10);
  add(use(1, 0), 100);
  cache_.release({ChunkIndex{0}});
  EXPECT_EQ(held_bytes(), 110);
  cache_.unpin(pinned, 0);
  EXPECT_EQ(held_bytes(), 100);
  EXPECT_TRUE(has(use(1, 0)));
}

TEST_F(UnitCacheTest, ARangeIsReleasedByName) {
  const ChunkRange first{ChunkIndex{0}, 0, 3};
  const ChunkRange second{ChunkIndex{0}, 2, 2};  // overlaps in sequence 2
  const ChunkRange single{ChunkIndex{0}, 2, 1};
  add(held(first, 0), 1);  // sequences 0 and 1
  add(held(first, 1), 10);
  add(held(second, 1), 100);
  add(held(single, 0), 1000);
  add(use(0, 1, 2), 10'000);
  add(use(1, 1), 100'000);
  EXPECT_EQ(held_bytes(), 111'111) << "each is a unit of its own";
  cache_.release({ChunkIndex{0}, 0, 2});  // no such range
  EXPECT_EQ(held_bytes(), 111'111);
  cache_.release(first);
  EXPECT_EQ(held_bytes(), 111'100);
  cache_.release(single);
  EXPECT_EQ(held_bytes(), 110'100);
  EXPECT_TRUE(has(held(second, 1)));
  cache_.release({ChunkIndex{0}, 0, kAll});
  EXPECT_EQ(held_bytes(), 100'100);
  EXPECT_TRUE(has(held(second, 1)));
  EXPECT_FALSE(has(use(0, 1, 2)));
}

TEST_F(UnitCacheTest, TheLastUseOfAUnitDropsIt) {
  UnitUse last = held({ChunkIndex{0}, 0, 2}, 0);
  last.is_last = true;
  cache_.unpin(add_read(last, 100), 1);
  EXPECT_EQ(held_bytes(), 0);
}

TEST_F(UnitCacheTest, AUnitHeldAgainIsNotReleased) {
  Unit& unit = add_read(use(0, 0, 2), 1);
  cache_.release({ChunkIndex{0}});
  EXPECT_EQ(cache_.find_and_pin(use(0, 0, 2)), &unit);
  cache_.unpin(unit, 1);
  cache_.unpin(unit, 0);
  EXPECT_EQ(held_bytes(), 1);
}

TEST_F(UnitCacheTest, EvictsTheLeastRecentlyUsedUnpinnedUnit) {
  Unit& first = add_read(use(0, 0), 1);
  Unit& second = add_read(use(0, 1), 10);
  Unit& third = add_read(use(0, 2), 100);
  cache_.unpin(second, 0);
  cache_.unpin(third, 0);
  cache_.unpin(first, 0);
  EXPECT_EQ(cache_.find_and_pin(use(0, 2)), &third);
  EXPECT_EQ(cache_.idle_bytes(), 11);
  EXPECT_TRUE(cache_.evict(false));
  EXPECT_EQ(held_bytes(), 101);  // without the second
  EXPECT_EQ(cache_.idle_bytes(), 1);
  EXPECT_TRUE(cache_.evict(false));
  EXPECT_FALSE(cache_.evict(false));
  EXPECT_EQ(held_bytes(), 100);
  EXPECT_EQ(cache_.idle_bytes(), 0);
}

TEST_F(UnitCacheTest, EvictsHeldUnitsLastAndOnlyOnRequest) {
  const ChunkRange range{ChunkIndex{0}, 0, 2};
  add(held(range, 0), 1);
  add(use(1, 0), 10);
  EXPECT_EQ(cache_.idle_bytes(), 10);
  EXPECT_TRUE(cache_.evict(true));
  EXPECT_EQ(held_bytes(), 1);
  EXPECT_FALSE(cache_.evict(false));
  EXPECT_TRUE(cache_.evict(true));
  EXPECT_EQ(held_bytes(), 0);
}

TEST_F(UnitCacheTest, AUnitHasOneState) {
  const ChunkRange range{ChunkIndex{0}, 0, 2};
  Unit& unit = cache_.add_pinned(use(range, 0, 2), 10);
  EXPECT_EQ(unit.state, UnitState::asked);
  EXPECT_EQ(cache_.find_and_pin(use(range, 0, 2)), &unit);
  EXPECT_EQ(unit.state, UnitState::asked);
  cache_.set_read(unit, 10);
  EXPECT_EQ(unit.state, UnitState::pinned);
  cache_.unpin(unit, 1);
  EXPECT_EQ(unit.state, UnitState::pinned) << "another step needs the unit";
  cache_.unpin(unit, 0);
  EXPECT_EQ(unit.state, UnitState::idle);
  cache_.hold(range);
  EXPECT_EQ(unit.state, UnitState::kept);
  EXPECT_EQ(cache_.idle_bytes(), 0);
  EXPECT_EQ(cache_.find_and_pin(use(range, 0, 2)), &unit);
  EXPECT_EQ(unit.state, UnitState::pinned);
  cache_.unpin(unit, 1);
  EXPECT_EQ(unit.state, UnitState::kept) << "a sweep is through with the unit, the window is not";
  cache_.release(range);
  EXPECT_EQ(cache_.find_and_pin(use(range, 0, 2)), nullptr);
}

TEST_F(UnitCacheTest, TheLedgerFollowsTheActualSizeOfAUnit) {
  Unit& unit = cache_.add_pinned(use(0, 0), 50);
  EXPECT_EQ(ledger_.held_bytes(), 50);
  EXPECT_EQ(ledger_.used_bytes(), 0) << "it is not read yet";
  cache_.set_read(unit, 70);
  EXPECT_EQ(ledger_.held_bytes(), 70);
  EXPECT_EQ(ledger_.used_bytes(), 70);
  EXPECT_EQ(cache_.idle_bytes(), 0);
  cache_.unpin(unit, 0);
  EXPECT_EQ(cache_.idle_bytes(), 70);
  EXPECT_TRUE(cache_.evict(false));
  EXPECT_EQ(cache_.idle_bytes(), 0);
  EXPECT_EQ(ledger_.held_bytes(), 70) << "the unit is not destroyed yet";
  EXPECT_EQ(cache_.leaving_bytes(), 70);
  cache_.take_dropped().clear();
  EXPECT_EQ(ledger_.held_bytes(), 0);
  cache_.note_destroyed(70);
  EXPECT_EQ(cache_.leaving_bytes(), 0);
}

}  // namespace
}  // namespace sheaf::internal
