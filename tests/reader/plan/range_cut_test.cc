#include "reader/plan/range_cut.h"

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "sheaf/error.h"
#include "sheaf/extend/index.h"

#include "index/units.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kUnit = kUnitSizeBytes;
constexpr ChunkIndex kCutChunk{0};

/// Returns the index of one chunk. Its sequences have these sizes in bytes, and take three times as
/// much when decoded.
MemoryIndex index_of(const std::vector<std::int64_t>& sequence_sizes) {
  MemoryIndex index;
  SequenceTable::Builder table;
  std::int64_t offset = 0;
  for (const std::int64_t size : sequence_sizes) {
    const std::int64_t number = table.size();
    table.push_back(
        {.key = {.low = static_cast<std::uint64_t>(100 + number), .high = number % 2 == 0 ? 7U : 0},
         .offset_bytes = offset,
         .first_line = number,
         .sample_count = 1 + number % 3});
    offset += size;
  }
  index.add({.size_bytes = offset, .decoded_size_bytes = 3 * offset}, table.finish());
  return index;
}

/// The index of data whose chunks are read whole.
class WholeChunks final : public Index {
 public:
  explicit WholeChunks(MemoryIndex index) : index_(std::move(index)) {}

  [[nodiscard]] bool reads_parts() const noexcept override { return false; }
  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override {
    return index_.chunk(chunk);
  }
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override {
    return index_.sequences(chunk);
  }
  [[nodiscard]] std::int64_t memory_bytes() const override { return index_.memory_bytes(); }

 private:
  MemoryIndex index_;
};

TEST(RangeCut, KeepsChunksWholeThatCannotBeReadInParts) {
  const std::vector<std::int64_t> sizes(3, 40 * kUnit);
  EXPECT_GT(index_of(sizes).chunk_counts(kCutChunk)->unit_count, 1);
  const WholeChunks index(index_of(sizes));
  EXPECT_EQ(index.chunk_counts(kCutChunk)->unit_count, 1);
  for (const UnitSize size : {UnitSize::one, UnitSize::small, UnitSize::large}) {
    const SequenceSpan unit = RangeCut(index, {kCutChunk}, size).unit_at(1);
    EXPECT_EQ(unit.first, 0);
    EXPECT_EQ(unit.end, 3);
  }
}

TEST(RangeCut, HasEvenlySpacedAndOtherKeys) {
  struct Case {
    std::vector<SequenceKey> keys;
  };
  const Case cases[] = {
      {{{5, 0}, {6, 0}, {7, 0}, {8, 0}}},  // consecutive numbers
      {{{9, 0}, {6, 0}, {3, 0}, {0, 0}}},
      {{{~std::uint64_t{0}, 0}, {0, 0}, {1, 0}, {2, 0}}},  // modulo 2^64
      {{{5, 0}, {6, 0}, {8, 0}, {7, 0}}},
      {{{5, 1}, {6, 1}, {7, 1}, {8, 1}}},  // texts
      {{{5, 0}, {6, 0}, {7, 0}, {8, 3}}},
  };
  for (const auto& [keys] : cases) {
    MemoryIndex index;
    SequenceTable::Builder table;
    for (const SequenceKey& key : keys) {
      table.push_back({.key = key, .offset_bytes = table.size(), .sample_count = 1});
    }
    index.add({.size_bytes = 4, .decoded_size_bytes = 4}, table.finish());
    const RangeCut whole(index, {kCutChunk});
    const RangeCut part(index, {kCutChunk, 1, 2});
    for (std::int64_t i = 0; i < 4; ++i) {
      EXPECT_EQ(whole.key(i), keys[static_cast<std::size_t>(i)]);
      if (i == 0 || i == 3) continue;
      EXPECT_EQ(part.key(i), keys[static_cast<std::size_t>(i)]);
    }
  }
}

/// Returns the units of a range as [first, end). Checks that unit_at() finds the unit of every
/// sequence.
std::vector<std::pair<std::int64_t, std::int64_t>> units_of(const RangeCut& cut) {
  std::vector<std::pair<std::int64_t, std::int64_t>> units;
  for (std::int64_t i = cut.first(); i < cut.end(); i = units.back().second) {
    const SequenceSpan unit = cut.unit_at(i);
    EXPECT_EQ(unit.first, i);
    units.emplace_back(i, unit.end);
    for (std::int64_t k = i; k < unit.end; ++k) EXPECT_EQ(cut.unit_at(k), unit);
  }
  return units;
}

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

TEST(RangeCut, AWholeChunkHasTheUnitsOfTheChunk) {
  const auto units = [](const std::vector<std::int64_t>& sizes) {
    return units_of(RangeCut(index_of(sizes), {kCutChunk}));
  };
  EXPECT_EQ(units({1}), Pairs({{0, 1}}));
  EXPECT_EQ(units({0, 0, 0}), Pairs({{0, 3}}));
  EXPECT_EQ(units({1, 5 * kUnit, 1, 1}), Pairs({{0, 1}, {1, 2}, {2, 3}, {3, 4}}));
  EXPECT_EQ(units(std::vector<std::int64_t>(10, kUnit / 4)), Pairs({{0, 3}, {3, 6}, {6, 10}}));
}

TEST(RangeCut, APartOfAChunkClipsItsUnits) {
  const MemoryIndex index = index_of(std::vector<std::int64_t>(10, kUnit / 4));
  const auto units = [&](std::int64_t first, std::int64_t count) {
    return units_of(RangeCut(index, {kCutChunk, first, count}));
  };
  EXPECT_EQ(units(0, 3), Pairs({{0, 3}}));  // a whole unit of the chunk
  EXPECT_EQ(units(3, 3), Pairs({{3, 6}}));
  EXPECT_EQ(units(6, 4), Pairs({{6, 10}}));
  EXPECT_EQ(units(4, 1), Pairs({{4, 5}}));  // one sequence
  EXPECT_EQ(units(2, 2), Pairs({{2, 3}, {3, 4}}));
  EXPECT_EQ(units(1, 8), Pairs({{1, 3}, {3, 6}, {6, 9}}));
}

TEST(RangeCut, AgreesWithTheIndex) {
  const MemoryIndex index = index_of({3, 1, 4, 1, 5, 9, 2, 6});
  const RangeCut whole(index, {kCutChunk});
  const std::shared_ptr<const SequenceTable> table = index.sequences(kCutChunk);
  for (std::int64_t first = 0; first < 8; ++first) {
    for (std::int64_t count = 1; count <= 8 - first; ++count) {
      const RangeCut part(index, {kCutChunk, first, count});
      for (std::int64_t i = first; i < first + count; ++i) {
        EXPECT_EQ(part.key(i), table->key(i));
        EXPECT_EQ(part.sample_count(i), table->sample_count(i));
        for (std::int64_t size = 1; size <= first + count - i; ++size) {
          EXPECT_EQ(part.decoded_bytes(i, size), whole.decoded_bytes(i, size));
        }
      }
    }
  }
  EXPECT_EQ(whole.decoded_bytes(0, 8), 3 * 31);
  EXPECT_EQ(whole.decoded_bytes(4, 2), 3 * 14);
}

TEST(RangeCut, UnitsTogetherTakeTheMemoryOfTheChunk) {
  const bool holds = rc::check([] {
    const auto sizes = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(
        rc::gen::inRange<std::int64_t>(0, 2 * kUnit)));
    const MemoryIndex index = index_of(sizes);
    const RangeCut cut(index, {kCutChunk});
    std::int64_t decoded_bytes = 0;
    std::int64_t count = 0;
    for (const auto& [first, end] : units_of(cut)) {
      decoded_bytes += cut.decoded_bytes(first, end - first);
      ++count;
    }
    const std::int64_t expected = index.chunk(kCutChunk)->decoded_size_bytes;
    // Made-up data without bytes take no memory.
    RC_ASSERT(decoded_bytes >= expected);
    RC_ASSERT(decoded_bytes <= expected + count);
    RC_ASSERT(count == index.chunk_counts(kCutChunk)->unit_count);
  });
  EXPECT_TRUE(holds);
}

TEST(RangeCut, ReadingCountsTheLargerOfSourceAndDecodedBytes) {
  const auto bytes_of = [](std::int64_t size_bytes, std::int64_t decoded_bytes) {
    MemoryIndex index;
    SequenceTable::Builder table;
    table.push_back({.offset_bytes = 0, .sample_count = 1});
    table.push_back({.offset_bytes = size_bytes / 4, .sample_count = 1});
    index.add({.size_bytes = size_bytes, .decoded_size_bytes = decoded_bytes}, table.finish());
    const RangeCut cut(index, {kCutChunk});
    return std::vector<std::int64_t>{cut.bytes_to_read(0, 1), cut.bytes_to_read(1, 1)};
  };
  EXPECT_EQ(bytes_of(400, 40), (std::vector<std::int64_t>{100, 300}));
  EXPECT_EQ(bytes_of(400, 4000), (std::vector<std::int64_t>{1000, 3000}));
  EXPECT_EQ(bytes_of(0, 4000), (std::vector<std::int64_t>{2000, 2000})) << "made-up data";
}

// The sequence may be one row, which is in memory as a whole while it is read.
TEST(RangeCut, KnowsTheTextSizeOfALongSequence) {
  const auto index_with_lines = [](std::int64_t first_line) {
    MemoryIndex index;
    SequenceTable::Builder table;
    table.push_back({.offset_bytes = 0, .sample_count = 1});
    table.push_back({.offset_bytes = 100, .sample_count = 1});
    table.push_back({.offset_bytes = 100 + 9 * kUnit, .sample_count = 1});
    index.add({.size_bytes = 10 * kUnit, .first_line = first_line, .decoded_size_bytes = 1000},
              table.finish());
    return index;
  };
  const MemoryIndex text = index_with_lines(1);
  const RangeCut cut(text, {kCutChunk});
  EXPECT_EQ(cut.long_text_bytes(0, 1), 0);
  EXPECT_EQ(cut.long_text_bytes(2, 1), 0);
  EXPECT_EQ(cut.long_text_bytes(1, 1), 9 * kUnit * 3 / 2);
  EXPECT_EQ(RangeCut(text, {kCutChunk}, UnitSize::large).long_text_bytes(0, 3),
            0);  // usual for large units
  const MemoryIndex binary = index_with_lines(0);
  EXPECT_EQ(RangeCut(binary, {kCutChunk}).long_text_bytes(1, 1), 0);
}

TEST(RangeCut, APartKeepsNothingOfTheChunksTable) {
  const MemoryIndex index = index_of(std::vector<std::int64_t>(10'000, 100));
  const RangeCut whole(index, {kCutChunk});
  EXPECT_EQ(index.sequences(kCutChunk).use_count(), 3) << "the index's, the cut's, the caller's";
  const RangeCut part(index, {kCutChunk, 5000, 20});
  EXPECT_EQ(index.sequences(kCutChunk).use_count(), 3);
  EXPECT_EQ(whole.row_bytes(10'000), 0);
  EXPECT_GT(part.row_bytes(20), 300);
  EXPECT_LT(part.row_bytes(20), 2000);
  EXPECT_NEAR(static_cast<double>(part.row_bytes(20)), 4.0 * static_cast<double>(part.row_bytes(5)),
              4);
}

TEST(NamedRange, KnowsWhetherItIsAWholeChunk) {
  const MemoryIndex index = index_of({1, 1, 1, 1, 1});
  const ChunkInfo chunk = named_chunk(index, kCutChunk);
  const auto named = [&](std::int64_t first, std::int64_t count) {
    return named_range(chunk, {kCutChunk, first, count});
  };
  EXPECT_EQ(named(0, ChunkRange::kAll), ChunkRange{kCutChunk});
  EXPECT_EQ(named(0, 5), ChunkRange{kCutChunk});
  EXPECT_EQ(named(0, 6), ChunkRange{kCutChunk});
  EXPECT_EQ(named(0, 4), (ChunkRange{kCutChunk, 0, 4}));
  EXPECT_EQ(named(1, ChunkRange::kAll), (ChunkRange{kCutChunk, 1, 4}));
  EXPECT_EQ(named(4, 1), (ChunkRange{kCutChunk, 4, 1}));
  EXPECT_TRUE(is_whole(named(0, 5)));
  EXPECT_FALSE(is_whole(named(1, 4)));
}

TEST(NamedRange, RefusesRangesOutsideTheIndex) {
  const MemoryIndex index = index_of({1, 1, 1});
  EXPECT_THROW(static_cast<void>(named_chunk(index, ChunkIndex{1})), InternalError);
  const std::pair<std::int64_t, std::int64_t> cases[] = {{-1, 2}, {0, 0}, {1, -1}, {3, 1}};
  for (const auto& [first, count] : cases) {
    try {
      static_cast<void>(named_range(named_chunk(index, kCutChunk), {kCutChunk, first, count}));
      ADD_FAILURE() << first;
    } catch (const InternalError& error) {
      EXPECT_EQ(error.what(), "the sequencer names " + std::to_string(count) +
                                  " sequences from number " + std::to_string(first) +
                                  " of chunk 0, which has 3");
    }
  }
}

TEST(RangeCut, UnitsMayStartAtDecodedRanges) {
  const MemoryIndex index = index_of(std::vector<std::int64_t>(10, 5));
  const std::vector<std::int64_t> begins = {0, 4, 5, 9};
  const RangeCut whole(index, {kCutChunk}, &begins);
  EXPECT_TRUE(whole.is_decoded());
  EXPECT_EQ(units_of(whole), (Pairs{{0, 4}, {4, 5}, {5, 9}, {9, 10}}));
  EXPECT_EQ(units_of(RangeCut(index, {kCutChunk, 3, 4}, &begins)), (Pairs{{3, 4}, {4, 5}, {5, 7}}));
  EXPECT_FALSE(RangeCut(index, {kCutChunk}).is_decoded());
}

// Units of very different lengths lie far from the place that equal units would have.
TEST(RangeCut, FindsDecodedUnitsOfAnyLength) {
  const MemoryIndex index = index_of(std::vector<std::int64_t>(200, 5));
  const bool holds = rc::check([&] {
    const bool is_crowded = *rc::gen::arbitrary<bool>();  // most units at one end
    const auto more = *rc::gen::container<std::set<std::int64_t>>(
        rc::gen::inRange<std::int64_t>(1, is_crowded ? 20 : 200));
    const bool at_end = *rc::gen::arbitrary<bool>();
    std::set<std::int64_t> places = {0};
    for (const std::int64_t place : more) places.insert(at_end ? 200 - place : place);
    const std::vector<std::int64_t> begins(places.begin(), places.end());
    const RangeCut cut(index, {kCutChunk}, &begins);
    for (std::int64_t sequence = 0; sequence < 200; ++sequence) {
      const auto behind = places.upper_bound(sequence);
      const std::int64_t number = cut.unit_number(sequence);
      RC_ASSERT(number == std::distance(places.begin(), behind) - 1);
      RC_ASSERT(cut.unit(number) ==
                (SequenceSpan{*std::prev(behind), behind == places.end() ? 200 : *behind}));
    }
  });
  EXPECT_TRUE(holds);
}

TEST(RangeCut, KnowsTheSizesOfDecodedUnits) {
  const MemoryIndex index = index_of(std::vector<std::int64_t>(10, 5));
  const std::vector<std::int64_t> begins = {0, 4, 5, 9};
  const std::vector<std::int64_t> sizes = {1000, 200, 30, 4};
  const RangeCut whole(index, {kCutChunk}, &begins, &sizes);
  EXPECT_EQ(whole.held_bytes(0, 10), 1234);
  EXPECT_EQ(whole.held_bytes(4, 5), 230);
  EXPECT_EQ(whole.held_bytes(9, 1), 4);
  EXPECT_EQ(whole.held_bytes(3, 2), whole.decoded_bytes(3, 1) + 200) << "the end of a unit";
  EXPECT_EQ(whole.held_bytes(5, 3), whole.decoded_bytes(5, 3)) << "the beginning of one";
  const RangeCut part(index, {kCutChunk, 3, 3}, &begins, &sizes);
  EXPECT_EQ(part.held_bytes(3, 3), part.decoded_bytes(3, 1) + 200 + part.decoded_bytes(5, 1));
  const RangeCut unknown(index, {kCutChunk}, &begins);
  EXPECT_EQ(unknown.held_bytes(0, 10), unknown.decoded_bytes(0, 10));
}

}  // namespace
}  // namespace sheaf::internal
