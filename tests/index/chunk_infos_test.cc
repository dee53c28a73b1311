#include "index/chunk_infos.h"

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "support/allocated_memory.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kInfosOfBlock = ChunkInfos::kBlockSize;

/// Returns chunks of a text, each about as long as a line or two.
std::vector<ChunkInfo> infos_of(std::int64_t count) {
  std::mt19937_64 random(7);
  const auto below = [&random](std::uint64_t limit) {
    return static_cast<std::int64_t>(random() % limit);
  };
  std::vector<ChunkInfo> infos;
  ChunkInfo info{.offset_bytes = 3, .first_line = 1};
  for (std::int64_t i = 0; i < count; ++i) {
    info.size_bytes = 50 + below(100);
    info.sequence_count = 1 + below(3);
    info.sample_count = below(20);
    info.decoded_size_bytes = 300 + below(200);
    infos.push_back(info);
    info.offset_bytes += info.size_bytes;
    info.first_line += 1 + below(5);
  }
  return infos;
}

ChunkInfos packed_list_of(const std::vector<ChunkInfo>& infos) {
  ChunkInfos list;
  for (const ChunkInfo& info : infos) list.push_back(info);
  return list;
}

void expect_same(const ChunkInfos& list, const std::vector<ChunkInfo>& infos) {
  ASSERT_EQ(list.size(), std::ssize(infos));
  std::int64_t before = 0;
  for (std::int64_t i = 0; i < list.size(); ++i) {
    const ChunkInfo& info = infos[static_cast<std::size_t>(i)];
    ASSERT_EQ(list[i], info) << i;
    ASSERT_EQ(list.sequences_before(i), before) << i;
    before += info.sequence_count;
  }
  EXPECT_EQ(list.sequences_before(list.size()), before);
}

TEST(ChunkInfos, AreKeptAroundTheSizeOfABlock) {
  for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, kInfosOfBlock - 1,
                                   kInfosOfBlock, kInfosOfBlock + 1, 3 * kInfosOfBlock + 1}) {
    const std::vector<ChunkInfo> infos = infos_of(count);
    expect_same(packed_list_of(infos), infos);
  }
}

TEST(ChunkInfos, AnyNumbersRoundTrip) {
  std::vector<ChunkInfo> infos;
  for (std::int64_t i = 0; i < kInfosOfBlock; ++i) {
    infos.push_back({.offset_bytes = i << 54,
                     .size_bytes = ~i,
                     .first_line = i % 2 << 62,
                     .sequence_count = i % 3,
                     .sample_count = -i,
                     .decoded_size_bytes = i * i << 40,
                     .hash = ~static_cast<std::uint64_t>(i)});
  }
  expect_same(packed_list_of(infos), infos);
}

TEST(ChunkInfos, TheLastOnesCanBeRemoved) {
  const std::vector<ChunkInfo> infos = infos_of(2 * kInfosOfBlock + 5);
  for (const std::int64_t count :
       {std::int64_t{0}, std::int64_t{1}, kInfosOfBlock - 1, kInfosOfBlock, kInfosOfBlock + 1,
        2 * kInfosOfBlock - 1, 2 * kInfosOfBlock, 2 * kInfosOfBlock + 1, 2 * kInfosOfBlock + 5}) {
    SCOPED_TRACE(count);
    ChunkInfos list = packed_list_of(infos);
    list.truncate(count);
    expect_same(list, {infos.begin(), infos.begin() + count});
    for (std::int64_t i = count; i < std::ssize(infos); ++i) {
      list.push_back(infos[static_cast<std::size_t>(i)]);
    }
    expect_same(list, infos);
  }
}

TEST(ChunkInfos, ReportTheirMemory) {
  const std::vector<ChunkInfo> infos = infos_of(100 * kInfosOfBlock + kInfosOfBlock / 2);
  const std::int64_t before = testing::allocated_memory();
  if (before == 0) GTEST_SKIP() << "the allocator does not count";
  const ChunkInfos list = packed_list_of(infos);
  const std::int64_t taken = testing::allocated_memory() - before;
  testing::expect_about(list.memory_bytes(), taken);
  EXPECT_LT(taken, 25 * std::ssize(infos));
}

}  // namespace
}  // namespace sheaf::internal
