#include "format/columns/batch_cache.h"

#include <gtest/gtest.h>

#include "format/columns/arrow_tables.h"

namespace sheaf::columns {
namespace {

std::shared_ptr<const MemoryBatches> batches_of(std::int64_t count) {
  std::vector<ArrowNode> batches;
  for (std::int64_t i = 0; i < count; ++i) {
    batches.push_back(struct_of({named("x", numbers_of<std::int64_t>("l", {i}))}));
  }
  return std::make_shared<const MemoryBatches>(std::move(batches));
}

TEST(BatchCache, KeepsTheLastBatches) {
  const auto batches = batches_of(4);
  const BatchCache cache(batches, {0});
  static_cast<void>(cache.read(0));
  static_cast<void>(cache.read(1));
  static_cast<void>(cache.read(0));
  EXPECT_EQ(batches->reads, 2);
  static_cast<void>(cache.read(2));
  static_cast<void>(cache.read(3));
  static_cast<void>(cache.read(0));
  EXPECT_EQ(batches->reads, 5);
}

TEST(BatchCache, FindsBatchesThatAreStillReferenced) {
  const auto batches = batches_of(4);
  const BatchCache cache(batches, {0});
  const auto held = cache.read(0);
  for (std::int64_t batch = 1; batch < 4; ++batch) static_cast<void>(cache.read(batch));
  EXPECT_EQ(cache.read(0), held);
  EXPECT_EQ(batches->reads, 4);
}

std::shared_ptr<const MemoryBatches> wide_batches_of(std::int64_t count) {
  std::vector<ArrowNode> batches;
  for (std::int64_t i = 0; i < count; ++i) {
    batches.push_back(struct_of({named("x", numbers_of<std::int64_t>("l", {i})),
                                 named("y", numbers_of<std::int64_t>("l", {10 + i})),
                                 named("z", numbers_of<std::int64_t>("l", {20 + i}))}));
  }
  return std::make_shared<const MemoryBatches>(std::move(batches));
}

std::vector<std::int64_t> first_row(const ArrowArray& batch) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < batch.n_children; ++i) {
    const ArrowArray& column = *batch.children[i];
    values.push_back(static_cast<const std::int64_t*>(column.buffers[1])[column.offset]);
  }
  return values;
}

using Row = std::vector<std::int64_t>;

TEST(BatchCache, ReadsOnlyTheColumnsThatDoNotWait) {
  const auto batches = wide_batches_of(4);
  const BatchCache cache(batches, {2, 0, 1});
  for (std::int64_t batch = 0; batch < 4; ++batch) {
    const std::int64_t numbers[] = {0, 2};
    EXPECT_EQ(first_row(*cache.read_columns(batch, numbers)), (Row{batch, 20 + batch}));
  }
  EXPECT_EQ(batches->column_reads, 4 * 2);
  for (std::int64_t batch = 0; batch < 4; ++batch) {
    EXPECT_EQ(first_row(*cache.read(batch)), (Row{20 + batch, batch, 10 + batch}));
  }
  EXPECT_EQ(batches->column_reads, 4 * 3);
}

TEST(BatchCache, FindsColumnsThatWaitAndColumnsOfABatch) {
  const auto batches = wide_batches_of(1);
  const BatchCache cache(batches, {0, 1, 2});
  const std::int64_t y[] = {1};
  const std::int64_t z[] = {2};
  const auto waiting = cache.read_columns(0, y);
  EXPECT_EQ(cache.read_columns(0, y), waiting);
  EXPECT_EQ(batches->reads, 1);
  EXPECT_EQ(first_row(*cache.read(0)), (Row{0, 10, 20}));
  EXPECT_EQ(first_row(*cache.read_columns(0, z)), (Row{20}));
  EXPECT_EQ(batches->reads, 2);
}

// With a limit, the cache keeps two batches in all, and the columns of one batch wait.
TEST(BatchCache, OneBatchWaitsIfMemoryIsLimited) {
  const auto batches = wide_batches_of(4);
  const BatchCache cache(batches, {0, 1, 2}, true);
  const std::int64_t x[] = {0};
  for (const std::int64_t batch : {0, 1}) static_cast<void>(cache.read(batch));
  for (const std::int64_t batch : {2, 3}) static_cast<void>(cache.read_columns(batch, x));
  EXPECT_EQ(batches->column_reads, 2 * 3 + 2 * 1);
  static_cast<void>(cache.read(1));  // kept
  EXPECT_EQ(batches->column_reads, 8);
  static_cast<void>(cache.read(3));  // has waited
  EXPECT_EQ(batches->column_reads, 8 + 2);
  static_cast<void>(cache.read(2));  // dropped
  EXPECT_EQ(batches->column_reads, 10 + 3);
  static_cast<void>(cache.read(0));  // dropped
  EXPECT_EQ(batches->column_reads, 13 + 3);
}

// Without a limit, columns wait as long as they take kWaitingBytesMax together.
TEST(BatchCache, ColumnsWaitUpToALimitOfBytes) {
  constexpr std::int64_t kHalf = BatchCache::kWaitingBytesMax / 2;
  for (const std::int64_t beyond : {-1, 0, 1}) {
    std::vector<ArrowNode> batches;
    for (const std::int64_t size : {kHalf, kHalf + beyond}) {
      const std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
      batches.push_back(struct_of({named("x", numbers_of<std::uint8_t>("C", bytes)),
                                   named("y", numbers_of<std::uint8_t>("C", bytes))}));
    }
    const auto table = std::make_shared<const MemoryBatches>(std::move(batches));
    const BatchCache cache(table, {0, 1});
    const std::int64_t x[] = {0};
    for (const std::int64_t batch : {0, 1}) static_cast<void>(cache.read_columns(batch, x));
    static_cast<void>(cache.read(0));
    EXPECT_EQ(table->column_reads, 2 + (beyond > 0 ? 2 : 1)) << beyond;
  }
}

}  // namespace
}  // namespace sheaf::columns
