#include "dataset/buckets.h"

#include <cstdint>
#include <map>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace sheaf::internal {
namespace {

RC_GTEST_PROP(Buckets, ReturnEntriesInOrder, (const std::vector<std::uint8_t>& puts)) {
  const auto bucket_count = *rc::gen::inRange<std::int64_t>(1, 5);
  const auto extent_records = *rc::gen::inRange<std::int64_t>(1, 6);
  Buckets<std::int64_t> buckets(bucket_count, extent_records);
  std::map<std::int64_t, std::vector<std::int64_t>> expected;
  for (std::int64_t i = 0; i < std::ssize(puts); ++i) {
    const std::int64_t bucket = puts[static_cast<std::size_t>(i)] % bucket_count;
    buckets.put(bucket, i);
    expected[bucket].push_back(i);
  }
  for (std::int64_t bucket = 0; bucket < bucket_count; ++bucket) {
    RC_ASSERT(buckets.take(bucket) == expected[bucket]);
    RC_ASSERT(buckets.take(bucket).empty());
  }
}

}  // namespace
}  // namespace sheaf::internal
