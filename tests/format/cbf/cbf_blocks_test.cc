#include "format/cbf/cbf_blocks.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/chunk.h"

#include "format/cbf/cbf_bytes.h"
#include "format/cbf/cbf_test_file.h"

namespace sheaf::cbf {
namespace {

using conformance::dense_block;
using conformance::sparse_block;
using Floats = std::vector<float>;

const FileStream kDense{.name = "a", .dim = 2};
const FileStream kSparse{.name = "b", .storage = Storage::sparse, .dim = 9};

template <typename T>
std::vector<T> list(const std::byte* data, std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  std::memcpy(values.data(), data, values.size() * sizeof(T));
  return values;
}

TEST(MeasureBlock, UsesTheCountsOfTheBlock) {
  const std::string dense = dense_block(3, Floats(6)) + "more";
  const Block a = measure_block(kDense, as_bytes(dense).data(), std::ssize(dense));
  EXPECT_FALSE(a.wrong);
  EXPECT_EQ(a.size_bytes, 28);
  EXPECT_EQ(a.sample_count, 3);
  EXPECT_EQ(a.value_count, 6);

  const std::string sparse = sparse_block(2, Floats{1, 2, 3}, {0, 1, 2}, {1, 2}) + "more";
  const Block b = measure_block(kSparse, as_bytes(sparse).data(), std::ssize(sparse));
  EXPECT_FALSE(b.wrong);
  EXPECT_EQ(b.size_bytes, std::ssize(sparse) - 4);
  EXPECT_EQ(b.sample_count, 2);
  EXPECT_EQ(b.value_count, 3);
}

TEST(MeasureBlock, RefusesACountBeyondTheBytes) {
  FileStream wide = kDense;
  wide.dim = 0xFFFFFFFF;
  wide.element_type = ElementType::f64;
  const std::string most(16, '\xFF');
  const Block dense = measure_block(wide, as_bytes(most).data(), 16);
  ASSERT_TRUE(dense.wrong);
  EXPECT_EQ(dense.wrong->kind, &kBlockCut);
  EXPECT_EQ(dense.wrong->found, 0xFFFFFFFF);

  const Block sparse = measure_block(kSparse, as_bytes(most).data(), 16);
  ASSERT_TRUE(sparse.wrong);
  EXPECT_EQ(sparse.wrong->kind, &kEntryCount);
  EXPECT_EQ(sparse.wrong->byte_offset, 4);

  const std::string block = dense_block(2, Floats(4));
  for (std::int64_t room = 0; room < std::ssize(block); ++room) {
    EXPECT_TRUE(measure_block(kDense, as_bytes(block).data(), room).wrong) << room;
  }
}

TEST(WalkBlocks, StopsAtTheFirstDamagedBlock) {
  const std::string bytes =
      dense_block(1, Floats(2)) + dense_block(2, Floats(4)) + dense_block(9, Floats(2));
  const std::byte* begin = as_bytes(bytes).data();
  const Blocks blocks = walk_blocks(kDense, begin, begin + bytes.size(), 3);
  ASSERT_TRUE(blocks.wrong);
  EXPECT_EQ(blocks.wrong_block, 2);
  EXPECT_EQ(blocks.end - begin, 12 + 20);
  EXPECT_EQ(blocks.sample_count, 3);
  EXPECT_EQ(blocks.value_count, 6);
}

/// Returns a chunk with consecutive blocks as its only column.
Chunk chunk_of(const FileStream& file, const Stream& stream, const std::string& bytes,
               std::int64_t count, bool allows_missing = false,
               std::vector<std::int64_t> holes = {}) {
  const auto owner = std::make_shared<const std::string>(bytes);
  const auto all = as_bytes(*owner);
  const Blocks blocks = walk_blocks(file, all.data(), all.data() + all.size(), count);
  EXPECT_FALSE(blocks.wrong);
  ColumnBuilder builder(file, stream, allows_missing, all,
                        {count, blocks.sample_count, blocks.value_count});
  EXPECT_EQ(builder.append(all.data(), count), all.data() + all.size());
  for (const ColumnBuilder::Wrong& wrong : builder.wrong()) holes.push_back(wrong.sequence);
  std::vector<Column> columns;
  columns.push_back(builder.finish(owner, holes));
  const std::vector<Stream> streams = {stream};
  return {streams, count, std::move(columns), holes};
}

const Stream kDenseStream{.name = "a", .sample_shape = {2}};
const Stream kSparseStream{.name = "b", .sample_shape = {9}, .storage = Storage::sparse};

TEST(ColumnBuilder, BorrowsTheValuesOfDenseBlocks) {
  const std::string bytes = dense_block(2, Floats{1, 2, 3, 4}) + dense_block(1, Floats{5, 6});
  const Chunk chunk = chunk_of(kDense, kDenseStream, bytes, 2);
  EXPECT_EQ(list<float>(chunk.view(0, 0).values, 4), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(chunk.view(0, 1).sample_count, 1);
  EXPECT_EQ(list<float>(chunk.view(0, 1).values, 2), (Floats{5, 6}));
  EXPECT_EQ(chunk.columns()[0].values.capacity_bytes(), 0) << "nothing was copied";
}

TEST(ColumnBuilder, StoresNoLengthsOfOne) {
  const std::string one = dense_block(1, Floats{1, 2});
  EXPECT_TRUE(chunk_of(kDense, kDenseStream, one + one, 2).columns()[0].sequence_offsets.empty());
}

TEST(ColumnBuilder, BorrowsValuesAndIndicesOfSparseBlocks) {
  const std::string bytes =
      sparse_block(2, Floats{1, 2}, {8, 0}, {0, 2}) + sparse_block(1, Floats{3}, {4}, {1});
  const Chunk chunk = chunk_of(kSparse, kSparseStream, bytes, 2);
  const SequenceView first = chunk.view(0, 0);
  EXPECT_EQ(first.sample_count, 2);
  EXPECT_EQ(first.sample_offsets[1] - first.sample_offsets[0], 0);
  EXPECT_EQ(first.sample_offsets[2] - first.sample_offsets[0], 2);
  EXPECT_EQ(list<float>(first.values, 2), (Floats{1, 2}));
  EXPECT_EQ(list<std::int32_t>(first.indices, 2), (std::vector<std::int32_t>{8, 0}));
  const SequenceView second = chunk.view(0, 1);
  EXPECT_EQ(list<float>(second.values, second.value_count), Floats{3});
  EXPECT_EQ(list<std::int32_t>(second.indices, 1), std::vector<std::int32_t>{4});
}

TEST(ColumnBuilder, ConvertsValuesAndIndicesToTheRequestedTypes) {
  Stream dense = kDenseStream;
  dense.element_type = ElementType::f64;
  const Chunk wide = chunk_of(kDense, dense, dense_block(1, Floats{1.5F, -2}), 1);
  EXPECT_EQ(list<double>(wide.view(0, 0).values, 2), (std::vector<double>{1.5, -2}));

  FileStream file = kDense;
  file.element_type = ElementType::f64;
  const Chunk narrow =
      chunk_of(file, kDenseStream, dense_block(1, std::vector<double>{0.1, 1e300}), 1);
  EXPECT_EQ(list<float>(narrow.view(0, 0).values, 2),
            (Floats{0.1F, std::numeric_limits<float>::infinity()}));

  Stream sparse = kSparseStream;
  sparse.index_type = ElementType::i64;
  const std::string bytes = sparse_block(1, Floats{1}, {8}, {1}) + sparse_block(1, {2}, {7}, {1});
  const Chunk chunk = chunk_of(kSparse, sparse, bytes, 2);
  EXPECT_EQ(list<std::int64_t>(chunk.view(0, 1).indices, 1), std::vector<std::int64_t>{7});
  EXPECT_EQ(list<float>(chunk.view(0, 1).values, 1), Floats{2});
}

TEST(ColumnBuilder, ABlockWithoutSamplesIsAnErrorUnlessAllowed) {
  const std::string bytes =
      dense_block(1, Floats{1, 2}) + dense_block(0, Floats{}) + dense_block(1, Floats{3, 4});
  EXPECT_TRUE(chunk_of(kDense, kDenseStream, bytes, 3).is_hole(1));
  const Chunk chunk = chunk_of(kDense, kDenseStream, bytes, 3, true);
  EXPECT_FALSE(chunk.view(0, 1).is_present);
  EXPECT_EQ(list<float>(chunk.view(0, 2).values, 2), (Floats{3, 4}));
}

TEST(ColumnBuilder, HolesHaveNoSamples) {
  const std::string bytes = sparse_block(2, Floats{1, 2}, {0, 1}, {1, 1}) +
                            sparse_block(3, Floats{3}, {2}, {0, 1, 0}) +
                            sparse_block(1, Floats{4}, {9}, {1}) +  // the dim is 9
                            sparse_block(2, Floats{5, 6}, {3, 4}, {2, 0});
  const Chunk chunk = chunk_of(kSparse, kSparseStream, bytes, 4, false, {1});
  EXPECT_EQ(chunk.view(0, 0).sample_count, 2);
  EXPECT_EQ(chunk.view(0, 1).sample_count, 0);
  EXPECT_EQ(chunk.view(0, 2).sample_count, 0);
  const SequenceView last = chunk.view(0, 3);
  EXPECT_EQ(last.sample_count, 2);
  EXPECT_EQ(last.sample_offsets[1] - last.sample_offsets[0], 2);
  EXPECT_EQ(list<float>(last.values, 2), (Floats{5, 6}));
}

// Offsets of sequences whose samples have one entry each, except for the last sequences.
struct Offsets {
  const char* what;
  std::string bytes;
  std::int64_t sequences;
  std::vector<std::int64_t> holes;
  std::vector<std::int64_t> expected;  // of the remaining samples
};

TEST(ColumnBuilder, SampleOffsetsAreWrittenFromTheFirstSampleWithoutOneEntry) {
  const std::string ones = sparse_block(3, Floats{1, 2, 3}, {0, 1, 2}, {1, 1, 1});
  const std::string none_last = sparse_block(2, Floats{4}, {3}, {1, 0});
  const std::string same_sum = sparse_block(2, Floats{4, 5}, {3, 4}, {2, 0});
  const std::string wrong_sum = sparse_block(1, Floats{4, 5}, {3, 4}, {1});
  const std::string wrong_index = sparse_block(1, Floats{4}, {9}, {1});
  const std::vector<Offsets> cases = {
      {"one each", ones + ones, 2, {}, {0, 1, 2, 3, 4, 5, 6}},                 //
      {"a last sample without", ones + none_last, 2, {}, {0, 1, 2, 3, 4, 4}},  //
      {"as many entries as samples", ones + same_sum, 2, {}, {0, 1, 2, 3, 5, 5}},
      {"from the first", none_last + ones, 2, {}, {0, 1, 1, 2, 3, 4}},
      {"counts that are wrong", ones + wrong_sum + ones, 3, {}, {0, 1, 2, 3, 4, 5, 6}},
      {"an index that is wrong", ones + wrong_index + ones, 3, {}, {0, 1, 2, 3, 4, 5, 6}},
      {"a hole of another stream", ones + ones, 2, {0}, {0, 1, 2, 3}},
      {"a hole before others", ones + none_last + ones, 3, {0}, {0, 1, 1, 2, 3, 4}},
      {"no sample that stays", ones, 1, {0}, {0}},
  };
  for (const Offsets& each : cases) {
    SCOPED_TRACE(each.what);
    const Chunk chunk =
        chunk_of(kSparse, kSparseStream, each.bytes, each.sequences, false, each.holes);
    const auto offsets = chunk.columns()[0].sample_offsets.as<std::int64_t>();
    EXPECT_EQ(std::vector<std::int64_t>(offsets.begin(), offsets.end()), each.expected);
  }
  EXPECT_EQ(chunk_of(kSparse, kSparseStream, ones, 1).columns()[0].sample_offsets.capacity_bytes(),
            0)
      << "offsets that just count are shared";
}

}  // namespace
}  // namespace sheaf::cbf
