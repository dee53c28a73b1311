#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/packer.h"

#include "packer/made_up_data.h"
#include "support/test_memory.h"

namespace sheaf {
namespace {

using testing::small_minibatch;
using testing::TestMemory;
using testing::to_buffer;
using testing::to_vector;

using Floats = std::vector<float>;
using Ints = std::vector<std::int64_t>;
using Flags = std::vector<std::uint8_t>;

TEST(PaddedPacker, PadsDenseSequencesToTheLongestOfTheirStream) {
  TestMemory memory;
  const Minibatch minibatch = small_minibatch(Layout::padded, memory);
  const StreamBatch& x = minibatch.batch("x");
  EXPECT_EQ(to_vector<float>(x.values), (Floats{1, 2, 3, 4,     //
                                                0, 0, 0, 0,     // absent
                                                5, 6, 0, 0}));  // shorter
  EXPECT_EQ(to_vector<std::uint8_t>(x.mask), (Flags{1, 1, 0, 0, 1, 0}));
  EXPECT_EQ(to_vector<std::int64_t>(x.lengths), (Ints{2, 0, 1}));
  EXPECT_EQ(to_vector<std::uint8_t>(x.presence), (Flags{1, 0, 1}));
  EXPECT_TRUE(x.indices.empty());
  EXPECT_TRUE(x.row_offsets.empty());
  EXPECT_TRUE(x.extents.empty());
  EXPECT_TRUE(x.sequence_offsets.empty());
}

TEST(PaddedPacker, PaddingRowsOfSparseStreamsHaveNoEntries) {
  const Minibatch minibatch = small_minibatch(Layout::padded);
  const StreamBatch& y = minibatch.batch("y");
  EXPECT_EQ(to_vector<double>(y.values), (std::vector<double>{.1, .2, .3, .4}));
  EXPECT_EQ(to_vector<std::int32_t>(y.indices), (std::vector<std::int32_t>{1, 2, 0, 8}));
  EXPECT_EQ(to_vector<std::int64_t>(y.row_offsets), (Ints{0, 2, 2,  // one sample, one of padding
                                                          2, 4,  // an empty sample, and another one
                                                          4, 4}));  // only padding
  EXPECT_EQ(to_vector<std::uint8_t>(y.mask), (Flags{1, 0, 1, 1, 0, 0}));
  EXPECT_EQ(to_vector<std::int64_t>(y.lengths), (Ints{1, 2, 0}));
  EXPECT_TRUE(y.presence.empty());
  EXPECT_TRUE(y.extents.empty());
  EXPECT_TRUE(y.sequence_offsets.empty());
}

TEST(PaddedPacker, AbsentAndEmptySequencesHaveNoRows) {
  const auto streams = std::make_shared<std::vector<Stream>>(std::vector<Stream>{
      {.name = "x", .sample_shape = {2}},
      {.name = "y", .sample_shape = {9}, .storage = Storage::sparse},
  });
  std::vector<Column> columns(2);
  columns[0].sequence_offsets = to_buffer<std::int64_t>({0, 0, 0});
  columns[0].presence = to_buffer<std::uint8_t>({0, 0});
  columns[1].sample_offsets = to_buffer<std::int64_t>({0});
  columns[1].sequence_offsets = to_buffer<std::int64_t>({0, 0, 0});
  const Chunk chunk(*streams, 2, std::move(columns));
  SequenceList list(streams);
  list.add({0, 0}, chunk, 0);
  list.add({1, 0}, chunk, 1);
  const Minibatch minibatch = padded_packer()->pack(list);
  for (const char* name : {"x", "y"}) {
    const StreamBatch& batch = minibatch.batch(name);
    EXPECT_EQ(batch.sample_count_max, 0);
    EXPECT_EQ(batch.row_count(), 0);
    EXPECT_TRUE(batch.values.empty());
    EXPECT_TRUE(batch.mask.empty());
    EXPECT_EQ(to_vector<std::int64_t>(batch.lengths), (Ints{0, 0}));
  }
  EXPECT_EQ(to_vector<std::uint8_t>(minibatch.batch("x").presence), (Flags{0, 0}));
  EXPECT_EQ(to_vector<std::int64_t>(minibatch.batch("y").row_offsets), Ints{0});
}

}  // namespace
}  // namespace sheaf
