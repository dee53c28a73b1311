#include "format/sheaf/block_decoder.h"

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "format/sheaf/container_builder.h"
#include "format/sheaf/open_built.h"

namespace sheaf::container {
namespace {

using testing::array_of;
using testing::BuiltContainer;
using BuiltCodec = testing::Codec;

// Returns one block of three sequences, with lengths of 1, 2 and 0 in "a", and of 1, 1 and 1 in
// "b".
BuiltContainer one_block(bool has_text_keys = false) {
  BuiltContainer built{.streams = {{.name = "a", .type = ElementType::i32},
                                   {.name = "b",
                                    .storage = Storage::sparse,
                                    .type = ElementType::f32,
                                    .shape = {9}}},
                       .has_text_keys = has_text_keys};
  testing::BuiltChunk& chunk = built.chunks.emplace_back();
  chunk.sample_counts = {1, 2, 1};
  if (has_text_keys) chunk.key_texts = {"one", "two", "three"};
  chunk.blocks = {{.columns = {{array_of<std::uint8_t>({}), array_of<std::int64_t>({1, 2, 0}),
                                array_of<std::int32_t>({7, 5, 6}, BuiltCodec::packed)},
                               {array_of<std::uint8_t>({}), array_of<std::int64_t>({1, 1, 1}),
                                array_of<std::int64_t>({1, 0, 2}),
                                array_of<std::int32_t>({8, 0, 3}), array_of<float>({1, 2, 3})}}}};
  return built;
}

/// The result of decoding a block.
struct BlockResult {
  DecodedBlock decoded;
  std::string damage;  // empty if the block is sound
  std::int64_t stream = -2;
};

BlockResult decode_first_block(const BuiltContainer& built, const FormatOptions& options = {},
                               const std::function<void(ChunkTable&)>& change = {}) {
  const ContainerFile file = testing::open_built(built);
  const ContainerSchema schema = schema_of(file.directory.note(), options, *file.source);
  ChunkTable table = read_table(file, 0);
  if (change) change(table);
  ReadBlocks read = read_blocks(file, schema, 0, table, 0, 1);
  EXPECT_FALSE(read.blocks[0].damage) << "the hashes are right, and arrays fit each other";
  BlockResult result;
  result.decoded = decode_block(file, schema, table, 0, read.blocks[0]);
  if (const auto& damage = read.blocks[0].damage) {
    EXPECT_EQ(damage->kind->code, "sheaf-content");
    result.damage = damage->found;
    result.stream = damage->stream;
  }
  for (DecodedColumn& column : result.decoded) {  // keeps the bytes that the columns refer to
    for (DecodedArray* array : {&column.values, &column.indices}) {
      if (array->is_own() || array->bytes.empty()) continue;
      array->own.resize(std::ssize(array->bytes));
      std::memcpy(array->own.mutable_data(), array->bytes.data(), array->bytes.size());
    }
  }
  return result;
}

template <typename T>
std::vector<T> values_of_array(const DecodedArray& array) {
  return {array.own.as<T>().begin(), array.own.as<T>().end()};
}

FormatOptions only_dense() {
  FormatOptions options;
  options.streams = {{.name = "a"}};
  return options;
}

FormatOptions only_sparse() {
  FormatOptions options;
  options.streams = {{.name = "b", .storage = Storage::sparse}};
  return options;
}

TEST(BlockDecoder, AValidBlockIsDecoded) {
  for (const bool has_text_keys : {false, true}) {
    const BlockResult result = decode_first_block(one_block(has_text_keys));
    EXPECT_EQ(result.damage, "");
    const std::size_t first = has_text_keys ? 1 : 0;
    ASSERT_EQ(result.decoded.size(), first + 2);
    EXPECT_EQ(values_of_array<std::int32_t>(result.decoded[first].values),
              (std::vector<std::int32_t>{7, 5, 6}));
    EXPECT_EQ(values_of_array<std::int32_t>(result.decoded[first + 1].indices),
              (std::vector<std::int32_t>{8, 0, 3}));
    EXPECT_EQ(values_of_array<float>(result.decoded[first + 1].values),
              (std::vector<float>{1, 2, 3}));
  }
}

TEST(BlockDecoder, RawValuesAreNotCopied) {
  const ContainerFile file = testing::open_built(one_block());
  const ContainerSchema schema = schema_of(file.directory.note(), {}, *file.source);
  const ChunkTable table = read_table(file, 0);
  ReadBlocks read = read_blocks(file, schema, 0, table, 0, 1);
  const DecodedBlock decoded = decode_block(file, schema, table, 0, read.blocks[0]);
  EXPECT_TRUE(decoded[0].values.is_own()) << "packed";
  EXPECT_FALSE(decoded[1].values.is_own());
  EXPECT_GE(decoded[1].values.bytes.data(), read.bytes->data());
  EXPECT_LT(decoded[1].values.bytes.data(), read.bytes->data() + read.bytes->size_bytes());
}

TEST(BlockDecoder, IndicesMustBeBelowTheDim) {
  struct Case {
    std::int64_t index;
    bool fits;
  };
  const Case cases[] = {{-1, false}, {0, true}, {8, true}, {9, false}, {2147483647, false}};
  for (const ElementType type : {ElementType::i32, ElementType::i64}) {
    for (const Case& each : cases) {
      for (const std::size_t location : {0U, 1U, 2U}) {
        BuiltContainer built = one_block();
        built.streams[1].index_type = type;
        const auto index = static_cast<std::uint64_t>(each.index);
        built.chunks[0].blocks[0].columns[1][3].bits[location] =
            type == ElementType::i32 ? index & 0xFFFFFFFFU : index;
        const BlockResult result = decode_first_block(built);
        EXPECT_EQ(result.damage, each.fits ? "" : "an index outside 0 .. 8") << each.index;
        if (!each.fits) {
          EXPECT_EQ(result.stream, 1);
        }
      }
    }
  }
}

TEST(BlockDecoder, InvalidEncodedValuesAreDamage) {
  for (const std::size_t column : {0U, 1U}) {
    BuiltContainer built = one_block();
    built.chunks[0].blocks[0].columns[column].back().stored = std::string(11, '\xFF');
    const BlockResult result = decode_first_block(built);
    EXPECT_EQ(result.damage, "an array that its codec cannot have made");
    EXPECT_EQ(result.stream, static_cast<std::int64_t>(column));
  }
  BuiltContainer built = one_block();
  built.chunks[0].blocks[0].columns[1][3].stored = std::string(11, '\xFF');
  EXPECT_EQ(decode_first_block(built).damage, "an array that its codec cannot have made");
}

TEST(BlockDecoder, TheHashOfTheContentMustMatchTheTable) {
  const auto change_hash = [](std::size_t column) {
    return [column](ChunkTable& table) { table.columns[column].content_hash ^= 1; };
  };
  const BlockResult result = decode_first_block(one_block(), {}, change_hash(0));
  EXPECT_EQ(result.damage, "another hash of the content");
  EXPECT_EQ(result.stream, 0);
  // For a column without codecs, the hash of the stored bytes is enough.
  EXPECT_EQ(decode_first_block(one_block(), {}, change_hash(1)).damage, "");
}

TEST(BlockDecoder, KeysMustMatchTheTable) {
  const auto change_key = [](ChunkTable& table) {
    SequenceTable::Builder sequences;
    for (std::int64_t i = 0; i < table.sequences.size(); ++i) {
      const bool is_last = i + 1 == table.sequences.size();
      sequences.push_back({.key = is_last ? key_of_text("four") : table.sequences.key(i),
                           .offset_bytes = table.sequences.offset_bytes(i),
                           .sample_count = table.sequences.sample_count(i)});
    }
    table.sequences = sequences.finish();
  };
  const BlockResult result = decode_first_block(one_block(true), {}, change_key);
  EXPECT_EQ(result.damage, "another key than the table has");
  EXPECT_EQ(result.stream, -1);
  EXPECT_EQ(decode_first_block(one_block(true)).damage, "");
}

TEST(BlockDecoder, LengthsMustMatchTheTable) {
  struct Case {
    const char* what;
    std::vector<std::int64_t> counts;
    int defining;  // a stream, or -1
    FormatOptions options;
    bool fits;
  };
  const Case cases[] = {
      {"the longest counts", {1, 2, 1}, -1, {}, true},
      {"a length is too small", {1, 1, 1}, -1, {}, false},
      {"a length is too large", {1, 2, 2}, -1, {}, false},
      {"the defining stream counts", {1, 2, 0}, 0, {}, true},
      {"the other stream does not", {1, 2, 1}, 0, {}, false},
      {"the other stream defines", {1, 1, 1}, 1, {}, true},
      {"without the defining stream, nobody knows", {9, 9, 9}, 1, only_dense(), true},
      {"the defining stream alone", {1, 1, 1}, 1, only_sparse(), true},
      {"the defining stream alone, too large", {1, 2, 1}, 1, only_sparse(), false},
      {"some streams: the longest may be another", {1, 3, 1}, -1, only_dense(), true},
      {"some streams: none is longer", {1, 2, 0}, -1, only_dense(), true},
      {"some streams: one is longer", {1, 1, 1}, -1, only_dense(), false},
  };
  for (const Case& each : cases) {
    BuiltContainer built = one_block();
    built.chunks[0].sample_counts = each.counts;
    if (each.defining >= 0) {
      built.streams[static_cast<std::size_t>(each.defining)].defines_minibatch_size = true;
    }
    EXPECT_EQ(decode_first_block(built, each.options).damage,
              each.fits ? "" : "a sequence of another length than the table has")
        << each.what;
  }
}

TEST(BlockDecoder, LengthErrorsNameTheLastColumn) {
  BuiltContainer built = one_block();
  built.chunks[0].sample_counts = {1, 1, 1};
  EXPECT_EQ(decode_first_block(built).stream, 1);
  EXPECT_EQ(decode_first_block(built, only_dense()).stream, 0);
}

TEST(BlockDecoder, ColumnsBeforeASkippedOneAreDecoded) {
  const ContainerFile file = testing::open_built(one_block(true));
  const ContainerSchema schema = schema_of(file.directory.note(), {}, *file.source);
  ChunkTable table = read_table(file, 0);
  table.columns[2].hash ^= 1;
  ReadBlocks read = read_blocks(file, schema, 0, table, 0, 1);
  ASSERT_TRUE(read.blocks[0].damage);
  const DecodedBlock decoded = decode_block(file, schema, table, 0, read.blocks[0]);
  ASSERT_EQ(decoded.size(), 3U);
  EXPECT_EQ(decoded[0].values.bytes.size(), 11U) << "the text of the keys";
  EXPECT_EQ(read.blocks[0].damage->kind->code, "sheaf-hash");
  EXPECT_EQ(read.blocks[0].damage->stream, 1);

  table.columns[1].content_hash ^= 1;  // the first damaged column is reported
  read = read_blocks(file, schema, 0, table, 0, 1);
  static_cast<void>(decode_block(file, schema, table, 0, read.blocks[0]));
  EXPECT_EQ(read.blocks[0].damage->kind->code, "sheaf-content");
  EXPECT_EQ(read.blocks[0].damage->stream, 0);
}

}  // namespace
}  // namespace sheaf::container
