#include "base/key_set.h"

#include <cstdint>
#include <limits>
#include <set>
#include <utility>
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

TEST(KeySet, KeepsEveryKeyOnce) {
  KeySet set;
  for (const std::uint64_t key : {std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()}) {
    SCOPED_TRACE(key);
    EXPECT_TRUE(set.insert(key));
    EXPECT_FALSE(set.insert(key));
  }
}

TEST(WideKeySet, TellsNewKeysFromOldOnes) {
  const bool holds = rc::check([](const std::vector<std::pair<std::uint8_t, bool>>& keys) {
    WideKeySet set;
    std::set<std::pair<std::uint64_t, std::uint64_t>> expected;
    for (const auto& [bits, ones] : keys) {
      const std::uint64_t filling = ones ? ~std::uint64_t{0} << 8 : 0;
      const WideKey key{.low = filling | (bits & 0xF0), .high = filling | (bits & 0x0F)};
      RC_ASSERT(set.contains(key) == expected.contains({key.low, key.high}));
      RC_ASSERT(set.insert(key) == expected.insert({key.low, key.high}).second);
      RC_ASSERT(set.contains(key));
    }
  });
  EXPECT_TRUE(holds);
}

TEST(WideKeySet, KeepsEveryKeyOnce) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  WideKeySet set;
  for (const WideKey& key :
       {WideKey{0, 0}, WideKey{kMax, 0}, WideKey{0, kMax}, WideKey{kMax, kMax}}) {
    EXPECT_TRUE(set.insert(key));
    EXPECT_FALSE(set.insert(key));
  }
}

TEST(KeySet, VisitsEachKeyOnce) {
  const bool holds = rc::check([](const std::set<std::uint64_t>& keys) {
    KeySet set;
    set.insert(std::numeric_limits<std::uint64_t>::max());
    for (const std::uint64_t key : keys) set.insert(key);
    std::multiset<std::uint64_t> visited;
    set.for_each([&visited](std::uint64_t key) { visited.insert(key); });
    std::multiset<std::uint64_t> expected(keys.begin(), keys.end());
    expected.insert(std::numeric_limits<std::uint64_t>::max());
    RC_ASSERT(visited == expected);
  });
  EXPECT_TRUE(holds);
}

TEST(KeySet, SaysWhatGrowingTakes) {
  KeySet set;
  std::int64_t most = 0;
  for (std::int64_t count = 1; count <= 5000; ++count) {
    const std::int64_t before = set.size_bytes();
    const bool grows = set.is_full();
    const std::int64_t growing = set.growing_size_bytes();
    set.insert(static_cast<std::uint64_t>(count));
    EXPECT_EQ(set.size_bytes() > before, grows);
    if (grows) {
      EXPECT_EQ(growing, before + set.size_bytes());
      most = growing;
    }
    ASSERT_LE(most, KeySet::size_bytes_max(count));
    if (grows && before > 0) {
      ASSERT_EQ(most, KeySet::size_bytes_max(count));
    }
  }
}

TEST(KeySet, NeedsLittleMoreThan32BytesAKey) {
  KeySet set;
  constexpr std::int64_t kCount = 100'000;
  for (std::uint64_t i = 0; i < kCount; ++i) EXPECT_TRUE(set.insert(i << 40));
  EXPECT_LE(set.size_bytes(), 42 * kCount);  // sizes are powers of two
  for (std::uint64_t i = 0; i < kCount; ++i) EXPECT_FALSE(set.insert(i << 40));
}

}  // namespace
}  // namespace sheaf
