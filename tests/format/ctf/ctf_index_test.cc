#include "format/ctf/ctf_index.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/ctf/ctf_schema.h"
#include "support/test_sources.h"

namespace sheaf::ctf {
namespace {

FormatOptions options_with(std::int64_t chunk_size_bytes) {
  return {.streams = {{.name = "A", .sample_shape = Shape{1}},
                      {.name = "B", .storage = Storage::sparse, .sample_shape = Shape{5}}},
          .chunk_size_bytes = chunk_size_bytes};
}

struct Indexed {
  explicit Indexed(std::string text, const FormatOptions& options)
      : source(std::make_shared<testing::WatchedSource>(memory_source(std::move(text), "text"))),
        schema(make_schema(options)),
        index(source, schema, find_beginning(*source, options), {}, system_files(), {}) {}

  [[nodiscard]] std::vector<std::int64_t> chunk_sizes() const {
    std::vector<std::int64_t> sizes;
    for (ChunkIndex i{}; const auto chunk = index.chunk(i); i = next(i)) {
      sizes.push_back(chunk->size_bytes);
    }
    return sizes;
  }

  std::shared_ptr<testing::WatchedSource> source;
  Schema schema;
  CtfIndex index;
};

TEST(CtfIndex, FillsChunksUpToTheRequestedSize) {
  const std::string four = "0|A 1\n1|A 1\n2|A 1\n3|A 1\n";  // six bytes each
  const std::string two = "0|A 1\n0|A 1\n0|A 1\n1|A 1\n";   // 18 and 6
  struct Case {
    const std::string& text;
    std::int64_t chunk_size;
    std::vector<std::int64_t> sizes;
  };
  const Case cases[] = {
      {four, 1, {6, 6, 6, 6}},   // a sequence never spans chunks
      {four, 11, {6, 6, 6, 6}},  //
      {four, 12, {12, 12}},      //
      {four, 13, {12, 12}},      //
      {four, 18, {18, 6}},       //
      {four, 1000, {24}},        //
      {two, 5, {18, 6}},         // a sequence larger than a chunk gets its own chunk
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.chunk_size);
    EXPECT_EQ(Indexed(c.text, options_with(c.chunk_size)).chunk_sizes(), c.sizes);
  }
}

TEST(CtfIndex, LocatesEachSequence) {
  const Indexed indexed("\xEF\xBB\xBF\n 7 |A 1 |B 1:1\n|A 2\n|# c\n\n8 |B |A 3\n|B 0:1 2:1\n|B\n",
                        options_with(1000));
  const auto chunk = indexed.index.chunk(ChunkIndex{});
  ASSERT_TRUE(chunk);
  EXPECT_EQ(chunk->offset_bytes, 4);
  EXPECT_EQ(chunk->first_line, 2);
  EXPECT_EQ(chunk->sequence_count, 2);
  EXPECT_EQ(chunk->sample_count, 5);
  const auto table = indexed.index.sequences(ChunkIndex{});
  EXPECT_EQ(table->key(0).low, 7U);
  EXPECT_EQ(table->key(1).low, 8U);
  EXPECT_EQ(table->sample_count(0), 2);
  EXPECT_EQ(table->sample_count(1), 3);
  EXPECT_EQ(table->offset_bytes(1), 26);
  EXPECT_EQ(table->first_line(1), 4);
  const auto counts = indexed.index.notes(ChunkIndex{})->streams;
  EXPECT_EQ(counts[0].sample_count, 3);
  EXPECT_EQ(counts[1].sample_count, 4);
  EXPECT_EQ(counts[1].pair_count, 3);
}

TEST(CtfIndex, CountsOnlySamplesOfTheDefiningStream) {
  FormatOptions options = options_with(1000);
  options.streams[1].defines_minibatch_size = true;
  const Indexed indexed("0 |A 1 |B 1:1\n0 |A 2\n0 |A 3\n", options);
  EXPECT_EQ(indexed.index.chunk(ChunkIndex{})->sample_count, 1);
}

TEST(CtfIndex, IsBuiltOnDemand) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += std::to_string(i) + " |A 1 |B 1:1\n";
  FormatOptions options = options_with(1000);
  options.read_size_bytes = 256;
  const Indexed indexed(text, options);
  ASSERT_TRUE(indexed.index.chunk(ChunkIndex{0}));
  EXPECT_LE(indexed.source->furthest, 2000);
  ASSERT_TRUE(indexed.index.chunk(ChunkIndex{5}));
  EXPECT_LE(indexed.source->furthest, 8000);
  EXPECT_FALSE(indexed.index.chunk(ChunkIndex{1'000'000}));
  EXPECT_EQ(indexed.source->furthest, static_cast<std::int64_t>(text.size()));
}

TEST(CtfIndex, FindsRepeatedIdsInAnyOrder) {
  struct Case {
    std::string text;
    std::int64_t chunk_size;
    std::vector<std::pair<std::int64_t, std::int64_t>> repeated;  // chunk, sequence
  };
  const Case cases[] = {
      {"0|A 1\n1|A 1\n2|A 1\n", 6, {}},           // rising: no repeated keys
      {"2|A 1\n1|A 1\n0|A 1\n", 6, {}},           // falling: no repeated keys
      {"0|A 1\n1|A 1\n0|A 1\n", 1000, {{0, 2}}},  // in one chunk
      {"0|A 1\n1|A 1\n0|A 1\n", 6, {{2, 0}}},     // from an earlier chunk
      {"0|A 1\n1|A 1\n0|A 1\n1|A 1\n0|A 1\n", 12, {{1, 0}, {1, 1}, {2, 0}}},
      {"|A 1\n|A 1\n", 6, {}},  // without ids: no repeated keys
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const Indexed indexed(c.text, options_with(c.chunk_size));
    std::vector<std::pair<std::int64_t, std::int64_t>> repeated;
    for (ChunkIndex i{}; indexed.index.chunk(i); i = next(i)) {
      const auto notes = indexed.index.notes(i);
      for (const std::int64_t sequence : notes->repeated) {
        repeated.emplace_back(static_cast<std::int64_t>(i), sequence);
      }
    }
    EXPECT_EQ(repeated, c.repeated);
  }
  const Indexed indexed("4|A 1\n4|A 1\n3|A 1\n4|A 1\n3|A 1\n", options_with(6));
  EXPECT_FALSE(indexed.index.chunk(ChunkIndex{9}));
  EXPECT_EQ(indexed.index.first_location({.low = 4}).line, 1);
  EXPECT_EQ(indexed.index.first_location({.low = 3}).line, 3);
}

TEST(CtfIndex, AScanErrorIsThrownByEveryCallThatNeedsMore) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += std::to_string(i) + " |A 1 |B 1:1\n";
  FormatOptions options = options_with(100);
  options.read_size_bytes = 64;
  const Indexed indexed(text, options);
  ASSERT_TRUE(indexed.index.chunk(ChunkIndex{0}));
  indexed.source->fails = true;
  EXPECT_THROW((void)indexed.index.chunk(ChunkIndex{5}), IoError);
  indexed.source->fails = false;
  EXPECT_THROW((void)indexed.index.chunk(ChunkIndex{5}), IoError);
  EXPECT_TRUE(indexed.index.chunk(ChunkIndex{0}));
}

}  // namespace
}  // namespace sheaf::ctf
