#include "format/sheaf/block_reader.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "format/sheaf/container_builder.h"
#include "format/sheaf/container_errors.h"
#include "format/sheaf/container_test_file.h"
#include "format/sheaf/open_built.h"
#include "support/test_sources.h"

namespace sheaf::container {
namespace {

using testing::array_of;
using testing::BuiltContainer;

// Returns two blocks of two and three sequences, with keys, one value each, and two entries each.
BuiltContainer two_blocks() {
  BuiltContainer built{.streams = {{.name = "a", .type = ElementType::i32},
                                   {.name = "b",
                                    .storage = Storage::sparse,
                                    .type = ElementType::f32,
                                    .shape = {9}}},
                       .has_text_keys = true};
  testing::BuiltChunk& chunk = built.chunks.emplace_back();
  chunk.sample_counts = {1, 1, 1, 1, 1};
  chunk.key_texts = {"one", "two", "three", "four", "five"};
  for (const std::size_t count : {2U, 3U}) {
    chunk.blocks.push_back(
        {.columns = {{array_of<std::uint8_t>({}), array_of(std::vector<std::int64_t>(count, 1)),
                      array_of(std::vector<std::int32_t>(count, 5))},
                     {array_of<std::uint8_t>({}), array_of(std::vector<std::int64_t>(count, 1)),
                      array_of(std::vector<std::int64_t>(count, 2)),
                      array_of(std::vector<std::int32_t>(2 * count, 8)),
                      array_of(std::vector<float>(2 * count, 1.5F))}}});
  }
  return built;
}

FormatOptions options_for_streams(const std::vector<std::string>& names) {
  FormatOptions options;
  for (const std::string& name : names) {
    options.streams.push_back(
        {.name = name, .storage = name == "b" ? Storage::sparse : Storage::dense});
  }
  return options;
}

/// An open file with its first table.
struct OpenedBlocks {
  std::shared_ptr<testing::TestSource> source;
  ContainerFile file;
  ContainerSchema schema;
  ChunkTable table;

  OpenedBlocks(const std::string& bytes, const FormatOptions& options)
      : source(std::make_shared<testing::TestSource>(bytes)),
        file(open_container(source)),
        schema(schema_of(file.directory.note(), options, *source)),
        table(read_table(file, 0)) {}

  [[nodiscard]] ReadBlocks read(std::int64_t first, std::int64_t count) const {
    return read_blocks(file, schema, 0, table, first, count);
  }
};

std::int64_t offset_of_part(const std::string& bytes, const std::string& what) {
  for (const testing::ContainerPart& part : testing::parts_of(bytes)) {
    if (part.what == what) return part.offset;
  }
  ADD_FAILURE() << "no " << what;
  return 0;
}

std::string with_changed_byte(std::string bytes, const std::string& what) {
  bytes[static_cast<std::size_t>(offset_of_part(bytes, what))] ^= '\x01';
  return bytes;
}

TEST(BlockReader, ReadsTheBlocksOfTheSequences) {
  const OpenedBlocks opened(testing::build_container(two_blocks()), {});
  struct Case {
    std::int64_t first;
    std::int64_t count;
    std::vector<std::int64_t> blocks;  // the first sequence of each block
  };
  const Case cases[] = {{0, 1, {0}}, {1, 1, {0}},    {0, 2, {0}},    {2, 1, {2}},
                        {4, 1, {2}}, {1, 2, {0, 2}}, {0, 5, {0, 2}}, {2, 3, {2}}};
  for (const Case& each : cases) {
    std::vector<std::int64_t> blocks;
    for (const ReadBlock& block : opened.read(each.first, each.count).blocks) {
      blocks.push_back(block.first);
      EXPECT_EQ(block.count, block.first == 0 ? 2 : 3);
      EXPECT_EQ(block.columns.size(), 3U);
      EXPECT_FALSE(block.damage);
    }
    EXPECT_EQ(blocks, each.blocks) << each.first << " and " << each.count;
  }
}

TEST(BlockReader, ReadsOnlyRequestedColumns) {
  const std::string bytes = testing::build_container(two_blocks());
  const OpenedBlocks opened(bytes, options_for_streams({"b"}));
  const std::int64_t reads = opened.source->read_count();
  const std::int64_t read_bytes = opened.source->read_bytes();
  const ReadBlocks read = opened.read(2, 1);
  // Reads the keys and the stream, without the other stream that lies between them.
  const auto size = [&](std::int64_t column) {
    return static_cast<std::int64_t>(stored_column(opened.table, 1, column).size);
  };
  EXPECT_EQ(opened.source->read_count() - reads, 2);
  EXPECT_EQ(opened.source->read_bytes() - read_bytes, size(0) + size(2));
  ASSERT_EQ(read.blocks.size(), 1U);
  EXPECT_EQ(read.blocks[0].offsets,
            (std::vector<std::int64_t>{offset_of_part(bytes, "column 0 of block 1 of chunk 0"),
                                       offset_of_part(bytes, "column 2 of block 1 of chunk 0")}));
  EXPECT_EQ(read.blocks[0].columns[1].value_count(), 6);
}

TEST(BlockReader, AdjacentColumnsAreReadTogether) {
  const OpenedBlocks opened(testing::build_container(two_blocks()), {});
  const std::int64_t reads = opened.source->read_count();
  static_cast<void>(opened.read(0, 5));
  EXPECT_EQ(opened.source->read_count() - reads, 1);
}

TEST(BlockReader, AColumnWithAWrongHashDamagesItsBlock) {
  const std::string sound = testing::build_container(two_blocks());
  const std::int64_t streams[] = {-1, 1, 0};  // in the order of delivery: b and a
  for (std::int64_t column = 0; column < 3; ++column) {
    const std::string what = "column " + std::to_string(column) + " of block 1 of chunk 0";
    const OpenedBlocks opened(with_changed_byte(sound, what), options_for_streams({"b", "a"}));
    const ReadBlocks read = opened.read(0, 5);
    EXPECT_FALSE(read.blocks[0].damage);
    ASSERT_TRUE(read.blocks[1].damage) << what;
    EXPECT_EQ(read.blocks[1].damage->kind, &kHashError);
    EXPECT_EQ(read.blocks[1].damage->byte_offset, offset_of_part(sound, what));
    EXPECT_EQ(read.blocks[1].damage->stream, streams[column]);
    EXPECT_FALSE(opened.read(1, 1).blocks[0].damage) << "the other block alone";
  }
}

TEST(BlockReader, AnUnusedColumnMayBeDamaged) {
  const std::string bytes =
      with_changed_byte(testing::build_container(two_blocks()), "column 1 of block 0 of chunk 0");
  EXPECT_FALSE(OpenedBlocks(bytes, options_for_streams({"b"})).read(0, 5).blocks[0].damage);
  EXPECT_TRUE(OpenedBlocks(bytes, options_for_streams({"a"})).read(0, 5).blocks[0].damage);
}

TEST(BlockReader, InconsistentArraysDamageTheBlock) {
  BuiltContainer built = two_blocks();
  built.chunks[0].blocks[0].columns[1][2].bits[1] = 3;  // one entry more than values
  const std::string bytes = testing::build_container(built);
  const ReadBlocks read = OpenedBlocks(bytes, {}).read(0, 5);
  ASSERT_TRUE(read.blocks[0].damage);
  EXPECT_EQ(read.blocks[0].damage->kind, &kContentError);
  EXPECT_EQ(read.blocks[0].damage->byte_offset,
            offset_of_part(bytes, "column 2 of block 0 of chunk 0"));
  EXPECT_EQ(read.blocks[0].damage->stream, 1);
  EXPECT_FALSE(read.blocks[1].damage);
}

TEST(BlockReader, TheFirstDamagedColumnIsReported) {
  std::string bytes = testing::build_container(two_blocks());
  bytes = with_changed_byte(bytes, "column 2 of block 0 of chunk 0");
  bytes = with_changed_byte(bytes, "column 1 of block 0 of chunk 0");
  const ReadBlocks read = OpenedBlocks(bytes, {}).read(0, 1);
  ASSERT_TRUE(read.blocks[0].damage);
  EXPECT_EQ(read.blocks[0].damage->stream, 0);
  EXPECT_EQ(read.blocks[0].columns.size(), 1U) << "the keys are read";
}

}  // namespace
}  // namespace sheaf::container
