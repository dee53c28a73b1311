#include "reader/fetch/window_decoder.h"

#include <cstdint>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/executor.h"

#include "reader/plan/planner.h"
#include "reader/run_all.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::fake;
using sheaf::testing::FakeData;
using sheaf::testing::FakeDeserializer;

constexpr std::int64_t kChunkCount = 3;
constexpr std::int64_t kOtherBytes = 1000;

/// Returns three chunks of several units each.
FakeData many_units() {
  FakeData data;
  data.lengths.assign(kChunkCount, std::vector<std::int64_t>(60, 1));
  return data;
}

struct Decoded {
  bool is_decoded = false;
  std::vector<std::vector<std::int64_t>> held_bytes;  // [chunk][unit]
  std::int64_t found_count = 0;                       // found sequences
  std::int64_t reading_bytes = 0;
  std::int64_t used_bytes_max = 0;

  /// Returns the smallest limit that has room for all of it.
  [[nodiscard]] std::int64_t needed_bytes() const {
    std::int64_t bytes = kOtherBytes + Planner::kReadBufferBytes + reading_bytes;
    for (const auto& units : held_bytes) {
      bytes = std::accumulate(units.begin(), units.end(), bytes);
    }
    return bytes;
  }
};

Decoded decoded_in(const FakeDeserializer& data, std::int64_t limit_bytes, int threads = 3) {
  Ledger ledger(limit_bytes);
  DecodedRanges ranges(0, data.streams());
  const std::unique_ptr<Executor> executor = thread_pool(threads);
  Decoded decoded;
  decoded.is_decoded = decode_window(data, *executor, kChunkCount, ledger, kOtherBytes, ranges);
  EXPECT_EQ(ledger.held_bytes(), 0);
  EXPECT_LE(ledger.used_bytes_max(), limit_bytes);
  decoded.used_bytes_max = ledger.used_bytes_max();
  decoded.reading_bytes = ranges.reading_bytes();
  for (std::int64_t i = 0; i < kChunkCount; ++i) {
    const UnitBegins begins = ranges.begins_of(ChunkIndex{i});
    const UnitSizes sizes = ranges.held_bytes_of(ChunkIndex{i});
    EXPECT_EQ(begins != nullptr, decoded.is_decoded);
    EXPECT_EQ(sizes != nullptr, decoded.is_decoded);
    if (begins == nullptr || sizes == nullptr) continue;
    EXPECT_EQ(begins->size(), sizes->size());
    decoded.held_bytes.push_back(*sizes);
  }
  for (const FoundRange& found : ranges.take()) {
    EXPECT_TRUE(found.chunk->is_narrow());
    EXPECT_EQ(found.chunk->rows().sequence_count(), found.range.count);
    decoded.found_count += found.range.count;
  }
  return decoded;
}

TEST(WindowDecoder, HoldsAllUnitsNarrow) {
  const auto data = fake(many_units());
  const Decoded decoded = decoded_in(*data, 1 << 30);
  ASSERT_TRUE(decoded.is_decoded);
  EXPECT_EQ(decoded.found_count, 180);
  EXPECT_GT(decoded.held_bytes.at(0).size(), 5U);
  EXPECT_EQ(data->read_count(), std::ssize(decoded.held_bytes[0]) * kChunkCount);
  EXPECT_GT(decoded.used_bytes_max, kOtherBytes + Planner::kReadBufferBytes);
}

TEST(WindowDecoder, NeedsTheSameMemoryWithAnyNumberOfThreads) {
  const auto data = fake(many_units());
  const std::int64_t needed_bytes = decoded_in(*data, 1 << 30).needed_bytes();
  for (const int threads : {1, 2, 5}) {
    EXPECT_TRUE(decoded_in(*data, needed_bytes, threads).is_decoded) << threads;
    const Decoded none = decoded_in(*data, needed_bytes - 1, threads);
    EXPECT_FALSE(none.is_decoded) << threads;
    EXPECT_EQ(none.found_count, 0);
    EXPECT_EQ(none.reading_bytes, 0);
  }
}

TEST(WindowDecoder, ReadsNothingIfTheWindowCannotFit) {
  const auto data = fake(many_units());
  const std::int64_t needed_bytes = decoded_in(*data, 1 << 30).needed_bytes();
  const std::int64_t all_reads = data->read_count();
  const std::int64_t limit_bytes = kOtherBytes + Planner::kReadBufferBytes;
  ASSERT_LT(limit_bytes, needed_bytes);
  EXPECT_FALSE(decoded_in(*data, limit_bytes).is_decoded);
  EXPECT_EQ(data->read_count(), all_reads) << "not even one unit";
}

TEST(WindowDecoder, LeavesErrorsToTheSteps) {
  FakeData wrong = many_units();
  wrong.wrong[{0, 0}] = {7};
  wrong.flawed[{1, 59}] = {8};
  wrong.on_read = [](const ChunkRange& range) {
    if (range.chunk == ChunkIndex{2} && range.first == 0) throw std::runtime_error("no");
  };
  const Decoded decoded = decoded_in(*fake(std::move(wrong)), 1 << 30);
  const Decoded all = decoded_in(*fake(many_units()), 1 << 30);
  ASSERT_TRUE(decoded.is_decoded);
  ASSERT_EQ(decoded.held_bytes[0].size(), all.held_bytes[0].size());
  EXPECT_GT(decoded.held_bytes[0].front(), all.held_bytes[0].front()) << "as it is read";
  EXPECT_GT(decoded.held_bytes[1].back(), all.held_bytes[1].back());
  EXPECT_GT(decoded.held_bytes[2].front(), all.held_bytes[2].front());
  EXPECT_EQ(decoded.held_bytes[2].back(), all.held_bytes[2].back());
  EXPECT_LT(decoded.found_count, all.found_count);
  EXPECT_GT(decoded.found_count, all.found_count / 2);
}

TEST(WindowDecoder, LeavesUnexpectedChunksToTheSteps) {
  FakeData other = many_units();
  other.on_chunk = [](Chunk chunk) {
    return Chunk(std::span<const Stream>(), chunk.sequence_count(), std::vector<Column>());
  };
  const Decoded decoded = decoded_in(*fake(std::move(other)), 1 << 30);
  EXPECT_TRUE(decoded.is_decoded);
  EXPECT_EQ(decoded.found_count, 0);
}

}  // namespace
}  // namespace sheaf::internal
