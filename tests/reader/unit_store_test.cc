#include "reader/unit_store.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/buffer.h"

#include "index/units.h"
#include "reader/run_all.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kAll = ChunkRange::kAll;

/// Units of two chunks of four sequences, each a unit of its own or two in one.
class UnitStoreTest : public ::testing::Test {
 protected:
  [[nodiscard]] static UnitUse use(const ChunkRange& range, std::int64_t unit,
                                   std::int64_t sequences_each = 1) {
    sheaf::testing::FakeData data;
    data.sample_size_bytes = kUnitSizeBytes / sequences_each;
    data.lengths = {{1, 1, 1, 1}, {1, 1, 1, 1}};
    const auto deserializer = sheaf::testing::fake(data);
    return use_of(std::make_shared<const RangeCut>(deserializer->index(), range), unit);
  }
  [[nodiscard]] static UnitUse use(std::int64_t chunk, std::int64_t unit,
                                   std::int64_t sequences_each = 1) {
    return use(ChunkRange{ChunkIndex{chunk}}, unit, sequences_each);
  }

  /// The unit with this number among those of the cut.
  [[nodiscard]] static UnitUse use_of(std::shared_ptr<const RangeCut> cut, std::int64_t number) {
    SequenceSpan unit = cut->unit_at(cut->first());
    for (; number > 0; --number) unit = cut->unit_at(unit.end);
    return {std::move(cut), unit};
  }

  /// A unit of a range that is held.
  [[nodiscard]] static UnitUse held(const ChunkRange& range, std::int64_t unit) {
    UnitUse held = use(range, unit, 2);
    held.is_held = true;
    return held;
  }

  /// Add a unit that nothing needs right now.
  void add(const UnitUse& use, std::int64_t bytes) {
    store_.unpin(store_.add_pinned(use, bytes), 0);
  }

  [[nodiscard]] bool has(const UnitUse& use) {
    Unit* const found = store_.find_and_pin(use);
    if (found != nullptr) store_.unpin(*found, 0);
    return found != nullptr;
  }

  Ledger ledger_;
  UnitStore store_{ledger_};
};

TEST_F(UnitStoreTest, AUnitStaysWhileASweepStillNeedsIt) {
  Unit& unit = store_.add_pinned(use(0, 0, 2), 100);
  EXPECT_EQ(unit.count, 2);
  store_.unpin(unit, 1);
  EXPECT_EQ(store_.find_and_pin(use(0, 0, 2)), &unit);
  EXPECT_EQ(ledger_.held_bytes(), 100);
  store_.unpin(unit, 1);  // both sequences were packed
  EXPECT_EQ(store_.find_and_pin(use(0, 0, 2)), nullptr);
  EXPECT_EQ(ledger_.held_bytes(), 0);
  EXPECT_EQ(store_.take_dropped().size(), 1U);
  EXPECT_EQ(store_.take_dropped().size(), 0U);
}

TEST_F(UnitStoreTest, WhatIsHeldStaysHoweverOftenItWasPacked) {
  const ChunkRange range{ChunkIndex{0}, 0, 2};
  Unit& unit = store_.add_pinned(held(range, 0), 100);
  store_.unpin(unit, 2);
  EXPECT_EQ(store_.find_and_pin(held(range, 0)), &unit);
  store_.release(range);
  EXPECT_EQ(ledger_.held_bytes(), 100) << "it is pinned";
  store_.unpin(unit, 2);
  EXPECT_EQ(ledger_.held_bytes(), 0);
}

TEST_F(UnitStoreTest, HoldingKeepsWhatIsThere) {
  Unit& unit = store_.add_pinned(use(0, 0, 2), 100);
  store_.hold({ChunkIndex{0}});
  store_.hold({ChunkIndex{1}});  // of which there is nothing
  store_.unpin(unit, 2);
  EXPECT_EQ(ledger_.held_bytes(), 100);
  store_.release({ChunkIndex{0}});
  EXPECT_EQ(ledger_.held_bytes(), 0);
}

TEST_F(UnitStoreTest, HeldAgainBeforeItsLastPinIsGoneAUnitStays) {
  const ChunkRange range{ChunkIndex{0}, 0, 2};
  Unit& unit = store_.add_pinned(held(range, 0), 100);
  store_.release(range);
  store_.hold(range);
  store_.unpin(unit, 2);
  EXPECT_EQ(ledger_.held_bytes(), 100);
}

TEST_F(UnitStoreTest, AReleasedChunkIsDroppedAsSoonAsNoStepNeedsIt) {
  add(use(0, 0), 1);
  Unit& pinned = store_.add_pinned(use(0, 1), 10);
  add(use(1, 0), 100);
  store_.release({ChunkIndex{0}});
  EXPECT_EQ(ledger_.held_bytes(), 110);
  store_.unpin(pinned, 0);
  EXPECT_EQ(ledger_.held_bytes(), 100);
  EXPECT_TRUE(has(use(1, 0)));
}

TEST_F(UnitStoreTest, ARangeIsDroppedByItsName) {
  const ChunkRange first{ChunkIndex{0}, 0, 3};
  const ChunkRange second{ChunkIndex{0}, 2, 2};  // shares sequence 2
  const ChunkRange single{ChunkIndex{0}, 2, 1};
  add(held(first, 0), 1);  // sequences 0 and 1
  add(held(first, 1), 10);
  add(held(second, 1), 100);
  add(held(single, 0), 1000);
  add(use(0, 1, 2), 10'000);
  add(use(1, 1), 100'000);
  EXPECT_EQ(ledger_.held_bytes(), 111'111) << "each is a unit of its own";
  store_.release({ChunkIndex{0}, 0, 2});  // no such range
  EXPECT_EQ(ledger_.held_bytes(), 111'111);
  store_.release(first);
  EXPECT_EQ(ledger_.held_bytes(), 111'100);
  store_.release(single);
  EXPECT_EQ(ledger_.held_bytes(), 110'100);
  EXPECT_TRUE(has(held(second, 1)));
  store_.release({ChunkIndex{0}, 0, kAll});
  EXPECT_EQ(ledger_.held_bytes(), 100'100);
  EXPECT_TRUE(has(held(second, 1)));
  EXPECT_FALSE(has(use(0, 1, 2)));
}

TEST_F(UnitStoreTest, WhatNoLaterStepNeedsGoesWithItsLastPin) {
  UnitUse last = held({ChunkIndex{0}, 0, 2}, 0);
  last.is_last = true;
  store_.unpin(store_.add_pinned(last, 100), 1);
  EXPECT_EQ(ledger_.held_bytes(), 0);
}

TEST_F(UnitStoreTest, AUnitNamedAgainIsNoLongerReleased) {
  Unit& unit = store_.add_pinned(use(0, 0, 2), 1);
  store_.release({ChunkIndex{0}});
  EXPECT_EQ(store_.find_and_pin(use(0, 0, 2)), &unit);
  store_.unpin(unit, 1);
  store_.unpin(unit, 0);
  EXPECT_EQ(ledger_.held_bytes(), 1);
}

TEST_F(UnitStoreTest, EvictsTheUnpinnedUnitUsedTheLongestTimeAgo) {
  Unit& first = store_.add_pinned(use(0, 0), 1);
  Unit& second = store_.add_pinned(use(0, 1), 10);
  Unit& third = store_.add_pinned(use(0, 2), 100);
  store_.unpin(second, 0);
  store_.unpin(third, 0);
  store_.unpin(first, 0);
  EXPECT_EQ(store_.find_and_pin(use(0, 2)), &third);
  EXPECT_EQ(store_.unpinned_bytes(), 11);
  EXPECT_TRUE(store_.evict(false));
  EXPECT_EQ(ledger_.held_bytes(), 101);  // without the second
  EXPECT_EQ(store_.unpinned_bytes(), 1);
  EXPECT_TRUE(store_.evict(false));
  EXPECT_FALSE(store_.evict(false));
  EXPECT_EQ(ledger_.held_bytes(), 100);
  EXPECT_EQ(store_.unpinned_bytes(), 0);
}

TEST_F(UnitStoreTest, EvictsWhatIsHeldLastOfAllAndOnlyIfTold) {
  const ChunkRange range{ChunkIndex{0}, 0, 2};
  add(held(range, 0), 1);
  add(use(1, 0), 10);
  EXPECT_EQ(store_.unpinned_bytes(), 10);
  EXPECT_TRUE(store_.evict(true));
  EXPECT_EQ(ledger_.held_bytes(), 1);
  EXPECT_FALSE(store_.evict(false));
  EXPECT_TRUE(store_.evict(true));
  EXPECT_EQ(ledger_.held_bytes(), 0);
}

TEST_F(UnitStoreTest, TheLedgerFollowsWhatAUnitReallyTakes) {
  Unit& unit = store_.add_pinned(use(0, 0), 50);
  EXPECT_EQ(ledger_.held_bytes(), 50);
  EXPECT_EQ(ledger_.used_bytes(), 0) << "it is not read yet";
  store_.set_read(unit, 70);
  EXPECT_EQ(ledger_.held_bytes(), 70);
  EXPECT_EQ(ledger_.used_bytes(), 70);
  EXPECT_EQ(store_.unpinned_bytes(), 0);
  store_.unpin(unit, 0);
  EXPECT_EQ(store_.unpinned_bytes(), 70);
  EXPECT_TRUE(store_.evict(false));
  EXPECT_EQ(ledger_.held_bytes(), 0) << "what was dropped holds nothing";
  EXPECT_EQ(store_.unpinned_bytes(), 0);
}

/// A unit of four sequences of a stream of one value, some of them holes.
class UnitTest : public ::testing::Test {
 protected:
  UnitTest() {
    sheaf::testing::FakeData data;
    data.sample_size_bytes = kUnitSizeBytes / 4;
    data.lengths = {{1, 1, 1, 1, 1, 1, 1, 1}};
    const auto deserializer = sheaf::testing::fake(data);
    const auto cut = std::make_shared<const RangeCut>(deserializer->index(), ChunkRange{});
    unit_.emplace(UnitUse{cut, cut->unit_at(4)});
  }

  void set_content(std::vector<std::int64_t> holes, const std::vector<std::int64_t>& named) {
    std::vector<Column> columns(1);
    for (int i = 0; i < 4; ++i) columns[0].values.push_back(1.F);
    Diagnostics diagnostics(kept_max_);
    for (std::size_t i = 0; i < named.size(); ++i) {
      Diagnostic diagnostic;
      diagnostic.byte_offset = static_cast<std::int64_t>(i);
      diagnostic.severity = i == 1                ? Severity::fatal
                            : warned_.contains(i) ? Severity::warning
                                                  : Severity::error;
      diagnostics.add(named[i], std::move(diagnostic));
    }
    const std::vector<Stream> streams = {{.name = "x", .sample_shape = {1}}};
    unit_->set_content(Chunk(streams, 4, std::move(columns), std::move(holes)),
                       std::move(diagnostics), 1);
  }

  [[nodiscard]] std::vector<std::int64_t> offsets_of(std::int64_t sequence) const {
    std::vector<WrongPlace> places;
    unit_->append_places(sequence, places);
    std::vector<std::int64_t> offsets;
    for (const WrongPlace& place : places) {
      EXPECT_EQ(place.number, std::ssize(offsets));
      EXPECT_EQ(place.severity == Severity::fatal, place.byte_offset == 1);
      offsets.push_back(place.byte_offset);
    }
    return offsets;
  }

  std::optional<Unit> unit_;      // sequences 4 to 7 of the chunk
  std::set<std::size_t> warned_;  // numbers of the places that are warnings
  std::int64_t kept_max_ = 100;
};

TEST_F(UnitTest, KnowsTheWrongPlacesOfEachSequenceHoleOrNot) {
  set_content({1}, {5, 5, 6, 4, 5});
  EXPECT_EQ(offsets_of(4), (std::vector<std::int64_t>{3}));
  EXPECT_EQ(offsets_of(5), (std::vector<std::int64_t>{0, 1, 4}));  // the hole
  EXPECT_EQ(offsets_of(6), (std::vector<std::int64_t>{2}));
  EXPECT_EQ(offsets_of(7), std::vector<std::int64_t>());
}

TEST_F(UnitTest, AWarningMakesNoHole) {
  warned_ = {0, 2};
  set_content({1}, {4, 5, 6});
  EXPECT_EQ(offsets_of(4), (std::vector<std::int64_t>{0}));
  try {
    set_content({0, 1}, {4, 5, 6});
    ADD_FAILURE() << "the first hole has nothing but a warning";
  } catch (const InternalError& error) {
    EXPECT_EQ(error.what(), std::string("Deserializer::read of chunk 0, sequences 4 to 7: "
                                        "sequence 4 is a hole without an error"));
  }
}

TEST_F(UnitTest, GivesAllErrorsButOnlyTheWarningsThatAreDescribed) {
  warned_ = {0, 2, 3};
  kept_max_ = 2;
  set_content({1}, {4, 5, 6, 6, 7, 7});
  EXPECT_EQ(offsets_of(4), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(offsets_of(5), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(offsets_of(6), (std::vector<std::int64_t>{2}));     // the third warning is not
  EXPECT_EQ(offsets_of(7), (std::vector<std::int64_t>{4, 5}));  // the third error is
}

TEST_F(UnitTest, RefusesAHoleWithoutAPlaceAndAPlaceOfASequenceNotAskedFor) {
  struct Case {
    std::vector<std::int64_t> holes;
    std::vector<std::int64_t> named;
    const char* text;
  };
  const Case cases[] = {
      {{1, 2}, {5}, "sequence 6 is a hole without an error"},               // one of two
      {{}, {3}, "a diagnostic names sequence 3, which was not asked for"},  // before the first
      {{}, {4, 7, 8}, "a diagnostic names sequence 8, which was not asked for"},  // behind the last
  };
  for (const Case& c : cases) {
    try {
      set_content(c.holes, c.named);
      ADD_FAILURE() << c.text;
    } catch (const InternalError& error) {
      EXPECT_EQ(error.what(),
                std::string("Deserializer::read of chunk 0, sequences 4 to 7: ") + c.text);
    }
  }
}

}  // namespace
}  // namespace sheaf::internal
