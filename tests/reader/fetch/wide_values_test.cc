#include "reader/fetch/wide_values.h"

#include <cstdint>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/chunk.h"

#include "support/buffer_of.h"

namespace sheaf::internal {
namespace {

using testing::buffer_of;

const std::vector<Stream> kWideStreams = {
    {.name = "x", .sample_shape = {2}},
    {.name = "y", .sample_shape = {100}, .storage = Storage::sparse},
};

/// Returns four sequences. Sequence i has i + 1 samples of the values `first` and `first + 1` in
/// "x", and one sample of i values in "y".
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

TEST(WideValues, CoverSeveralChunksInTheOrderOfCalls) {
  const HeldChunk a = chunk_of(3);
  const HeldChunk b = chunk_of(70'000);
  ASSERT_TRUE(a.is_narrow() && b.is_narrow());
  WideValues values(kWideStreams);
  for (int round = 0; round < 2; ++round) {  // after take() there are no values
    values.add(b, 3, 1);
    const std::span<const HeldChunk::StoredSequence> stored = values.add(a, 2, SampleRange{1, 9});
    EXPECT_EQ(stored[0].sample_count, 2);
    EXPECT_EQ(stored[0].whole_count, 3);
    EXPECT_EQ(stored[1].sample_count, 0) << "the range ends where the stream ends";
    values.add(a, 0, 2);
    EXPECT_EQ(values.size(), 4);
    const Chunk chunk = values.take();
    EXPECT_EQ(values.size(), 0);
    ASSERT_EQ(chunk.sequence_count(), 4);
    EXPECT_EQ(chunk.key_text(0), "");

    EXPECT_EQ(list_of<float>(chunk.view(0, 0).values, 8),
              (std::vector<float>{70'000, 70'001, 70'000, 70'001, 70'000, 70'001, 70'000, 70'001}));
    EXPECT_EQ(chunk.view(0, 1).value_count, 4);
    EXPECT_EQ(list_of<float>(chunk.view(0, 1).values, 4), (std::vector<float>{3, 4, 3, 4}));
    EXPECT_EQ(chunk.view(0, 0).indices, nullptr);
    EXPECT_EQ(chunk.view(0, 3).sample_count, 2);
    const SequenceView sparse = chunk.view(1, 0);
    EXPECT_EQ(list_of<std::int32_t>(sparse.indices, 3), (std::vector<std::int32_t>{30, 31, 32}));
    EXPECT_EQ(list_of<float>(sparse.values, 3), std::vector<float>(3, 1.F));
    EXPECT_EQ(sparse.sample_offsets[1] - sparse.sample_offsets[0], 3);
    EXPECT_EQ(chunk.view(1, 1).sample_count, 0);
    EXPECT_EQ(chunk.view(1, 2).sample_count, 1);
    EXPECT_EQ(chunk.view(1, 2).value_count, 0);
    EXPECT_EQ(list_of<std::int32_t>(chunk.view(1, 3).indices, 1), (std::vector<std::int32_t>{10}));
  }
}

TEST(WideValues, HaveKeyTextsAndPresence) {
  std::vector<Column> columns(1);
  columns[0].values = buffer_of(std::vector<float>(200, 7.F));
  columns[0].presence = buffer_of(std::vector<std::uint8_t>{1, 0, 1});
  columns[0].sequence_offsets = buffer_of(std::vector<std::int64_t>{0, 1, 1, 100});
  const std::vector<Stream> streams = {kWideStreams[0]};
  Chunk chunk(streams, 3, std::move(columns));
  chunk.set_key_texts({"a", "b", "c"});
  const HeldChunk held(std::move(chunk), streams, default_memory(), false);
  ASSERT_TRUE(held.is_narrow());
  WideValues values(streams);
  values.add(held, 1, 2);
  const Chunk wide = values.take();
  EXPECT_EQ(wide.key_text(0), "b");
  EXPECT_EQ(wide.key_text(1), "c");
  EXPECT_FALSE(wide.view(0, 0).is_present);
  EXPECT_TRUE(wide.view(0, 1).is_present);
  EXPECT_EQ(wide.view(0, 1).sample_count, 99);
  values.add(held, 0, 1);
  values.clear();
  EXPECT_EQ(values.size(), 0);
}

TEST(WideValues, EvenStreamsComeFromTheGivenMemory) {
  class Counting final : public std::pmr::memory_resource {
   public:
    int count = 0;  // of allocations

   private:
    void* do_allocate(std::size_t size, std::size_t alignment) override {
      ++count;
      return default_memory().allocate(size, alignment);
    }
    void do_deallocate(void* block, std::size_t size, std::size_t alignment) override {
      default_memory().deallocate(block, size, alignment);
    }
    [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
      return this == &other;
    }
  };
  Counting memory;
  const HeldChunk chunk = chunk_of(3);
  WideValues values(kWideStreams);
  values.add(chunk, 3, 1);
  EXPECT_TRUE(values.is_even(0)) << "one sequence";
  values.add(chunk, 2, 1);
  EXPECT_FALSE(values.is_even(0)) << "four samples and three";
  EXPECT_TRUE(values.is_even(1)) << "sparse";
  {
    const Chunk wide = values.take(memory);
    EXPECT_EQ(memory.count, 2) << "values and indices of the sparse stream";
  }
  values.add(chunk, 1, 1);
  EXPECT_TRUE(values.is_even(0)) << "take() forgets the sequences";
  const Chunk wide = values.take(memory);
  EXPECT_EQ(memory.count, 5) << "and values of the dense stream";
}

TEST(WideValues, MayBeEmpty) {
  WideValues values(kWideStreams);
  EXPECT_EQ(values.take().sequence_count(), 0);
  WideValues without_streams({});
  EXPECT_EQ(without_streams.take().sequence_count(), 0);
}

}  // namespace
}  // namespace sheaf::internal
