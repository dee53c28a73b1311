#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/packer.h"

#include "packer/made_up_data.h"

namespace sheaf {
namespace {

using testing::to_buffer;
using testing::to_vector;

using Ints = std::vector<std::int64_t>;

std::shared_ptr<const std::vector<Stream>> two_streams() {
  return std::make_shared<const std::vector<Stream>>(std::vector<Stream>{
      {.name = "x", .sample_shape = {2}},
      {.name = "y", .sample_shape = {9}, .storage = Storage::sparse},
  });
}

/// Returns sequences whose numbers of samples of "x" are `counts`, with -1 for absent. "y" has one
/// sample in each.
Chunk chunk_of(const std::vector<Stream>& streams, const Ints& counts) {
  std::vector<Column> columns(2);
  columns[0].sequence_offsets.push_back(std::int64_t{0});
  columns[1].sample_offsets.push_back(std::int64_t{0});
  std::int64_t samples = 0;
  for (const std::int64_t count : counts) {
    columns[0].presence.push_back(static_cast<std::uint8_t>(count >= 0));
    for (std::int64_t i = 0; i < count; ++i, ++samples) {
      columns[0].values.push_back(static_cast<float>(samples));
      columns[0].values.push_back(static_cast<float>(-samples));
    }
    columns[0].sequence_offsets.push_back(samples);
    columns[1].values.push_back(1.F);
    columns[1].indices.push_back(std::int32_t{7});
    columns[1].sample_offsets.push_back(columns[1].values.size_bytes() / 4);
  }
  return {streams, std::ssize(counts), std::move(columns)};
}

TEST(FramesPacker, HasOneRowASequenceAndNoTimeAxis) {
  const auto streams = two_streams();
  const Chunk chunk = chunk_of(*streams, {1, 1, 1});
  SequenceList list(streams);
  for (const std::int64_t i : {2, 0, 1}) list.add({static_cast<std::uint64_t>(i), 0}, chunk, i);
  const Minibatch minibatch = frames_packer()->pack(list);
  const StreamBatch& x = minibatch.batch("x");
  EXPECT_EQ(x.layout, Layout::frames);
  EXPECT_EQ(x.row_count(), 3);
  EXPECT_EQ(x.sample_count_max, 1);
  EXPECT_EQ(to_vector<float>(x.values), (std::vector<float>{2, -2, 0, 0, 1, -1}));
  EXPECT_EQ(to_vector<std::int64_t>(x.lengths), (Ints{1, 1, 1}));
  const StreamBatch& y = minibatch.batch("y");
  EXPECT_EQ(to_vector<std::int64_t>(y.row_offsets), (Ints{0, 1, 2, 3}));
  EXPECT_EQ(to_vector<std::int32_t>(y.indices), (std::vector<std::int32_t>{7, 7, 7}));
  for (const StreamBatch* batch : {&x, &y}) {
    EXPECT_EQ(batch->slot_count, 0);
    for (const Buffer* buffer : {&batch->mask, &batch->sequence_offsets, &batch->slots,
                                 &batch->begins, &batch->presence, &batch->extents}) {
      EXPECT_TRUE(buffer->empty());
    }
  }
}

TEST(FramesPacker, RefusesSequencesOfSeveralSamples) {
  struct Case {
    Ints counts;
    const char* text;
  };
  const std::string what_to_do =
      ": `frames` takes sequences of exactly one sample in every stream; pack them as `padded`, "
      "`ragged` or `packed`, or make every sample a sequence of its own";
  const Case cases[] = {
      {{1, 3, 1}, "packing: sequence 101 has 3 samples in stream \"x\""},  // too many samples
      {{0, 1}, "packing: sequence 100 has 0 samples in stream \"x\""},     // too few samples
      {{1, 2, 5},
       "packing: sequence 101 has 2 samples in stream \"x\""},  // the first such sequence
  };
  for (const Case& c : cases) {
    const auto streams = two_streams();
    const Chunk chunk = chunk_of(*streams, c.counts);
    SequenceList list(streams);
    for (std::int64_t i = 0; i < std::ssize(c.counts); ++i) {
      list.add({static_cast<std::uint64_t>(100 + i), 0}, chunk, i);
    }
    try {
      static_cast<void>(frames_packer()->pack(list));
      ADD_FAILURE() << c.text;
    } catch (const ConfigError& error) {
      EXPECT_EQ(error.what(), c.text + what_to_do);
    }
  }
}

TEST(FramesPacker, AnAbsentStreamHasARowOfZeros) {
  const auto streams = two_streams();
  const Chunk chunk = chunk_of(*streams, {1, -1, 1});
  SequenceList list(streams);
  for (const std::int64_t i : {0, 1, 2}) list.add({static_cast<std::uint64_t>(i), 0}, chunk, i);
  const Minibatch minibatch = frames_packer()->pack(list);
  const StreamBatch& x = minibatch.batch("x");
  EXPECT_EQ(x.row_count(), 3);
  EXPECT_EQ(x.sample_count, 2);
  EXPECT_EQ(to_vector<float>(x.values), (std::vector<float>{0, 0, 0, 0, 1, -1}));
  EXPECT_EQ(to_vector<std::int64_t>(x.lengths), (Ints{1, 0, 1}));
  EXPECT_EQ(to_vector<std::uint8_t>(x.presence), (std::vector<std::uint8_t>{1, 0, 1}));
  EXPECT_EQ(minibatch.row_count(), 3);
}

TEST(FramesPacker, NamesAKeyByItsText) {
  const auto streams = two_streams();
  Chunk chunk = chunk_of(*streams, {1, 2});
  chunk.set_key_texts({"an4_001", "an4_002"});
  SequenceList list(streams);
  list.add({1, 2}, chunk, 0);
  list.add({3, 4}, chunk, 1);
  try {
    static_cast<void>(frames_packer()->pack(list));
    ADD_FAILURE();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("sequence \"an4_002\" has 2 samples"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace sheaf
