#include "format/text/file_checks.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/text/line_scanner.h"
#include "support/test_folder.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kDecodedMax = std::int64_t{1} << 60;  // of all chunks together

PackedInts list(std::initializer_list<std::int64_t> numbers) {
  PackedInts::Builder builder;
  for (const std::int64_t number : numbers) builder.push_back(number);
  return builder.finish();
}

/// Two chunks of a text of 3 + 20 bytes. The first line is a comment.
constexpr ScanPart kRows = {.begin = 0, .end = 23};
std::vector<ChunkInfo> good_chunks() {
  return {{.offset_bytes = 3,
           .size_bytes = 12,
           .first_line = 2,
           .sequence_count = 3,
           .sample_count = 4,
           .decoded_size_bytes = 100},
          {.offset_bytes = 15,
           .size_bytes = 8,
           .first_line = 6,
           .sequence_count = 1,
           .sample_count = 0,
           .decoded_size_bytes = kDecodedMax - 100}};
}

SequenceTable packed_table_of(PackedInts offsets, PackedInts lines, PackedInts samples) {
  return SequenceTable({.keys_low = samples,
                        .keys_high = {},
                        .offsets_bytes = std::move(offsets),
                        .first_lines = std::move(lines),
                        .sample_counts = std::make_shared<const PackedInts>(std::move(samples))});
}

/// Returns the error in the chunks of an index file.
std::string fault_of(const std::vector<ChunkInfo>& chunks, bool may_drop = false) {
  const TestFolder folder;
  IndexFileWriter writer(system_files(), folder.path("i"), {});
  for (const ChunkInfo& info : chunks) {
    const PackedInts zeros({}, info.sequence_count);
    writer.add(
        {.info = info,
         .sequences = std::make_shared<const SequenceTable>(packed_table_of(zeros, zeros, zeros)),
         .extra = {}});
  }
  writer.finish("");
  std::string why;
  const auto file = IndexFile::open(system_files(), folder.path("i"), why);
  EXPECT_NE(file, nullptr) << why;
  return fault_of_chunks(*file, kRows, may_drop);
}

/// Returns the error after one number of one chunk has changed.
std::string fault_with(std::size_t chunk, std::int64_t ChunkInfo::*member, std::int64_t number) {
  std::vector<ChunkInfo> chunks = good_chunks();
  chunks[chunk].*member = number;
  return fault_of(chunks);
}

TEST(FileChecks, ValidChunksHaveNoError) {
  EXPECT_EQ(fault_of(good_chunks()), "");
  EXPECT_EQ(fault_of({}), "");
}

TEST(FileChecks, ChunksMustBeConsecutive) {
  for (const std::int64_t offset : {2, 16, 23, 24}) {
    EXPECT_EQ(fault_with(1, &ChunkInfo::offset_bytes, offset), "chunk 1 cannot lie there")
        << offset;
  }
  EXPECT_EQ(fault_with(1, &ChunkInfo::offset_bytes, kInt64Max), "chunk 1 cannot lie there");
  EXPECT_EQ(fault_with(1, &ChunkInfo::size_bytes, kInt64Max), "chunk 1 cannot lie there");
  EXPECT_EQ(fault_with(0, &ChunkInfo::size_bytes, 0), "chunk 0 cannot lie there");
  EXPECT_EQ(fault_with(1, &ChunkInfo::size_bytes, 7), "there are data behind its chunks");
}

TEST(FileChecks, GapsAreAllowedAfterDroppedSequences) {
  std::vector<ChunkInfo> chunks = good_chunks();
  chunks[1].offset_bytes = 17;
  chunks[1].size_bytes = 5;
  EXPECT_EQ(fault_of(chunks, true), "");
  EXPECT_EQ(fault_of(chunks, false), "chunk 1 cannot lie there");
  chunks[1].offset_bytes = 14;
  EXPECT_EQ(fault_of(chunks, true), "chunk 1 cannot lie there");
}

TEST(FileChecks, CountsOfAChunkAreLimitedByItsBytes) {
  const std::string many = "chunk 0 cannot have so many sequences or samples";
  EXPECT_EQ(fault_with(0, &ChunkInfo::sequence_count, 12), "");
  EXPECT_EQ(fault_with(0, &ChunkInfo::sequence_count, 13), many);
  EXPECT_EQ(fault_with(0, &ChunkInfo::sequence_count, 0), many);
  EXPECT_EQ(fault_with(0, &ChunkInfo::sample_count, 12), "");
  EXPECT_EQ(fault_with(0, &ChunkInfo::sample_count, 13), many);
  EXPECT_EQ(fault_with(0, &ChunkInfo::sample_count, kInt64Max), many);
  for (const std::int64_t line : {1, 15}) {
    EXPECT_EQ(fault_with(1, &ChunkInfo::first_line, line), "chunk 1 cannot begin in that line");
  }
  for (const std::int64_t size : {kDecodedMax - 99, kInt64Max - 99}) {
    EXPECT_EQ(fault_with(1, &ChunkInfo::decoded_size_bytes, size),
              "chunk 1 cannot take so much memory");
  }
}

TEST(FileChecks, CountsOfCompactFormatsAreLimitedByMemory) {
  ChunkInfo info = good_chunks()[0];
  info.sample_count = info.decoded_size_bytes;
  const ChunkNotes notes = {
      .streams = {{info.sample_count, info.sample_count}}, .unit_hashes = {}, .repeated = {}};
  ASSERT_GT(info.sample_count, info.size_bytes);
  EXPECT_FALSE(fits(info, notes, 1));
  EXPECT_TRUE(fits(info, notes, 1, true));
  --info.decoded_size_bytes;
  EXPECT_FALSE(fits(info, notes, 1, true));
}

TEST(FileChecks, ATableMustFitItsChunk) {
  const ChunkInfo info = good_chunks()[0];
  const PackedInts offsets = list({0, 4, 9});
  const PackedInts lines = list({0, 1, 3});
  const PackedInts samples = list({1, 0, 3});
  EXPECT_TRUE(fits(info, packed_table_of(offsets, lines, samples)));
  EXPECT_TRUE(fits(info, packed_table_of(list({0, 1, 11}), list({0, 0, 0}), list({0, 0, 4}))));
  for (const PackedInts& wrong :
       {list({1, 4, 9}), list({0, 4, 4}), list({0, 4, 12}), list({0, 6, 12}), list({1, 2, 3}),
        list({0, -1, 9}), list({0, kInt64Max, 9}), list({0, kInt64Max, -2}), list({0, 0, 0})}) {
    EXPECT_FALSE(fits(info, packed_table_of(wrong, lines, samples))) << wrong[0] << ' ' << wrong[1];
  }
  for (const PackedInts& wrong :
       {list({1, 1, 3}), list({0, 3, 2}), list({0, 1, 12}), list({0, -1, -2}), list({0, 6, 12})}) {
    EXPECT_FALSE(fits(info, packed_table_of(offsets, wrong, samples)))
        << wrong[0] << ' ' << wrong[1];
  }
  for (const PackedInts& wrong :
       {list({1, 0, 2}), list({2, -1, 3}), list({kInt64Max, kInt64Max, 6}), list({1, 1, 1}),
        list({kInt64Max / 2 + 1, kInt64Max / 2 + 1, kInt64Max / 2 + 1})}) {
    EXPECT_FALSE(fits(info, packed_table_of(offsets, lines, wrong))) << wrong[0] << ' ' << wrong[1];
  }
}

TEST(FileChecks, CostsMustBePresentAndNotNegative) {
  const ChunkInfo info = good_chunks()[0];
  const auto table = [](std::optional<std::int64_t> cost, std::optional<SourceLocation> location) {
    SequenceTable::Builder builder;
    for (const std::int64_t offset : {0, 4, 9}) {
      builder.push_back({.offset_bytes = offset,
                         .first_line = offset,
                         .sample_count = offset == 0 ? 4 : 0,
                         .cost = offset == 9 ? cost
                                 : cost      ? std::optional<std::int64_t>(7)
                                             : cost,
                         .location = location});
    }
    return builder.finish();
  };
  EXPECT_TRUE(fits(info, table({}, {})));
  EXPECT_FALSE(fits(info, table({}, {}), true));
  EXPECT_TRUE(fits(info, table(0, {}), true));
  EXPECT_TRUE(fits(info, table(kInt64Max, {}), true));
  EXPECT_FALSE(fits(info, table(-1, {}), true));
  EXPECT_FALSE(fits(info, table(0, {}))) << "the format has no costs";
  EXPECT_FALSE(fits(info, table(0, SourceLocation{}), true)) << "text lies in one file";
}

TEST(FileChecks, NotesMustFitTheirChunk) {
  const ChunkInfo info = good_chunks()[0];
  const ChunkNotes good = {.streams = {{3, 0}, {12, 12}}, .unit_hashes = {7}, .repeated = {0, 2}};
  EXPECT_TRUE(fits(info, good, 2));
  EXPECT_TRUE(fits(info, {.streams = {}, .unit_hashes = {}, .repeated = {}}, 0));
  EXPECT_FALSE(fits(info, good, 1));
  EXPECT_FALSE(fits(info, good, 3));
  const std::function<void(ChunkNotes&)> changes[] = {
      [](ChunkNotes& notes) { notes.streams[0].sample_count = 13; },
      [](ChunkNotes& notes) { notes.streams[1].pair_count = 13; },
      [](ChunkNotes& notes) { notes.streams[0].sample_count = -1; },
      [](ChunkNotes& notes) {
        notes.unit_hashes = {7, 8};
      },
      [](ChunkNotes& notes) {
        notes.repeated = {2, 0};
      },
      [](ChunkNotes& notes) {
        notes.repeated = {1, 1};
      },
      [](ChunkNotes& notes) { notes.repeated = {-1}; },
      [](ChunkNotes& notes) { notes.repeated = {3}; },
  };
  for (const auto& change : changes) {
    ChunkNotes notes = good;
    change(notes);
    EXPECT_FALSE(fits(info, notes, 2)) << &change - changes;
  }
}

/// Opens the index file of a text after `change` has changed it.
template <typename Change>
std::string error_with(const TestFolder& folder, const Change& change) {
  folder.write("t", "none\n5\n8\nnone\n9\n");
  const auto source = open_file(folder.path("t"));
  const TextSchema schema = line_schema(4);
  const auto index_with = [&](IndexMode mode) {
    return std::make_unique<ScannedIndex>(line_index(source, schema, {.mode = mode}));
  };
  const auto walk = [](const ScannedIndex& index) {
    for (ChunkIndex i{}; index.chunk(i); i = next(i)) static_cast<void>(index.sequences(i));
  };
  walk(*index_with(IndexMode::rebuild));
  const std::string path = index_file_path(folder.path("t"), "");
  std::string why;
  const auto file = IndexFile::open(system_files(), path, why);
  IndexFileWriter writer(system_files(), path, file->identity());
  for (std::int64_t i = 0; i < file->chunk_count(); ++i) {
    IndexRecord record = file->record(i);
    if (change(i, record)) writer.add(record);
  }
  writer.finish(file->notes());
  try {
    walk(*index_with(IndexMode::require));
  } catch (const ConfigError& error) {
    return error.what();
  } catch (const IoError& error) {
    return error.what();
  }
  return {};
}

TEST(FileChecks, AnIndexFileIsCheckedAgainstTheTextWhenOpened) {
  const TestFolder folder;
  EXPECT_EQ(error_with(folder, [](std::int64_t, IndexRecord&) { return true; }), "");
  const std::string refused =
      "index: required, but " + folder.path("t.sheaf-index") + ": damaged: ";
  EXPECT_EQ(error_with(folder, [](std::int64_t chunk, IndexRecord&) { return chunk != 0; }),
            refused + "there are data before its chunks");
  EXPECT_EQ(error_with(folder, [](std::int64_t chunk, IndexRecord&) { return chunk != 1; }),
            refused + "chunk 1 cannot lie there");
  EXPECT_EQ(error_with(folder, [](std::int64_t chunk, IndexRecord&) { return chunk != 2; }),
            refused + "there are data behind its chunks");
  EXPECT_EQ(error_with(folder, [](std::int64_t, IndexRecord&) { return false; }),
            refused + "there are data before its chunks");
  EXPECT_EQ(error_with(folder,
                       [](std::int64_t, IndexRecord& record) {
                         record.info.sample_count = kInt64Max;
                         return true;
                       }),
            refused + "chunk 0 cannot have so many sequences or samples");
}

TEST(FileChecks, AChunkOfAnIndexFileIsCheckedAgainstItsTableWhenRead) {
  const TestFolder folder;
  const std::string refused = folder.path("t.sheaf-index") +
                              ": damaged: chunk 0 has numbers that cannot be; --index rebuild "
                              "(IndexMode::rebuild) writes it anew";
  EXPECT_EQ(error_with(folder,
                       [](std::int64_t, IndexRecord& record) {
                         record.extra = {1, 2, 3};
                         return true;
                       }),
            refused);
  EXPECT_EQ(error_with(folder,
                       [](std::int64_t, IndexRecord& record) {
                         record.extra[0] = 2;
                         record.extra.insert(record.extra.begin(), 2, 0);
                         return true;
                       }),
            refused);
  EXPECT_EQ(error_with(folder,
                       [](std::int64_t, IndexRecord& record) {
                         const PackedInts ones({1, 0}, record.sequences->size());
                         record.sequences = std::make_shared<const SequenceTable>(
                             packed_table_of(ones, PackedInts({}, ones.size()), ones));
                         return true;
                       }),
            refused);
}

}  // namespace
}  // namespace sheaf::internal
