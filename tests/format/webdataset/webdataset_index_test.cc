#include "format/webdataset/webdataset_index.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/webdataset/webdataset_test_files.h"

namespace sheaf::webdataset {
namespace {

/// Shards with their index.
struct Indexed {
  explicit Indexed(const std::vector<std::string>& shards_entries, std::int64_t chunk_size_bytes) {
    options = read_options_of({.chunk_size_bytes = chunk_size_bytes});
    for (const std::string& entries : shards_entries) {
      shards.push_back(shard_source(entries, std::to_string(shards.size()) + ".tar"));
      scans.push_back(scan_shard(*shards.back(), {.read_size_bytes = 4096}));
    }
    const std::vector<std::string> suffixes = {"jpg"};
    streams = found_streams(options, suffixes, false);
  }

  [[nodiscard]] ShardIndex index() const { return {shards, scans, options, streams}; }

  ReadOptions options;
  Shards shards;
  std::vector<ShardScan> scans;
  std::vector<EntryStream> streams;
};

std::string two_sequences(const std::string& first, const std::string& second) {
  return tar_entry(first + ".jpg", "x") + tar_entry(second + ".jpg", "y");
}

TEST(WebdatasetIndex, AChunkEndsAtItsSizeAndWithItsShard) {
  const std::vector<std::string> entries = {two_sequences("a", "b"), two_sequences("c", "d")};
  constexpr std::int64_t kBoth = 1024 + 513;  // a header and the bytes of the last entry
  for (const std::int64_t size : {kBoth - 1, kBoth, kBoth + 1}) {
    const Indexed data(entries, size);
    const ShardIndex index = data.index();
    EXPECT_EQ(index.chunk(ChunkIndex{})->sequence_count, size < kBoth ? 1 : 2) << size;
    EXPECT_EQ(index.chunk(ChunkIndex{2}).has_value(), size < kBoth) << size;
  }
}

TEST(WebdatasetIndex, ShardsAreConsecutive) {
  const Indexed data({two_sequences("a", "b"), two_sequences("c", "d")}, 1 << 20);
  const ShardIndex index = data.index();
  EXPECT_EQ(index.chunk(ChunkIndex{1})->offset_bytes, 3072) << "the size of the first shard";
  EXPECT_EQ(index.sequences(ChunkIndex{1})->location(1),
            (SourceLocation{.source = 1, .offset_bytes = 1024}));
  EXPECT_EQ(index.source_name(1), "1.tar");
  const ShardIndex::Part part = index.part_of(ChunkIndex{1}, 1, 2);
  EXPECT_EQ(part.shard->name(), "1.tar");
  EXPECT_EQ(part.begin_bytes, 1024);
  EXPECT_EQ(part.end_bytes, 1024 + 513);
  EXPECT_EQ(index.part_of(ChunkIndex{1}, 0, 1).end_bytes, 1024);
  EXPECT_EQ(index.cost_measure().name, "bytes");
}

TEST(WebdatasetIndex, AKeyOfAnotherShardCountsAsRepeated) {
  const Indexed data({two_sequences("a", "b"), two_sequences("c", "a")}, 1 << 20);
  const ShardIndex index = data.index();
  EXPECT_FALSE(index.is_repeated(ChunkIndex{}, 0));
  EXPECT_FALSE(index.is_repeated(ChunkIndex{1}, 0));
  EXPECT_TRUE(index.is_repeated(ChunkIndex{1}, 1));
}

TEST(WebdatasetIndex, SequencesWithoutTheDefiningStreamAreDropped) {
  Indexed data({two_sequences("a", "b") + tar_entry("c.txt", "")}, 1 << 20);
  EXPECT_EQ(data.index().chunk(ChunkIndex{})->sequence_count, 3);
  data.streams[0].stream.defines_minibatch_size = true;
  const ShardIndex index = data.index();
  EXPECT_EQ(index.chunk(ChunkIndex{})->sequence_count, 2);
  EXPECT_EQ(index.dropped_count(), 1);
}

TEST(WebdatasetIndex, ASequenceTakesLittleMemory) {
  std::string entries;
  constexpr std::int64_t kCount = 20'000;
  for (std::int64_t i = 0; i < kCount; ++i) {
    entries +=
        tar_entry(std::to_string(i) + ".jpg", std::string(static_cast<std::size_t>(i % 700), 'x'));
  }
  const Indexed data({entries}, 32 << 20);
  EXPECT_LT(data.index().memory_bytes(), kCount * 30);
}

}  // namespace
}  // namespace sheaf::webdataset
