#include "reader/plan/held_ranges.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "sheaf/extend/index.h"

namespace sheaf::internal {
namespace {

constexpr ChunkIndex kHeldChunk{3};

/// Returns the held range with a sequence, or an empty range if there is none.
ChunkRange found(HeldRanges& held, std::int64_t sequence, ChunkIndex chunk = kHeldChunk) {
  const HeldRanges::Held* const range = held.find(chunk, sequence);
  return range != nullptr ? range->range : ChunkRange{chunk, -1, 0};
}

constexpr ChunkRange kNone{kHeldChunk, -1, 0};

TEST(HeldRanges, FindTheRangeOfASequence) {
  HeldRanges held;
  held.add({kHeldChunk, 10, 5}, 1);
  held.add({kHeldChunk, 15, 5}, 1);  // adjacent
  held.add({kHeldChunk, 19, 9}, 1);  // overlaps in one sequence
  held.add({kHeldChunk, 40, 1}, 1);
  EXPECT_EQ(found(held, 9), kNone);
  EXPECT_EQ(found(held, 10), (ChunkRange{kHeldChunk, 10, 5}));
  EXPECT_EQ(found(held, 14), (ChunkRange{kHeldChunk, 10, 5}));
  EXPECT_EQ(found(held, 15), (ChunkRange{kHeldChunk, 15, 5}));
  EXPECT_EQ(found(held, 19), (ChunkRange{kHeldChunk, 19, 9})) << "the longer one";
  EXPECT_EQ(found(held, 27), (ChunkRange{kHeldChunk, 19, 9}));
  EXPECT_EQ(found(held, 28), kNone);
  EXPECT_EQ(found(held, 40), (ChunkRange{kHeldChunk, 40, 1}));
  EXPECT_EQ(found(held, 41), kNone);
  EXPECT_EQ(held.find(ChunkIndex{2}, 10), nullptr);
}

TEST(HeldRanges, AWholeChunkIsFoundBeforeItsParts) {
  HeldRanges held;
  held.add({kHeldChunk, 4, 1}, 1);
  held.add({kHeldChunk}, 100);
  EXPECT_EQ(found(held, 4), ChunkRange{kHeldChunk});
  EXPECT_EQ(found(held, 1'000'000'000), ChunkRange{kHeldChunk});
  EXPECT_EQ(held.size(), 2);
  EXPECT_EQ(held.whole_count(), 1);
  EXPECT_EQ(held.bytes(), 101);
}

TEST(HeldRanges, ARangeIsReleasedByItsName) {
  HeldRanges held;
  held.add({kHeldChunk, 0, 8}, 1);
  held.add({kHeldChunk, 2, 1}, 10);
  held.add({kHeldChunk, 2, 1}, 1000);  // a known range
  held.release({kHeldChunk, 0, 7});    // an unknown range
  held.release({ChunkIndex{9}, 0, 8});
  EXPECT_EQ(held.bytes(), 11);
  held.release({kHeldChunk, 0, 8});
  EXPECT_EQ(found(held, 1), kNone);
  EXPECT_EQ(found(held, 2), (ChunkRange{kHeldChunk, 2, 1}));
  EXPECT_TRUE(held.contains({kHeldChunk, 2, 1}));
  EXPECT_FALSE(held.contains({kHeldChunk, 0, 8}));
  held.add({kHeldChunk, 0, 8}, 5);
  EXPECT_EQ(found(held, 2), (ChunkRange{kHeldChunk, 0, 8}));
  EXPECT_EQ(held.bytes(), 15);
}

TEST(HeldRanges, AWholeChunkIsReleasedByItsName) {
  HeldRanges held;
  held.add({kHeldChunk, 0, 8}, 1);
  held.add({kHeldChunk, 8, 8}, 1);
  held.add({kHeldChunk}, 1);
  held.add({ChunkIndex{4}, 0, 8}, 1);
  held.release({kHeldChunk});
  EXPECT_EQ(found(held, 0), (ChunkRange{kHeldChunk, 0, 8}));
  EXPECT_EQ(held.size(), 3);
  EXPECT_EQ(held.whole_count(), 0);
  EXPECT_EQ(held.bytes(), 3);
  held.release({ChunkIndex{4}});  // an unknown range
  EXPECT_EQ(held.size(), 3);
}

TEST(HeldRanges, ACutHasTheMemoryOfItsRange) {
  MemoryIndex index;
  SequenceTable::Builder table;
  for (const std::int64_t offset : {0, 10, 20, 60}) table.push_back({.offset_bytes = offset});
  index.add({.size_bytes = 100, .decoded_size_bytes = 1000}, table.finish());
  HeldRanges held;
  const ChunkRange first{ChunkIndex{0}, 1, 2};
  const ChunkRange second{ChunkIndex{0}, 3, 1};
  held.add(first, 250);
  held.add(second, 250);
  const auto give_cut = [&](const ChunkRange& range) {
    HeldRanges::Held& each = *held.find(range.chunk, range.first);
    held.set_cut(each, std::make_shared<const RangeCut>(index, range));
    return each.cut->row_bytes(range.count);
  };
  std::int64_t row_bytes = give_cut(first);
  EXPECT_EQ(held.bytes(), 500 + row_bytes + 250) << "bytes 10 to 60 of 100";
  row_bytes += give_cut(second);
  EXPECT_EQ(held.bytes(), 500 + 400 + row_bytes);
  held.release(first);
  held.release(second);
  EXPECT_EQ(held.bytes(), 0);
}

TEST(HeldRanges, AreTheAddedRangesNotYetReleased) {
  const bool holds = rc::check([] {
    constexpr std::int64_t kSequences = 40;
    HeldRanges held;
    std::map<ChunkRange, std::int64_t> expected;
    const auto operations = *rc::gen::inRange(0, 80);
    for (int i = 0; i < operations; ++i) {
      const ChunkIndex chunk{*rc::gen::inRange<std::int64_t>(0, 2)};
      ChunkRange range{chunk};
      if (*rc::gen::inRange(0, 8) > 0) {
        range.first = *rc::gen::inRange<std::int64_t>(0, kSequences);
        range.count = *rc::gen::inRange<std::int64_t>(1, kSequences - range.first + 1);
      }
      if (*rc::gen::inRange(0, 3) > 0) {
        held.add(range, i);
        expected.try_emplace(range, i);
      } else {
        held.release(range);
        expected.erase(range);
      }
    }
    std::int64_t bytes = 0;
    for (const auto& [range, size] : expected) bytes += size;
    RC_ASSERT(held.bytes() == bytes);
    RC_ASSERT(held.size() == std::ssize(expected));
    for (const ChunkIndex chunk : {ChunkIndex{0}, ChunkIndex{1}}) {
      for (std::int64_t sequence = 0; sequence < kSequences; ++sequence) {
        const HeldRanges::Held* const range = held.find(chunk, sequence);
        const bool is_in_any = std::ranges::any_of(
            expected, [&](const auto& each) { return each.first.contains(chunk, sequence); });
        RC_ASSERT((range != nullptr) == is_in_any);
        if (range == nullptr) continue;
        RC_ASSERT(range->range.contains(chunk, sequence));
        RC_ASSERT(expected.contains(range->range));
        RC_ASSERT(held.contains(range->range));
      }
    }
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace sheaf::internal
