#include "format/sheaf/container_layout.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "index/table_codec.h"

namespace sheaf::container {
namespace {

std::span<const std::byte> as_span(std::string_view bytes) {
  return std::as_bytes(std::span(bytes));
}

TEST(ContainerLayout, PaddingReachesTheNextMultipleOf64) {
  const std::vector<std::int64_t> sizes = {0, 1, 63, 64, 65, 128};
  std::vector<std::int64_t> paddings;
  paddings.reserve(sizes.size());
  for (const std::int64_t size : sizes) paddings.push_back(padding_of(size));
  EXPECT_EQ(paddings, (std::vector<std::int64_t>{0, 63, 1, 0, 63, 0}));
}

TEST(ContainerLayout, TheHashOfWordsEqualsThatOfTheirBytes) {
  const std::vector<std::uint64_t> words = {1, 2, 3};
  EXPECT_EQ(hash_of(words), hash_of(std::as_bytes(std::span(words))));
  EXPECT_EQ(hash_of(as_span("")), 0x2D06800538D394C2U) << "XXH3 of nothing, with seed 0";
}

TEST(ContainerLayout, EachHeaderByteHasOneValue) {
  const std::string head = file_head(kVersion);
  ASSERT_EQ(head.size(), std::size_t{kHeadSize});
  EXPECT_EQ(version_of(as_span(head)), kVersion);
  for (std::size_t i = 0; i < head.size(); ++i) {
    std::string other = head;
    other[i] ^= '\x10';
    const bool is_sound = has_head_mark(as_span(other)) && version_of(as_span(other)) == kVersion &&
                          has_head_zeros(as_span(other));
    EXPECT_FALSE(is_sound) << i;
  }
  EXPECT_TRUE(has_head_mark(as_span(head)));
  EXPECT_TRUE(has_head_zeros(as_span(head)));
  EXPECT_TRUE(has_head_mark(as_span(head).first(8)));
  EXPECT_FALSE(has_head_mark(as_span(head).first(7)));
  EXPECT_FALSE(has_head_mark({}));
}

TEST(ContainerLayout, AFooterRoundTripsUnlessAByteIsWrong) {
  const std::string bytes = to_bytes(Foot{1, 2, 3});
  ASSERT_EQ(bytes.size(), std::size_t{kFootSize});
  EXPECT_TRUE(has_foot_mark(as_span(bytes)));
  const std::optional<Foot> foot = foot_of(as_span(bytes));
  ASSERT_TRUE(foot);
  EXPECT_EQ(foot->directory_offset, 1U);
  EXPECT_EQ(foot->directory_size, 2U);
  EXPECT_EQ(foot->directory_hash, 3U);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string other = bytes;
    other[i] ^= '\x10';
    EXPECT_FALSE(has_foot_mark(as_span(other)) && foot_of(as_span(other))) << i;
  }
}

// Returns the table of a chunk with three sequences, two blocks and two columns.
ChunkTable some_table() {
  ChunkTable table{.block_count = 2, .columns = {{64, 1, 2}, {128, 3, 4}, {64, 5, 6}, {0, 7, 8}}};
  SequenceTable::Builder sequences;
  for (std::int64_t i = 0; i < 3; ++i) {
    sequences.push_back({.key = {.low = static_cast<std::uint64_t>(i * i)},
                         .offset_bytes = 100 * i,
                         .sample_count = i + 1});
  }
  table.sequences = sequences.finish();
  return table;
}

ChunkEntry entry_of(const TableBytes& table) {
  return {.sequence_count = 3,
          .block_count = 2,
          .contents = {100, 200},
          .samples = {1, 2},
          .content_hash = table.content_hash};
}

TEST(ContainerTable, ATableRoundTrips) {
  const ChunkTable table = some_table();
  const TableBytes bytes = to_bytes(table);
  EXPECT_EQ(bytes.bytes.size() % std::size_t{kAlignment}, 0U);
  const std::optional<ChunkTable> back = table_of(as_span(bytes.bytes), entry_of(bytes), false);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->block_count, 2);
  ASSERT_EQ(back->columns.size(), 4U);
  EXPECT_EQ(back->columns[1].size, 128U);
  EXPECT_EQ(back->columns[1].hash, 3U);
  EXPECT_EQ(back->columns[1].content_hash, 4U);
  ASSERT_EQ(back->sequences.size(), 3);
  EXPECT_EQ(back->sequences.key(2).low, 4U);
  EXPECT_EQ(back->sequences.offset_bytes(2), 200);
  EXPECT_EQ(back->sequences.sample_count(2), 3);
  EXPECT_GE(back->memory_bytes(), std::int64_t{4 * sizeof(StoredColumn)});
}

ChunkTable table_with_costs(std::int64_t last) {
  ChunkTable table = some_table();
  SequenceTable::Builder sequences;
  for (const std::int64_t cost : {std::int64_t{0}, std::int64_t{7}, last}) {
    sequences.push_back({.offset_bytes = 100 * sequences.size(), .sample_count = 2, .cost = cost});
  }
  table.sequences = sequences.finish();
  return table;
}

TEST(ContainerTable, CostsRoundTripInFilesWithCosts) {
  const TableBytes bytes = to_bytes(table_with_costs(std::int64_t{1} << 62));
  const std::optional<ChunkTable> back = table_of(as_span(bytes.bytes), entry_of(bytes), true);
  ASSERT_TRUE(back);
  const std::optional<SampleCounts> costs = back->sequences.costs();
  ASSERT_TRUE(costs);
  EXPECT_EQ((*costs)[1], 7);
  EXPECT_EQ((*costs)[2], std::int64_t{1} << 62);
  EXPECT_NE(bytes.content_hash, to_bytes(table_with_costs(8)).content_hash);
  EXPECT_FALSE(table_of(as_span(bytes.bytes), entry_of(bytes), false)) << "a file without costs";
}

TEST(ContainerTable, CostsAreNotNegativeAndNotMissing) {
  const TableBytes negative = to_bytes(table_with_costs(-1));
  EXPECT_FALSE(table_of(as_span(negative.bytes), entry_of(negative), true));
  const TableBytes missing = to_bytes(some_table());
  EXPECT_FALSE(table_of(as_span(missing.bytes), entry_of(missing), true));
}

TEST(ContainerTable, ATableHasNoSources) {
  ChunkTable table = some_table();
  SequenceTable::Builder sequences;
  for (std::int64_t i = 0; i < 3; ++i) {
    sequences.push_back({.offset_bytes = i, .sample_count = 2, .cost = i, .location{{}}});
  }
  table.sequences = sequences.finish();
  const TableBytes bytes = to_bytes(table);
  EXPECT_FALSE(table_of(as_span(bytes.bytes), entry_of(bytes), true));
}

// Returns the bytes of a table without its padding.
std::string unpadded(const ChunkTable& table) {
  std::string sequences;
  internal::append_table(table.sequences, sequences);
  const std::size_t front = 16 + 24 * table.columns.size();
  return to_bytes(table).bytes.substr(0, front + sequences.size());
}

TEST(ContainerTable, TruncatedBytesAreRefused) {
  const std::string bytes = unpadded(some_table());
  const ChunkEntry entry = entry_of(to_bytes(some_table()));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_FALSE(table_of(as_span(bytes).first(size), entry, false)) << size;
  }
  EXPECT_TRUE(table_of(as_span(bytes), entry, false));
}

TEST(ContainerTable, PaddingMustBeZerosAndShort) {
  const std::string bytes = unpadded(some_table());
  const ChunkEntry entry = entry_of(to_bytes(some_table()));
  EXPECT_TRUE(table_of(as_span(bytes + std::string(63, '\0')), entry, false));
  EXPECT_FALSE(table_of(as_span(bytes + std::string(64, '\0')), entry, false));
  EXPECT_FALSE(table_of(as_span(bytes + '\1'), entry, false));
  EXPECT_FALSE(table_of(as_span(bytes + std::string(62, '\0') + '\1'), entry, false));
}

TEST(ContainerTable, ATableMustMatchItsChunk) {
  const TableBytes bytes = to_bytes(some_table());
  const auto is_table = [&](const std::function<void(ChunkEntry&)>& change) {
    ChunkEntry entry = entry_of(bytes);
    change(entry);
    return table_of(as_span(bytes.bytes), entry, false).has_value();
  };
  EXPECT_TRUE(is_table([](ChunkEntry&) {}));
  EXPECT_FALSE(is_table([](ChunkEntry& entry) { entry.sequence_count = 2; }));
  EXPECT_FALSE(is_table([](ChunkEntry& entry) { entry.sequence_count = 4; }));
  EXPECT_FALSE(is_table([](ChunkEntry& entry) { entry.block_count = 1; }));
  EXPECT_FALSE(is_table([](ChunkEntry& entry) { entry.block_count = 3; }));
  EXPECT_FALSE(is_table([](ChunkEntry& entry) { entry.contents.push_back(1); }));
  EXPECT_FALSE(is_table([](ChunkEntry& entry) { entry.contents.pop_back(); }));
  EXPECT_FALSE(is_table([](ChunkEntry& entry) { entry.content_hash ^= 1; }));
}

TEST(ContainerTable, ColumnsAreWholeCacheLines) {
  for (const std::uint64_t size : {63U, 65U, 96U}) {
    ChunkTable table = some_table();
    table.columns[2].size = size;
    const TableBytes bytes = to_bytes(table);
    EXPECT_FALSE(table_of(as_span(bytes.bytes), entry_of(bytes), false)) << size;
  }
}

TEST(ContainerTable, SequencesHaveNoCosts) {
  ChunkTable table = some_table();
  SequenceTable::Builder sequences;
  for (int i = 0; i < 3; ++i) sequences.push_back({.sample_count = 1, .cost = 5});
  table.sequences = sequences.finish();
  const TableBytes bytes = to_bytes(table);
  EXPECT_FALSE(table_of(as_span(bytes.bytes), entry_of(bytes), false));
}

TEST(ContainerTable, TheHashOfTheContentDoesNotDependOnCodecs) {
  const std::uint64_t expected = to_bytes(some_table()).content_hash;
  const auto hash_with = [](const std::function<void(ChunkTable&)>& change) {
    ChunkTable table = some_table();
    change(table);
    return to_bytes(table).content_hash;
  };
  EXPECT_EQ(hash_with([](ChunkTable& table) { table.columns[0].hash = 99; }), expected);
  EXPECT_EQ(hash_with([](ChunkTable& table) { table.columns[0].size = 640; }), expected);
  EXPECT_NE(hash_with([](ChunkTable& table) { table.columns[0].content_hash = 99; }), expected);
  EXPECT_NE(hash_with([](ChunkTable& table) { table.block_count = 1; }), expected);
  EXPECT_NE(hash_with([](ChunkTable& table) { table.sequences = {}; }), expected);
}

constexpr std::int64_t kLargestContent = std::numeric_limits<std::int64_t>::max();

ContainerNote some_note() { return {.streams = {{.name = "a"}, {.name = "b"}}}; }

std::vector<ChunkEntry> some_entries() {
  std::vector<ChunkEntry> entries;
  for (std::int64_t i = 1; i <= 3; ++i) {
    entries.push_back({.blocks_size = 64 * i,
                       .table_size = 128,
                       .sequence_count = i,
                       .block_count = 1,
                       .sample_count = 10 * i,
                       .contents = {8 * i, 100 * i},
                       .samples = {i, 2 * i},
                       .table_hash = static_cast<std::uint64_t>(i),
                       .content_hash = static_cast<std::uint64_t>(-i)});
  }
  return entries;
}

constexpr std::int64_t kSomeEnd = 64 + 64 * (1 + 2 + 3) + 3 * 128;

TEST(ContainerDirectory, ADirectoryRoundTrips) {
  const std::vector<ChunkEntry> entries = some_entries();
  const auto directory = Directory::parse(as_span(directory_bytes(some_note(), entries)), kSomeEnd);
  ASSERT_TRUE(directory);
  EXPECT_EQ(directory->note().streams, some_note().streams);
  EXPECT_EQ(directory->column_count(), 2);
  ASSERT_EQ(directory->chunk_count(), 3);
  EXPECT_GT(directory->memory_bytes(), 3 * 16);
  std::int64_t offset = 64;
  std::int64_t content = 0;
  for (std::int64_t i = 0; i < 3; ++i) {
    const ChunkEntry& entry = entries[static_cast<std::size_t>(i)];
    const ChunkEntry found = directory->chunk(i);
    EXPECT_EQ(found.blocks_size, entry.blocks_size);
    EXPECT_EQ(found.table_size, entry.table_size);
    EXPECT_EQ(found.sequence_count, entry.sequence_count);
    EXPECT_EQ(found.block_count, entry.block_count);
    EXPECT_EQ(found.sample_count, entry.sample_count);
    EXPECT_EQ(found.contents, entry.contents);
    EXPECT_EQ(found.samples, entry.samples);
    EXPECT_EQ(found.table_hash, entry.table_hash);
    EXPECT_EQ(found.content_hash, entry.content_hash);
    EXPECT_EQ(directory->offset(i), offset);
    EXPECT_EQ(directory->content_before(i), content);
    EXPECT_EQ(directory->content(i), entry.contents[0] + entry.contents[1]);
    offset += entry.blocks_size + entry.table_size;
    content += directory->content(i);
  }
}

TEST(ContainerDirectory, AnEmptyDirectoryIsValid) {
  const std::string bytes = directory_bytes(some_note(), {});
  const auto directory = Directory::parse(as_span(bytes), 64);
  ASSERT_TRUE(directory);
  EXPECT_EQ(directory->chunk_count(), 0);
  EXPECT_FALSE(Directory::parse(as_span(bytes), 128));
}

TEST(ContainerDirectory, TruncatedBytesAreRefused) {
  const std::string bytes = directory_bytes(some_note(), some_entries());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_FALSE(Directory::parse(as_span(bytes).first(size), kSomeEnd)) << size;
  }
  EXPECT_FALSE(Directory::parse(as_span(bytes + std::string(1, '\0')), kSomeEnd));
  EXPECT_FALSE(Directory::parse(as_span(bytes + std::string(8, '\0')), kSomeEnd));
}

TEST(ContainerDirectory, ImpossibleChunkNumbersAreRefused) {
  struct Case {
    const char* what;
    std::function<void(std::vector<ChunkEntry>&)> change;
    bool is_possible = false;
  };
  const Case cases[] = {
      {"no change", [](auto&) {}, true},
      {"other sizes of the same sum",
       [](auto& chunks) { chunks[0].table_size += 64, chunks[1].table_size -= 64; }, true},
      {"the chunks are too long", [](auto& chunks) { chunks[2].table_size += 64; }},
      {"the chunks are too short", [](auto& chunks) { chunks[2].table_size -= 64; }},
      {"blocks that end between cache lines",
       [](auto& chunks) { chunks[0].blocks_size += 1, chunks[0].table_size -= 1; }},
      {"a negative size",
       [](auto& chunks) { chunks[0].blocks_size = -64, chunks[0].table_size = 256; }},
      {"a size that is too large",
       [](auto& chunks) { chunks[0].blocks_size = kLargestContent - 63; }},
      {"no sequences",
       [](auto& chunks) { chunks[1].sequence_count = 0, chunks[1].block_count = 0; }},
      {"no blocks", [](auto& chunks) { chunks[1].block_count = 0; }},
      {"a block each", [](auto& chunks) { chunks[1].block_count = 2; }, true},
      {"more blocks than sequences", [](auto& chunks) { chunks[1].block_count = 3; }},
      {"no samples", [](auto& chunks) { chunks[1].sample_count = 0; }, true},
      {"negative samples", [](auto& chunks) { chunks[1].sample_count = -1; }},
      {"negative samples of a column", [](auto& chunks) { chunks[1].samples[0] = -1; }},
      {"the least content", [](auto& chunks) { chunks[1].contents[1] = 16; }, true},
      {"less content than lengths take", [](auto& chunks) { chunks[1].contents[1] = 15; }},
      {"negative content", [](auto& chunks) { chunks[1].contents[1] = -1; }},
      {"as much content as a number holds",
       [](auto& chunks) { chunks[2].contents[1] = kLargestContent - 8 - 108 - 216 - 24 + 7; },
       true},
      {"more content than a number holds",
       [](auto& chunks) { chunks[2].contents[1] = kLargestContent - 300; }},
  };
  for (const Case& each : cases) {
    std::vector<ChunkEntry> entries = some_entries();
    each.change(entries);
    const std::string bytes = directory_bytes(some_note(), entries);
    EXPECT_EQ(Directory::parse(as_span(bytes), kSomeEnd).has_value(), each.is_possible)
        << each.what;
  }
}

TEST(ContainerDirectory, CountsFromAFileAllocateNothing) {
  std::string bytes = directory_bytes(some_note(), {});
  bytes.replace(bytes.size() - 8, 8, 8, '\x7F');  // the number of chunks
  EXPECT_FALSE(Directory::parse(as_span(bytes), 64));
  bytes.replace(0, 8, 8, '\x7F');  // the size of the note
  EXPECT_FALSE(Directory::parse(as_span(bytes), 64));
}

}  // namespace
}  // namespace sheaf::container
