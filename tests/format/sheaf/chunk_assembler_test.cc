#include "format/sheaf/chunk_assembler.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/read_all.h"
#include "format/sheaf/container_builder.h"
#include "format/sheaf/open_built.h"
#include "format/sheaf/random_container.h"
#include "reference/sheaf_reference.h"

namespace sheaf::container {
namespace {

using conformance::Choices;
using conformance::ReferenceSequence;
using conformance::ReferenceStream;
using testing::array_of;
using testing::BuiltContainer;
using BuiltCodec = testing::Codec;

/// The decoded blocks of the first chunk of a file.
struct AssembledBlocks {
  ContainerFile file;
  ContainerSchema schema;
  ChunkTable table;
  ReadBlocks read;
  std::vector<DecodedBlock> decoded;

  explicit AssembledBlocks(const std::string& bytes)
      : file(testing::open_bytes(bytes)),
        schema(schema_of(file.directory.note(), {}, *file.source)),
        table(read_table(file, 0)),
        read(read_blocks(file, schema, 0, table, 0, table.sequences.size())) {
    for (std::size_t i = 0; i < read.blocks.size(); ++i) {
      decoded.push_back(
          decode_block(file, schema, table, static_cast<std::int64_t>(i), read.blocks[i]));
      EXPECT_FALSE(read.blocks[i].damage);
    }
  }

  // Returns a plan for the sequences from number `first` on, without unwanted sequences.
  AssemblyPlan plan_of(const std::vector<bool>& is_wanted, std::int64_t first, bool may_borrow) {
    AssemblyPlan plan{.slices = {},
                      .sequence_count = std::ssize(is_wanted),
                      .bytes = may_borrow ? read.bytes : nullptr};
    for (std::size_t i = 0; i < read.blocks.size(); ++i) {
      const ReadBlock& block = read.blocks[i];
      bool goes_on = false;
      for (std::int64_t k = 0; k < block.count; ++k) {
        const std::int64_t number = block.first + k - first;
        const bool is_slice = number >= 0 && number < std::ssize(is_wanted) &&
                              is_wanted[static_cast<std::size_t>(number)];
        if (is_slice && !goes_on) plan.slices.push_back({&block, &decoded[i], k, 0, number});
        if (is_slice) ++plan.slices.back().count;
        goes_on = is_slice;
      }
    }
    return plan;
  }

  Column column_of(const AssemblyPlan& plan, std::size_t stream, bool keeps_values = true,
                   bool keeps_indices = true) const {
    const std::int64_t column = schema.columns[stream];
    return assemble(plan, {.column = static_cast<std::size_t>(column),
                           .stream = file.directory.note().stream_of(column),
                           .keeps_values = keeps_values,
                           .keeps_indices = keeps_indices});
  }

  [[nodiscard]] bool is_borrowed(const Buffer& buffer) const {
    return buffer.data() >= read.bytes->data() &&
           buffer.data() < read.bytes->data() + read.bytes->size_bytes();
  }
};

TEST(ChunkAssembler, AnySequencesOfAnyBlocksEqualTheFile) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Choices choices(seed);
    BuiltContainer built = testing::random_container(choices);
    if (built.chunks.empty()) continue;
    built.chunks.resize(1);
    const std::string bytes = testing::build_container(built);
    const std::vector<ReferenceSequence> whole = conformance::parse_sheaf(bytes, {}).sequences;
    const std::int64_t first = choices.below(std::ssize(whole));
    const std::int64_t count = 1 + choices.below(std::ssize(whole) - first);
    std::vector<bool> is_wanted;
    std::vector<std::int64_t> holes;
    for (std::int64_t i = 0; i < count; ++i) {
      is_wanted.push_back(!choices.once_in(3));
      if (!is_wanted.back()) holes.push_back(i);
    }
    for (const bool may_borrow : {false, true}) {
      for (const bool keeps : {false, true}) {
        AssembledBlocks blocks(bytes);
        const AssemblyPlan plan = blocks.plan_of(is_wanted, first, may_borrow);
        std::vector<Column> columns;
        for (std::size_t i = 0; i < blocks.schema.streams.size(); ++i) {
          columns.push_back(blocks.column_of(plan, i, keeps, keeps));
        }
        const Chunk chunk(blocks.schema.streams, count, std::move(columns), holes);
        for (std::int64_t i = 0; i < count; ++i) {
          for (std::size_t k = 0; k < blocks.schema.streams.size(); ++k) {
            const ReferenceStream found = conformance::to_reference(
                blocks.schema.streams[k], chunk.view(static_cast<std::int64_t>(k), i));
            const bool is_hole = !is_wanted[static_cast<std::size_t>(i)];
            EXPECT_EQ(found, is_hole ? ReferenceStream()
                                     : whole[static_cast<std::size_t>(first + i)].streams[k])
                << "sequence " << i << " of stream " << k;
          }
        }
      }
    }
  }
}

// Returns `blocks` blocks of two sequences, with the numbers of bytes in `sizes`.
BuiltContainer blocks_of_bytes(const std::vector<std::int64_t>& sizes, BuiltCodec codec) {
  BuiltContainer built{.streams = {{.name = "a", .type = ElementType::u8}}};
  testing::BuiltChunk& chunk = built.chunks.emplace_back();
  chunk.sample_counts = sizes;
  for (std::size_t i = 0; i < sizes.size(); i += 2) {
    std::vector<std::uint8_t> values;
    for (std::int64_t k = 0; k < sizes[i] + sizes[i + 1]; ++k) {
      values.push_back(static_cast<std::uint8_t>(k % 7));
    }
    chunk.blocks.push_back(
        {.columns = {{array_of<std::uint8_t>({}), array_of<std::int64_t>({sizes[i], sizes[i + 1]}),
                      array_of(values, codec)}}});
  }
  return built;
}

TEST(ChunkAssembler, TheBufferOfAWholeBlockIsMoved) {
  AssembledBlocks blocks(testing::build_container(blocks_of_bytes({5, 7}, BuiltCodec::packed)));
  const std::byte* const values = blocks.decoded[0][0].values.bytes.data();
  const Column column = blocks.column_of(blocks.plan_of({true, true}, 0, true), 0);
  EXPECT_EQ(column.values.data(), values);
  EXPECT_EQ(column.values.size_bytes(), 12);
  EXPECT_TRUE(column.value_byte_offsets.empty());
}

TEST(ChunkAssembler, APartOfADecodedBlockIsCopied) {
  AssembledBlocks blocks(testing::build_container(blocks_of_bytes({5, 7}, BuiltCodec::packed)));
  const std::byte* const values = blocks.decoded[0][0].values.bytes.data();
  const Column column = blocks.column_of(blocks.plan_of({true}, 1, true), 0);
  EXPECT_EQ(column.values.size_bytes(), 7);
  EXPECT_NE(column.values.data(), values + 5);
}

TEST(ChunkAssembler, RawValuesAreBorrowed) {
  AssembledBlocks blocks(testing::build_container(blocks_of_bytes({5, 7}, BuiltCodec::raw)));
  const AssemblyPlan borrowing = blocks.plan_of({true}, 1, true);
  const Column part = blocks.column_of(borrowing, 0);
  EXPECT_EQ(part.values.data(), blocks.decoded[0][0].values.bytes.data() + 5);
  EXPECT_EQ(part.values.size_bytes(), 7);
  EXPECT_FALSE(blocks.is_borrowed(blocks.column_of(borrowing, 0, false).values)) << "to convert";
  EXPECT_FALSE(blocks.is_borrowed(blocks.column_of(blocks.plan_of({true}, 1, false), 0).values))
      << "the plan does not allow it";
}

TEST(ChunkAssembler, LongSequencesOfSeveralBlocksKeepTheirLocations) {
  struct Case {
    std::vector<std::int64_t> sizes;
    bool has_offsets;
  };
  const Case cases[] = {
      {{63, 64, 64, 64}, false},
      {{64, 64, 64, 64}, true},
      {{65, 64, 64, 64}, true},
      {{256, 0, 0, 0}, true},  // on average
  };
  for (const Case& each : cases) {
    AssembledBlocks blocks(testing::build_container(blocks_of_bytes(each.sizes, BuiltCodec::raw)));
    const Column column = blocks.column_of(blocks.plan_of({true, true, true, true}, 0, true), 0);
    EXPECT_EQ(!column.value_byte_offsets.empty(), each.has_offsets) << each.sizes[0];
    EXPECT_EQ(blocks.is_borrowed(column.values), each.has_offsets);
  }
  // One block was decoded into its own memory, so all blocks are copied.
  BuiltContainer built = blocks_of_bytes({64, 64, 64, 64}, BuiltCodec::raw);
  built.chunks[0].blocks[1].columns[0][2].codec = BuiltCodec::packed;
  AssembledBlocks blocks(testing::build_container(built));
  const Column column = blocks.column_of(blocks.plan_of({true, true, true, true}, 0, true), 0);
  EXPECT_TRUE(column.value_byte_offsets.empty());
  EXPECT_EQ(column.values.size_bytes(), 256);
}

TEST(ChunkAssembler, ArraysImpliedByTheShapeAreLeftOut) {
  AssembledBlocks even(testing::build_container(blocks_of_bytes({1, 1}, BuiltCodec::raw)));
  const Column one_each = even.column_of(even.plan_of({true, true}, 0, true), 0);
  EXPECT_TRUE(one_each.sequence_offsets.empty());
  EXPECT_TRUE(one_each.presence.empty());
  EXPECT_TRUE(one_each.sample_offsets.empty());
  EXPECT_TRUE(one_each.extents.empty());
  const Column with_hole = even.column_of(even.plan_of({true, false}, 0, true), 0);
  EXPECT_EQ(with_hole.sequence_offsets.size_bytes(), 3 * 8);
  AssembledBlocks uneven(testing::build_container(blocks_of_bytes({1, 2}, BuiltCodec::raw)));
  const Column lengths = uneven.column_of(uneven.plan_of({true, true}, 0, true), 0);
  EXPECT_EQ(lengths.sequence_offsets.size_bytes(), 3 * 8);
}

TEST(ChunkAssembler, HolesDoNotNeedPresence) {
  BuiltContainer built = blocks_of_bytes({1, 0, 1, 1}, BuiltCodec::raw);
  built.chunks[0].blocks[0].columns[0][0] = array_of<std::uint8_t>({1, 0});
  AssembledBlocks blocks(testing::build_container(built));
  const auto presence_of = [&](const std::vector<bool>& is_wanted) {
    const Column column = blocks.column_of(blocks.plan_of(is_wanted, 0, true), 0);
    const auto presence = column.presence.as<std::uint8_t>();
    return std::vector<std::uint8_t>(presence.begin(), presence.end());
  };
  EXPECT_EQ(presence_of({true, true, true, true}), (std::vector<std::uint8_t>{1, 0, 1, 1}));
  EXPECT_EQ(presence_of({false, true, true, true}), (std::vector<std::uint8_t>{1, 0, 1, 1}));
  EXPECT_EQ(presence_of({true, false, true, true}), (std::vector<std::uint8_t>()));
}

}  // namespace
}  // namespace sheaf::container
