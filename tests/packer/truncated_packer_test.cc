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

using testing::to_vector;

using Ints = std::vector<std::int64_t>;

/// Two sequences of 3 and 2 samples in a dense stream. Another stream has `second` samples in each.
class TruncatedPackerTest : public ::testing::Test {
 protected:
  explicit TruncatedPackerTest(Ints second = {3, 2}) : second_(std::move(second)) {}

  [[nodiscard]] Chunk chunk() const {
    std::vector<Column> columns(2);
    for (const float value : {1.F, 2.F, 3.F, 4.F, 5.F}) columns[0].values.push_back(value);
    for (const std::int64_t offset : {0, 3, 5}) columns[0].sequence_offsets.push_back(offset);
    std::int64_t samples = 0;
    columns[1].sequence_offsets.push_back(samples);
    columns[1].sample_offsets.push_back(samples);
    for (const std::int64_t count : second_) {
      for (std::int64_t i = 0; i < count; ++i) {
        columns[1].values.push_back(1.F);
        columns[1].indices.push_back(static_cast<std::int32_t>(samples + i));
        columns[1].sample_offsets.push_back(samples + i + 1);
      }
      columns[1].sequence_offsets.push_back(samples += count);
    }
    return {*streams_, 2, std::move(columns)};
  }

  [[nodiscard]] std::string error_of(const SequenceList& list) const {
    try {
      static_cast<void>(truncated_packer(2, 4)->pack(list));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "none";
  }

  std::shared_ptr<const std::vector<Stream>> streams_ = std::make_shared<std::vector<Stream>>(
      std::vector<Stream>{{.name = "x", .sample_shape = {1}},
                          {.name = "y", .sample_shape = {9}, .storage = Storage::sparse}});
  Ints second_;
};

TEST_F(TruncatedPackerTest, PiecesAreConsecutiveInTheirSlots) {
  const Chunk data = chunk();
  SequenceList list(streams_);
  list.add({7, 0}, data, 0, {2, 1}, 0);
  list.add({8, 0}, data, 1, {0, 2}, 0);
  list.add({7, 0}, data, 0, {0, 3}, 1);
  const Minibatch minibatch = truncated_packer(3, 4)->pack(list);
  const StreamBatch& x = minibatch.batch("x");
  EXPECT_EQ(x.layout, Layout::truncated);
  EXPECT_EQ(x.slot_count, 3);
  EXPECT_EQ(x.sample_count_max, 4);
  EXPECT_EQ(x.sample_count, 6);
  EXPECT_EQ(to_vector<float>(x.values), (std::vector<float>{3, 1, 0,  //
                                                            4, 2, 0,  //
                                                            5, 3, 0,  //
                                                            0, 0, 0}));
  EXPECT_EQ(to_vector<std::uint8_t>(x.mask),
            (std::vector<std::uint8_t>{1, 1, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(to_vector<std::int64_t>(x.slots), (Ints{0, 0, 1}));
  EXPECT_EQ(to_vector<std::int64_t>(x.begins), (Ints{0, 1, 0}));
  EXPECT_EQ(to_vector<std::int64_t>(x.lengths), (Ints{1, 2, 3}));
  const std::vector<SequenceSlice> slices(minibatch.slices().begin(), minibatch.slices().end());
  EXPECT_EQ(slices, (std::vector<SequenceSlice>{{2, 1, 3}, {0, 2, 2}, {0, 3, 3}}));

  const StreamBatch& y = minibatch.batch("y");
  EXPECT_EQ(to_vector<std::int32_t>(y.indices), (std::vector<std::int32_t>{2, 0, 3, 1, 4, 2}));
  EXPECT_EQ(to_vector<std::int64_t>(y.row_offsets), (Ints{0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 6, 6, 6}));
}

TEST_F(TruncatedPackerTest, AnEmptyMinibatchHasOnlyGaps) {
  const Minibatch minibatch = truncated_packer(2, 4)->pack(SequenceList(streams_));
  EXPECT_EQ(minibatch.batch("x").row_count(), 8);
  EXPECT_EQ(to_vector<float>(minibatch.batch("x").values), std::vector<float>(8));
}

TEST_F(TruncatedPackerTest, StreamsOfOneSequenceMustBeEquallyLong) {
  second_ = {1, 2};
  const Chunk data = chunk();
  SequenceList list(streams_);
  list.add({7, 0}, data, 0, {0, 3}, 0);
  EXPECT_EQ(error_of(list),
            "packing: sequence 7 has 3 samples, but 1 of samples 0 to 2 in stream \"y\": "
            "`truncated` takes sequences that are equally long in every stream; leave the stream "
            "out, or pack whole sequences");
}

TEST_F(TruncatedPackerTest, APieceOfAnAbsentStreamKeepsItsRows) {
  std::vector<Column> columns(2);
  for (const float value : {1.F, 2.F, 3.F, 4.F, 5.F}) columns[0].values.push_back(value);
  for (const std::int64_t offset : {0, 3, 5}) columns[0].sequence_offsets.push_back(offset);
  for (const std::int64_t offset : {0, 0, 2}) columns[1].sequence_offsets.push_back(offset);
  for (const std::int64_t offset : {0, 1, 2}) columns[1].sample_offsets.push_back(offset);
  for (const std::int32_t index : {6, 7}) columns[1].indices.push_back(index);
  for (const float value : {.5F, .25F}) columns[1].values.push_back(value);
  columns[1].presence = testing::to_buffer<std::uint8_t>({0, 1});
  const Chunk data(*streams_, 2, std::move(columns));
  SequenceList list(streams_);
  list.add({7, 0}, data, 0, {1, 2}, 0);
  list.add({8, 0}, data, 1, {0, 2}, 0);
  const Minibatch minibatch = truncated_packer(1, 4)->pack(list);
  for (const char* const name : {"x", "y"}) {
    EXPECT_EQ(to_vector<std::int64_t>(minibatch.batch(name).begins), (Ints{0, 2}));
  }
  const StreamBatch& y = minibatch.batch("y");
  EXPECT_EQ(to_vector<std::int64_t>(y.lengths), (Ints{0, 2}));
  EXPECT_EQ(to_vector<std::uint8_t>(y.presence), (std::vector<std::uint8_t>{0, 1}));
  EXPECT_EQ(to_vector<std::uint8_t>(y.mask), (std::vector<std::uint8_t>{0, 0, 1, 1}));
  EXPECT_EQ(to_vector<std::int64_t>(y.row_offsets), (Ints{0, 0, 0, 1, 2}));
  EXPECT_EQ(to_vector<std::int32_t>(y.indices), (std::vector<std::int32_t>{6, 7}));
}

TEST_F(TruncatedPackerTest, RefusesSequencesThatWereNotCut) {
  const Chunk data = chunk();
  SequenceList list(streams_);
  list.add({7, 0}, data, 0);
  EXPECT_EQ(error_of(list),
            "packing: `truncated` takes sequences that an order with a truncation_length has cut");
  EXPECT_THROW(static_cast<void>(truncated_packer(0, 4)), ConfigError);
  EXPECT_THROW(static_cast<void>(truncated_packer(1, 0)), ConfigError);
  EXPECT_THROW(static_cast<void>(make_packer(Layout::truncated)), ConfigError);
}

}  // namespace
}  // namespace sheaf
