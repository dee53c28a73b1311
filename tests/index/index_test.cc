#include "sheaf/extend/index.h"

#include <cstdint>
#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/allocated_memory.h"

namespace sheaf {
namespace {

SequenceTable table_of(std::initializer_list<SequenceInfo> sequences) {
  SequenceTable::Builder builder;
  for (const SequenceInfo& sequence : sequences) builder.push_back(sequence);
  return builder.finish();
}

TEST(SequenceTable, ReturnsItsSequences) {
  const SequenceTable table = table_of(
      {{.key = {.low = ~std::uint64_t{0}}, .offset_bytes = 0, .first_line = 0, .sample_count = 3},
       {.key = {.low = 5, .high = 9}, .offset_bytes = 40, .first_line = 4, .sample_count = 1}});
  ASSERT_EQ(table.size(), 2);
  EXPECT_EQ(table.key(0), (SequenceKey{.low = ~std::uint64_t{0}}));
  EXPECT_EQ(table.key(1), (SequenceKey{.low = 5, .high = 9}));
  EXPECT_EQ(table.offset_bytes(1), 40);
  EXPECT_EQ(table.first_line(1), 4);
  EXPECT_EQ(table.sample_count(0), 3);
  EXPECT_EQ(table.sample_counts()[1], 1);
  EXPECT_EQ(SequenceTable().size(), 0);
}

TEST(SequenceTable, ABuilderCanBeReused) {
  SequenceTable::Builder builder;
  builder.push_back({.key = {.low = 1, .high = 1}});
  EXPECT_EQ(builder.finish().size(), 1);
  EXPECT_EQ(builder.size(), 0);
  builder.push_back({.key = {.low = 2}});
  EXPECT_EQ(builder.finish().key(0), SequenceKey{.low = 2});
}

TEST(SequenceTable, RowsOfEqualLengthTakeNoMemory) {
  SequenceTable::Builder builder;
  for (std::int64_t i = 0; i < 100'000; ++i) {
    builder.push_back({.key = {.low = static_cast<std::uint64_t>(i)},
                       .offset_bytes = 20 * i,
                       .first_line = i,
                       .sample_count = 1});
  }
  EXPECT_LE(builder.finish().size_bytes(), 100);
}

TEST(SequenceTable, IsRebuiltFromItsColumns) {
  const SequenceTable table =
      table_of({{.key = {.low = 5, .high = 9}, .offset_bytes = 0, .sample_count = 3},
                {.key = {.low = 2, .high = 1}, .offset_bytes = 9, .first_line = 4}});
  const SequenceTable copy(table.columns());
  ASSERT_EQ(copy.size(), 2);
  EXPECT_EQ(copy.key(1), (SequenceKey{.low = 2, .high = 1}));
  EXPECT_EQ(copy.offset_bytes(1), 9);
  EXPECT_EQ(copy.first_line(1), 4);
  EXPECT_EQ(copy.sample_count(0), 3);
}

TEST(MemoryIndex, CountsFromTheTables) {
  MemoryIndex index;
  index.add({.size_bytes = 10}, table_of({{.sample_count = 2}, {.sample_count = 5}}));
  index.add({.size_bytes = 20}, table_of({{.sample_count = 1}}));

  EXPECT_EQ(index.chunk_counts(ChunkIndex{0}),
            (ChunkCounts{.sequence_count = 2, .sample_count = 7}));
  EXPECT_EQ(index.chunk(ChunkIndex{1})->size_bytes, 20);
  EXPECT_EQ(index.chunk(ChunkIndex{2}), std::nullopt);
  EXPECT_EQ(index.chunk_counts(ChunkIndex{2}), std::nullopt);
  EXPECT_EQ(index.sample_counts(ChunkIndex{0})[1], 5);
  EXPECT_EQ(index.sample_counts(ChunkIndex{1}).constant(), 1);
  EXPECT_GT(index.memory_bytes(), 0);
  EXPECT_THROW(index.add({}, SequenceTable()), InternalError);
}

TEST(MemoryIndex, GivesTheUnitCountOfAChunk) {
  MemoryIndex index;
  constexpr std::int64_t kMegabyte = std::int64_t{1} << 20;
  const auto table = [] { return table_of({{}, {}, {}, {}, {}}); };
  index.add({.size_bytes = 0}, table());
  index.add({.size_bytes = 3 * kMegabyte}, table());
  index.add({.size_bytes = 100 * kMegabyte}, table());
  EXPECT_EQ(index.chunk_counts(ChunkIndex{0})->unit_count, 1);
  EXPECT_EQ(index.chunk_counts(ChunkIndex{1})->unit_count, 3);
  EXPECT_EQ(index.chunk_counts(ChunkIndex{2})->unit_count, 5);
}

/// Chunks that take other numbers of bytes in the file than their sizes say.
class PackedChunks final : public Index {
 public:
  explicit PackedChunks(const MemoryIndex& whole) : whole_(whole) {}

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override {
    return whole_.chunk(chunk);
  }
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override {
    return whole_.sequences(chunk);
  }
  [[nodiscard]] std::int64_t stored_size_bytes(ChunkIndex chunk) const override {
    return 10 + static_cast<std::int64_t>(chunk);
  }
  [[nodiscard]] std::int64_t memory_bytes() const override { return 0; }

 private:
  const MemoryIndex& whole_;
};

TEST(StoredBytes, AreOffsetsWithGapsUnlessChunksArePacked) {
  MemoryIndex index;
  index.add({.offset_bytes = 7, .size_bytes = 100}, table_of({{}}));
  index.add({.offset_bytes = 110, .size_bytes = 40}, table_of({{}}));
  index.add({.offset_bytes = 150, .size_bytes = 0}, table_of({{}}));
  const PackedChunks packed(index);
  const auto bytes_at = [](StoredBytes& bytes, const Index& of, std::int64_t chunk,
                           std::int64_t offset) {
    bytes.begin(ChunkIndex{chunk}, *of.chunk(ChunkIndex{chunk}));
    return bytes.up_to(offset);
  };
  for (const bool is_part : {false, true}) {
    const std::int64_t begin = is_part ? 0 : 7;
    StoredBytes plain(index, is_part);
    StoredBytes fewer(packed, is_part);
    for (int pass = 0; pass < 2; ++pass) {
      EXPECT_EQ(bytes_at(plain, index, 0, 50), begin + 50);
      EXPECT_EQ(bytes_at(plain, index, 1, 40), begin + 143);
      EXPECT_EQ(bytes_at(plain, index, 2, 0), begin + 143);
      EXPECT_EQ(bytes_at(fewer, packed, 0, 50), begin + 5);
      EXPECT_EQ(bytes_at(fewer, packed, 1, 40), begin + 10 + 3 + 11);
      EXPECT_EQ(bytes_at(fewer, packed, 2, 0), begin + 10 + 3 + 11 + 12);
    }
  }
}

TEST(SequenceTable, HasCostsIfAnySequenceHasOne) {
  const SequenceTable table = table_of({{.cost = 7}, {.cost = 0}});
  ASSERT_TRUE(table.costs());
  EXPECT_EQ((*table.costs())[0], 7);
  EXPECT_EQ((*table.costs())[1], 0);
  EXPECT_FALSE(table_of({{}, {}}).costs());
  EXPECT_EQ(table_of({{}, {}}).columns().rare, nullptr);
  EXPECT_GT(table.size_bytes(), table_of({{}, {}}).size_bytes());
  EXPECT_THROW(static_cast<void>(table_of({{.cost = 7}, {}})), InternalError);
}

TEST(MemoryIndex, GivesTheCostsOfItsTables) {
  MemoryIndex index({.name = "pixels"});
  index.add({.size_bytes = 100}, table_of({{.cost = 7}, {.offset_bytes = 60, .cost = 5}}));
  index.add({.size_bytes = 100}, table_of({{}, {.offset_bytes = 60}}));
  EXPECT_EQ(index.cost_measure().name, "pixels");
  EXPECT_EQ((*index.costs(ChunkIndex{0}))[1], 5);
  EXPECT_EQ(index.chunk_cost(ChunkIndex{0}), 12);
  // A table without a cost column counts the bytes of each sequence.
  EXPECT_EQ((*index.costs(ChunkIndex{1}))[0], 60);
  EXPECT_EQ((*index.costs(ChunkIndex{1}))[1], 40);
  EXPECT_EQ(index.chunk_cost(ChunkIndex{1}), 100);
}

TEST(MemoryIndex, HasNoCostsByDefault) {
  MemoryIndex index;
  index.add({.size_bytes = 100}, table_of({{.cost = 7}}));
  EXPECT_EQ(index.cost_measure(), CostMeasure{});
  EXPECT_FALSE(index.costs(ChunkIndex{0}));
  EXPECT_EQ(index.chunk_cost(ChunkIndex{0}), 0);
}

TEST(MemoryIndex, ReportsItsMemory) {
  const std::int64_t before = testing::allocated_memory();
  if (before == 0) GTEST_SKIP() << "the allocator does not count";
  MemoryIndex index;
  for (std::int64_t i = 0; i < 5000; ++i) {
    index.add({.offset_bytes = i * 37, .size_bytes = 37},
              table_of({{.key = {.low = static_cast<std::uint64_t>(i)}, .sample_count = i % 7}}));
  }
  testing::expect_about(index.memory_bytes(), testing::allocated_memory() - before);
}

TEST(Index, TheFirstKeyDeterminesTheKeyType) {
  MemoryIndex numbers;
  EXPECT_FALSE(has_text_keys(numbers)) << "no sequence";
  numbers.add({.size_bytes = 1}, table_of({{.key = {.low = ~std::uint64_t{0}}}}));
  EXPECT_FALSE(has_text_keys(numbers));
  MemoryIndex texts;
  texts.add({.size_bytes = 1}, table_of({{.key = key_of_text("")}}));
  EXPECT_TRUE(has_text_keys(texts));
}

}  // namespace
}  // namespace sheaf
