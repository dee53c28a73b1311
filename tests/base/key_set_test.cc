#include "base/key_set.h"

#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace sheaf {
namespace {

TEST(KeySet, TellsNewKeysFromOldOnes) {
  const bool holds = rc::check([](const std::vector<std::uint16_t>& keys) {
    KeySet set;
    std::set<std::uint64_t> expected;
    for (const std::uint64_t key : keys) RC_ASSERT(set.insert(key) == expected.insert(key).second);
  });
  EXPECT_TRUE(holds);
}

TEST(KeySet, TakesEveryKeyOnce) {
  KeySet set;
  for (const std::uint64_t key : {std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()}) {
    SCOPED_TRACE(key);
    EXPECT_TRUE(set.insert(key));
    EXPECT_FALSE(set.insert(key));
  }
}

TEST(KeySet, NeedsLittleMoreThan32BytesAKey) {
  KeySet set;
  constexpr std::int64_t kCount = 100'000;
  for (std::uint64_t i = 0; i < kCount; ++i) EXPECT_TRUE(set.insert(i << 40));
  EXPECT_LE(set.size_bytes(), 42 * kCount);  // a power of two
  for (std::uint64_t i = 0; i < kCount; ++i) EXPECT_FALSE(set.insert(i << 40));
}

}  // namespace
}  // namespace sheaf
