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

}  // namespace
}  // namespace sheaf::columns
