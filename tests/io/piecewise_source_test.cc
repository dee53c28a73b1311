#include "io/piecewise_source.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/test_sources.h"

namespace sheaf::internal {
namespace {

std::string text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(PiecewiseSource, RequestsNoMoreThanItsSize) {
  const std::string digits = "0123456789";
  const auto inner = std::make_shared<testing::TestSource>(digits);
  const PiecewiseSource source(inner, 3);
  EXPECT_EQ(source.size(), 10);
  std::vector<std::byte> all(10);
  source.read_at(0, all);
  EXPECT_EQ(text(all), digits);
  EXPECT_EQ(inner->read_size_max(), 3);
  EXPECT_EQ(inner->read_count(), 4);
}

TEST(PiecewiseSource, HasTheSpeedOfTheWrappedSource) {
  const auto fast = memory_source("1", "memory");
  EXPECT_TRUE(PiecewiseSource(fast, 1).has_fast_random_access());
  const auto slow = std::make_shared<testing::TestSource>("1");
  EXPECT_FALSE(PiecewiseSource(slow, 1).has_fast_random_access());
}

TEST(PiecewiseSource, SplitsEachOfManyReads) {
  const auto inner = std::make_shared<testing::TestSource>("0123456789");
  const PiecewiseSource source(inner, 2);
  std::vector<std::byte> head(3);
  std::vector<std::byte> tail(4);
  const ByteSource::Request requests[] = {{.offset = 6, .into = tail}, {.offset = 1, .into = head}};
  source.read_many(requests);
  EXPECT_EQ(text(head), "123");
  EXPECT_EQ(text(tail), "6789");
  EXPECT_EQ(inner->read_size_max(), 2);
}

}  // namespace
}  // namespace sheaf::internal
