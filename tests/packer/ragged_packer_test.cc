#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/packer.h"

#include "packer/made_up_data.h"

namespace sheaf {
namespace {

using testing::small_minibatch;
using testing::to_buffer;
using testing::to_vector;

using Ints = std::vector<std::int64_t>;
using Flags = std::vector<std::uint8_t>;

TEST(RaggedPacker, PacksDenseSamplesConsecutively) {
  const Minibatch minibatch = small_minibatch(Layout::ragged);
  const StreamBatch& x = minibatch.batch("x");
  EXPECT_EQ(to_vector<float>(x.values), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(to_vector<std::int64_t>(x.sequence_offsets), (Ints{0, 2, 2, 3}));
  EXPECT_EQ(to_vector<std::int64_t>(x.lengths), (Ints{2, 0, 1}));
  EXPECT_EQ(to_vector<std::uint8_t>(x.presence), (Flags{1, 0, 1}));
  EXPECT_TRUE(x.indices.empty());
  EXPECT_TRUE(x.row_offsets.empty());
  EXPECT_TRUE(x.extents.empty());
  EXPECT_TRUE(x.mask.empty());
}

TEST(RaggedPacker, SparseStreamsAreRowsOfSamples) {
  const Minibatch minibatch = small_minibatch(Layout::ragged);
  const StreamBatch& y = minibatch.batch("y");
  EXPECT_EQ(to_vector<double>(y.values), (std::vector<double>{.1, .2, .3, .4}));
  EXPECT_EQ(to_vector<std::int32_t>(y.indices), (std::vector<std::int32_t>{1, 2, 0, 8}));
  EXPECT_EQ(to_vector<std::int64_t>(y.row_offsets), (Ints{0, 2, 2, 4}));
  EXPECT_EQ(to_vector<std::int64_t>(y.sequence_offsets), (Ints{0, 1, 3, 3}));
  EXPECT_EQ(to_vector<std::int64_t>(y.lengths), (Ints{1, 2, 0}));
  EXPECT_TRUE(y.presence.empty());
  EXPECT_TRUE(y.mask.empty());
}

TEST(RaggedPacker, SamplesOfVariableShapeHaveExtents) {
  const auto streams = std::make_shared<std::vector<Stream>>(std::vector<Stream>{
      {.name = "image", .element_type = ElementType::u8, .sample_shape = {Shape::kVariable, 2}},
      {.name = "blob", .element_type = ElementType::bytes, .sample_shape = {Shape::kVariable}},
  });
  std::vector<Column> columns(2);
  columns[0].values = to_buffer<std::uint8_t>({1, 2, 3, 4, 5, 6});
  columns[0].sample_offsets = to_buffer<std::int64_t>({0, 4, 4, 6});
  columns[0].extents = to_buffer<std::int64_t>({2, 2, 0, 2, 1, 2});
  columns[0].sequence_offsets = to_buffer<std::int64_t>({0, 2, 3});
  columns[1].values = to_buffer<std::uint8_t>({'a', 'b', 'c'});
  columns[1].sample_offsets = to_buffer<std::int64_t>({0, 2, 3});
  columns[1].extents = to_buffer<std::int64_t>({2, 1});
  const Chunk chunk(*streams, 2, std::move(columns));
  SequenceList list(streams);
  list.add({1, 0}, chunk, 1);  // not in the order of the chunk
  list.add({0, 0}, chunk, 0);
  const std::unique_ptr<Packer> packer = ragged_packer();
  EXPECT_NO_THROW(packer->check(*streams));
  const Minibatch minibatch = packer->pack(list);

  const StreamBatch& image = minibatch.batch("image");
  EXPECT_EQ(to_vector<std::uint8_t>(image.values), (Flags{5, 6, 1, 2, 3, 4}));
  EXPECT_EQ(to_vector<std::int64_t>(image.row_offsets), (Ints{0, 2, 6, 6}));
  EXPECT_EQ(to_vector<std::int64_t>(image.extents), (Ints{1, 2, 2, 2, 0, 2}));
  EXPECT_EQ(to_vector<std::int64_t>(image.sequence_offsets), (Ints{0, 1, 3}));
  const StreamBatch& blob = minibatch.batch("blob");
  EXPECT_EQ(to_vector<std::uint8_t>(blob.values), (Flags{'c', 'a', 'b'}));
  EXPECT_EQ(to_vector<std::int64_t>(blob.row_offsets), (Ints{0, 1, 3}));
  EXPECT_EQ(to_vector<std::int64_t>(blob.extents), (Ints{1, 2}));
}

}  // namespace
}  // namespace sheaf
