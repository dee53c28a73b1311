#include "reader/fetch/wide_values.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/chunk.h"

#include "support/buffer_of.h"

namespace sheaf::internal {
namespace {

using testing::buffer_of;

constexpr SampleRange kWholeSequence{0, SampleRange::kAll};

const std::vector<Stream> kWideStreams = {
    {.name = "x", .sample_shape = {2}},
    {.name = "y", .sample_shape = {100}, .storage = Storage::sparse},
};

/// Four sequences: number i has i + 1 samples of `first` and `first + 1` in "x", and one of i
/// values in "y".
HeldChunk chunk_of(float first) {
  std::vector<Column> columns(2);
  std::vector<std::int64_t> begins = {0};
  for (std::int64_t i = 0; i < 4; ++i) {
    begins.push_back(begins.back() + i + 1);
    for (std::int64_t k = 0; k <= i; ++k) {
      columns[0].values.push_back(first);
      columns[0].values.push_back(first + 1);
    }
  }
  columns[0].sequence_offsets = buffer_of(begins);
  columns[1].values = buffer_of(std::vector<float>(6, 1.F));
  columns[1].indices = buffer_of(std::vector<std::int32_t>{10, 20, 21, 30, 31, 32});
  columns[1].sample_offsets = buffer_of(std::vector<std::int64_t>{0, 0, 1, 3, 6});
  return {Chunk(kWideStreams, 4, std::move(columns)), kWideStreams, default_memory(), false};
}

template <typename T>
std::vector<T> list_of(const std::byte* values, std::int64_t count) {
  const auto* const first = reinterpret_cast<const T*>(values);
  return {first, first + count};
}

TEST(WideValues, AreThoseOfSequencesOfSeveralChunksInTheOrderOfTheCalls) {
  const HeldChunk a = chunk_of(3);
  const HeldChunk b = chunk_of(70'000);
  ASSERT_TRUE(a.is_narrow() && b.is_narrow());
  WideValues values(kWideStreams);
  for (int round = 0; round < 2; ++round) {  // the memory serves again
    values.clear();
    values.add(b, 3, kWholeSequence);
    const std::span<const SequenceView> views = values.add(a, 2, {1, 9});
    EXPECT_EQ(views[0].sample_count, 2);
    EXPECT_EQ(views[1].sample_count, 0) << "the range ends where the stream ends";
    EXPECT_EQ(values.whole_count(), 3);
    values.add(a, 0, kWholeSequence);
    EXPECT_EQ(values.size(), 3);
    values.widen();

    EXPECT_EQ(list_of<float>(values.view(0, 0).values, 8),
              (std::vector<float>{70'000, 70'001, 70'000, 70'001, 70'000, 70'001, 70'000, 70'001}));
    EXPECT_EQ(values.view(0, 1).value_count, 4);
    EXPECT_EQ(list_of<float>(values.view(0, 1).values, 4), (std::vector<float>{3, 4, 3, 4}));
    EXPECT_EQ(values.view(0, 0).indices, nullptr);
    const SequenceView& sparse = values.view(1, 0);
    EXPECT_EQ(list_of<std::int32_t>(sparse.indices, 3), (std::vector<std::int32_t>{30, 31, 32}));
    EXPECT_EQ(list_of<float>(sparse.values, 3), std::vector<float>(3, 1.F));
    EXPECT_EQ(sparse.sample_offsets[1] - sparse.sample_offsets[0], 3);
    const SequenceView& empty = values.view(1, 2);
    EXPECT_EQ(empty.sample_count, 1);
    EXPECT_EQ(empty.sample_offsets[1], empty.sample_offsets[0]);
  }
}

TEST(WideValues, MayBeNone) {
  WideValues values(kWideStreams);
  values.widen();
  EXPECT_EQ(values.size(), 0);
  WideValues without_streams({});
  without_streams.widen();
  EXPECT_EQ(without_streams.size(), 0);
}

}  // namespace
}  // namespace sheaf::internal
