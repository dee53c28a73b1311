#include "index/written_keys.h"

#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/types.h"

namespace sheaf::internal {
namespace {

std::vector<SequenceKey> numbers_as_keys(const std::vector<std::uint64_t>& numbers) {
  std::vector<SequenceKey> keys;
  for (const std::uint64_t number : numbers) keys.push_back({.low = number});
  return keys;
}

TEST(WrittenKeys, UniqueKeysAreAccepted) {
  for (const std::vector<std::uint64_t>& numbers :
       {std::vector<std::uint64_t>{}, {5}, {0, 1, 2, 7, 100}, {9, 8, 7, 6, 5}, {1, 2, 3, 0, 4}}) {
    WrittenKeys keys(0, 2);
    EXPECT_FALSE(keys.add(numbers_as_keys(numbers)));
    EXPECT_FALSE(keys.finish());
  }
}

struct RepeatedCase {
  std::vector<std::uint64_t> numbers;
  std::int64_t sequence;
  std::uint64_t key;
};

TEST(WrittenKeys, ReportsTheFirstRepeatedKey) {
  for (const RepeatedCase& one :
       {RepeatedCase{{4, 4}, 1, 4},                 // adjacent
        RepeatedCase{{1, 2, 3, 4, 2}, 4, 2},        // chunks later
        RepeatedCase{{1, 2, 3, 1, 2}, 3, 1},        // the first of two repeated keys
        RepeatedCase{{9, 8, 7, 6, 7, 9}, 4, 7}}) {  // never rising
    SCOPED_TRACE(one.key);
    WrittenKeys keys(0, 2);
    std::optional<WrittenKeys::Repeated> repeated;
    for (const SequenceKey& key : numbers_as_keys(one.numbers)) {
      if (!repeated) repeated = keys.add({&key, 1});
    }
    if (!repeated) repeated = keys.finish();
    ASSERT_TRUE(repeated);
    EXPECT_EQ(repeated->sequence, one.sequence);
    EXPECT_EQ(repeated->key, SequenceKey{.low = one.key});
  }
}

// There are more keys than fit into memory, so only their number is kept.
TEST(WrittenKeys, FindsTheKeyForAnyMemoryLimit) {
  constexpr std::int64_t kCount = 50'000;
  for (const std::int64_t limit_bytes : {std::int64_t{0}, std::int64_t{64} << 10}) {
    for (const bool has_repeated : {false, true}) {
      WrittenKeys keys(limit_bytes, 100);
      std::optional<WrittenKeys::Repeated> repeated;
      for (std::int64_t i = 0; i < kCount && !repeated; ++i) {
        const auto number = static_cast<std::uint64_t>(2 * (kCount - i));
        const SequenceKey key{.low = has_repeated && i == kCount - 7 ? 2 * kCount - 10 : number};
        repeated = keys.add({&key, 1});
      }
      if (!repeated) repeated = keys.finish();
      EXPECT_EQ(repeated.has_value(), has_repeated);
      EXPECT_EQ(repeated ? repeated->sequence : kCount - 7, kCount - 7);
    }
  }
}

}  // namespace
}  // namespace sheaf::internal
