#include "index/known_chunks.h"

#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "index/made_up_tables.h"
#include "support/allocated_memory.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kChunksOfBlock = ChunkInfos::kBlockSize;

ChunkInfo info_of(std::int64_t number) {
  return {.offset_bytes = 100 * number,
          .size_bytes = 90 + number % 7,
          .first_line = 3 * number + 1,
          .sequence_count = 1 + number % 5,
          .sample_count = number % 11,
          .decoded_size_bytes = 400 + number % 13};
}

ChunkNotes notes_of(std::int64_t number) {
  ChunkNotes notes{
      .streams = {{number % 4, 0}, {2, number % 9}}, .unit_hashes = {}, .repeated = {}};
  if (number % 3 == 0) notes.unit_hashes = {~std::uint64_t{0}, static_cast<std::uint64_t>(number)};
  if (number % 8 == 0) notes.repeated = {0, 2, 300};
  return notes;
}

ChunkNotes notes_with(std::int64_t sample_count) {
  return {.streams = {{sample_count, 1}}, .unit_hashes = {}, .repeated = {}};
}

/// Returns a table with as many sequences as the chunk has.
SequenceTable table_of_chunk(std::int64_t number) {
  const std::int64_t count = info_of(number).sequence_count;
  return make_chunk({.has_text_keys = count < 3}, count, static_cast<std::uint64_t>(number)).table;
}

void add(KnownChunks& chunks, std::int64_t number) {
  EXPECT_TRUE(chunks.add(info_of(number), notes_of(number), table_of_chunk(number)));
}

void expect_chunk(const KnownChunks& chunks, std::int64_t at, std::int64_t number) {
  ASSERT_EQ(chunks.info(at), info_of(number));
  const ChunkNotes notes = chunks.notes(at);
  ASSERT_EQ(notes.streams, notes_of(number).streams);
  ASSERT_EQ(notes.unit_hashes, notes_of(number).unit_hashes);
  ASSERT_EQ(notes.repeated, notes_of(number).repeated);
  ASSERT_EQ(sequences_of(*chunks.table(at)), sequences_of(table_of_chunk(number)));
}

TEST(KnownChunks, AreKeptAroundTheSizeOfABlock) {
  for (const std::int64_t count : {kChunksOfBlock - 1, kChunksOfBlock, kChunksOfBlock + 1}) {
    KnownChunks chunks;
    for (std::int64_t i = 0; i < count; ++i) add(chunks, i);
    ASSERT_EQ(chunks.size(), count);
    std::int64_t before = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      SCOPED_TRACE(i);
      expect_chunk(chunks, i, i);
      ASSERT_EQ(chunks.sequences_before(i), before);
      before += info_of(i).sequence_count;
    }
  }
}

TEST(KnownChunks, LargeTablesAreNotKept) {
  constexpr std::int64_t kManyBytes = 16;  // for each random key
  KnownChunks chunks;
  bool was_kept = true;
  for (std::int64_t count = 1; count <= KnownChunks::kTableBytesMax / kManyBytes + 1; ++count) {
    const SequenceTable table = make_chunk({.has_text_keys = true}, count, 7).table;
    const bool is_kept = chunks.add({.sequence_count = count}, notes_with(count), table);
    EXPECT_LE(is_kept, was_kept) << "the longer ones are larger";
    const auto kept = chunks.table(chunks.size() - 1);
    EXPECT_EQ(kept != nullptr, is_kept);
    if (kept) {
      EXPECT_EQ(sequences_of(*kept), sequences_of(table));
    }
    EXPECT_EQ(chunks.notes(chunks.size() - 1).streams.at(0).sample_count, count);
    was_kept = is_kept;
  }
  EXPECT_FALSE(was_kept);
  EXPECT_TRUE(chunks.table(0));
  EXPECT_TRUE(chunks.add({.sequence_count = 5000}, {},
                         SequenceTable({.keys_low = PackedInts({0, 1}, 5000),
                                        .keys_high = {},
                                        .offsets_bytes = PackedInts({0, 20}, 5000),
                                        .first_lines = PackedInts({0, 1}, 5000),
                                        .sample_counts = std::make_shared<const PackedInts>(
                                            PackedInts::Line{1, 0}, 5000)})))
      << "even tables are small at any length";
}

TEST(KnownChunks, RepeatedKeysMayBeAddedLater) {
  KnownChunks chunks;
  for (std::int64_t i = 0; i < 100; ++i) {
    ChunkNotes notes = notes_of(i);
    notes.repeated.clear();
    chunks.add(info_of(i), notes, table_of_chunk(i));
  }
  for (std::int64_t i = 40; i < 90; ++i) chunks.set_repeated(i, notes_of(i).repeated);
  for (std::int64_t i = 0; i < 100; ++i) {
    const bool is_known = i >= 40 && i < 90;
    EXPECT_EQ(chunks.notes(i).repeated,
              is_known ? notes_of(i).repeated : std::vector<std::int64_t>());
    EXPECT_EQ(chunks.notes(i).streams, notes_of(i).streams);
  }
  chunks.truncate(40);
  for (std::int64_t i = 40; i < 100; ++i) add(chunks, i);
  for (std::int64_t i = 40; i < 100; ++i) expect_chunk(chunks, i, i);
  chunks.truncate(60);
  for (std::int64_t i = 60; i < 70; ++i) chunks.set_repeated(i - 10, {i});
  EXPECT_EQ(chunks.notes(50).repeated, std::vector<std::int64_t>{60});
}

TEST(KnownChunks, TheLastOnesCanBeRemoved) {
  for (const std::int64_t count :
       {std::int64_t{10}, kChunksOfBlock - 1, kChunksOfBlock, kChunksOfBlock + 1}) {
    KnownChunks chunks;
    for (std::int64_t i = 0; i < kChunksOfBlock + 40; ++i) add(chunks, i);
    chunks.truncate(count);
    ASSERT_EQ(chunks.size(), count);
    for (std::int64_t i = 0; i < 30; ++i) add(chunks, i);
    for (std::int64_t i = 0; i < count; ++i) expect_chunk(chunks, i, i);
    for (std::int64_t i = 0; i < 30; ++i) expect_chunk(chunks, count + i, i);
  }
}

TEST(KnownChunks, ReportTheirMemory) {
  const SequenceTable table = make_chunk({}, 1, 7).table;
  const std::int64_t before = testing::allocated_memory();
  if (before == 0) GTEST_SKIP() << "the allocator does not count";
  constexpr std::int64_t kCount = 20'000;
  KnownChunks chunks;
  const ChunkNotes notes = notes_with(1);
  for (std::int64_t i = 0; i < kCount; ++i) chunks.add(info_of(i), notes, table);
  const std::int64_t taken = testing::allocated_memory() - before;
  testing::expect_about(chunks.memory_bytes(), taken);
  EXPECT_LT(taken, 60 * kCount);
}

}  // namespace
}  // namespace sheaf::internal
