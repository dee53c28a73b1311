#include "format/columns/table_index.h"

#include <gtest/gtest.h>

#include "format/columns/arrow_tables.h"

namespace sheaf::columns {
namespace {

std::vector<ArrowNode> two_batches() {
  std::vector<ArrowNode> batches;
  batches.push_back(
      struct_of({named("x", list_of({0, 1, 3, 6}, numbers_of<float>("f", {1, 2, 3, 4, 5, 6})))}));
  batches.push_back(struct_of({named("x", list_of({0}, numbers_of<float>("f", {})))}));
  batches.push_back(struct_of({named("x", list_of({0, 4}, numbers_of<float>("f", {1, 2, 3, 4})))}));
  return batches;
}

struct Cut {
  std::int64_t chunk_size_bytes;
  std::vector<std::int64_t> counts;
};

TEST(TableIndex, SplitsLargeBatchesIfPartsCanBeRead) {
  // MemoryBatches says that each batch has 1000 bytes.
  for (const Cut& cut : {Cut{1000, {3, 1}}, Cut{999, {2, 1, 1}}, Cut{500, {2, 1, 1}},
                         Cut{334, {1, 1, 1, 1}}, Cut{1, {1, 1, 1, 1}}}) {
    const auto batches = std::make_shared<const MemoryBatches>(two_batches(), true);
    FormatOptions options;
    options.chunk_size_bytes = cut.chunk_size_bytes;
    const TableStreams streams = table_streams(*batches, options);
    const TableIndex index(batches, streams, options);
    std::vector<std::int64_t> counts;
    std::int64_t row = 0;
    for (ChunkIndex c{}; const auto info = index.chunk(c); c = next(c)) {
      counts.push_back(info->sequence_count);
      EXPECT_EQ(index.rows(c).first_row, row);
      EXPECT_EQ(index.sequences(c)->key(0).low, static_cast<std::uint64_t>(row));
      row += info->sequence_count;
    }
    EXPECT_EQ(counts, cut.counts) << cut.chunk_size_bytes;
  }
}

TEST(TableIndex, KeepsBatchesWholeIfPartsCannotBeRead) {
  const auto batches = std::make_shared<const MemoryBatches>(two_batches(), false);
  FormatOptions options;
  options.chunk_size_bytes = 1;
  const TableStreams streams = table_streams(*batches, options);
  const TableIndex index(batches, streams, options);
  EXPECT_EQ(index.chunk(ChunkIndex{0})->sequence_count, 3);
  EXPECT_EQ(index.chunk(ChunkIndex{0})->sample_count, 6);
  EXPECT_EQ(index.chunk(ChunkIndex{1})->sample_count, 4);
  EXPECT_FALSE(index.chunk(ChunkIndex{2}));
}

TEST(TableIndex, ReadsTheLengthsOfAChunkOnce) {
  const auto batches = std::make_shared<const MemoryBatches>(two_batches(), false);
  const FormatOptions options;
  const TableStreams streams = table_streams(*batches, options);
  const TableIndex index(batches, streams, options);
  const std::int64_t before = batches->reads;
  for (int i = 0; i < 3; ++i) static_cast<void>(index.chunk(ChunkIndex{0}));
  EXPECT_EQ(batches->reads, before + 1);
}

TEST(TableIndex, CountsTheDefiningStream) {
  std::vector<ArrowNode> batches;
  batches.push_back(struct_of({named("x", list_of({0, 5}, numbers_of<float>("f", {1, 2, 3, 4, 5}))),
                               named("y", numbers_of<float>("f", {1}))}));
  const auto table = std::make_shared<const MemoryBatches>(std::move(batches));
  FormatOptions options;
  options.streams = {{.name = "x"}, {.name = "y", .defines_minibatch_size = true}};
  const TableStreams streams = table_streams(*table, options);
  EXPECT_EQ(TableIndex(table, streams, options).chunk(ChunkIndex{0})->sample_count, 1);
  options.streams[1].defines_minibatch_size = false;
  const TableStreams longest = table_streams(*table, options);
  EXPECT_EQ(TableIndex(table, longest, options).chunk(ChunkIndex{0})->sample_count, 5);
}

struct KnownNulls {
  const char* column;
  bool knows_nulls;
  std::int64_t reads;
  std::int64_t sample_count;
};

TEST(TableIndex, ReadsNoColumnOfKnownLengths) {
  std::vector<ArrowNode> batches;
  batches.push_back(
      struct_of({named("number", numbers_of<float>("f", {1, 2})),
                 named("fixed", fixed_list_of(2, numbers_of<float>("f", {1, 2, 3, 4}))),
                 named("nulls", with_validity(numbers_of<float>("f", {1, 2}), {true, false})),
                 named("list", list_of({0, 1, 3}, numbers_of<float>("f", {1, 2, 3}))),
                 named("text", texts_of({"a", "bc"}))}));
  for (const KnownNulls& each :
       {KnownNulls{"number", true, 0, 2}, KnownNulls{"number", false, 1, 2},
        KnownNulls{"fixed", true, 0, 2}, KnownNulls{"nulls", true, 1, 1},
        KnownNulls{"list", true, 1, 3}, KnownNulls{"text", true, 1, 2}}) {
    const auto table = std::make_shared<MemoryBatches>(batches);
    table->knows_nulls = each.knows_nulls;
    FormatOptions options;
    options.streams = {{.name = each.column}};
    const TableStreams streams = table_streams(*table, options);
    const TableIndex index(table, streams, options);
    const std::int64_t before = table->reads;
    const auto info = index.chunk(ChunkIndex{0});
    EXPECT_EQ(table->reads - before, each.reads) << each.column;
    EXPECT_EQ(info->sample_count, each.sample_count) << each.column;
    table->knows_nulls = false;
    const TableIndex other(table, streams, options);
    EXPECT_EQ(info, other.chunk(ChunkIndex{0})) << each.column;
  }
}

}  // namespace
}  // namespace sheaf::columns
