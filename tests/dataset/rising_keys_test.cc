#include "dataset/rising_keys.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/text_data.h"

namespace sheaf::internal {
namespace {

using Keys = std::vector<std::uint64_t>;

NamedData file(const Keys& keys, std::int64_t chunk_size_bytes) {
  std::string text;
  for (const std::uint64_t key : keys) text += std::to_string(key) + " |x 1\n";
  return testing::ctf("a", text, testing::with_streams({testing::dense("x")}, chunk_size_bytes));
}

RC_GTEST_PROP(KeysRise, IfEachIsLargerThanThePrevious, ()) {
  const auto keys =
      *rc::gen::nonEmpty(rc::gen::container<Keys>(rc::gen::inRange<std::uint64_t>(0, 30)));
  Keys tried = keys;
  if (*rc::gen::arbitrary<bool>()) std::ranges::sort(tried);
  tried.erase(std::unique(tried.begin(), tried.end()),
              tried.end());  // drops repeated keys in a row
  const NamedData data = file(tried, *rc::gen::element<std::int64_t>(1, 20, 1000));
  const bool expected = std::ranges::adjacent_find(tried, std::greater_equal<>()) == tried.end();
  RC_ASSERT(keys_rise(data.data->index()) == expected);
}

TEST(KeysRise, AreNotRisingAfterAnOverflow) {
  constexpr std::uint64_t kLargest = ~std::uint64_t{0};
  EXPECT_TRUE(keys_rise(file({kLargest - 2, kLargest - 1, kLargest}, 1000).data->index()));
  EXPECT_FALSE(keys_rise(file({kLargest - 1, kLargest, 0, 1}, 1000).data->index()));
}

RC_GTEST_PROP(RisingKeys, FindExistingKeys, ()) {
  const auto some = [] {
    return *rc::gen::nonEmpty(
        rc::gen::container<std::set<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 50)));
  };
  const std::set<std::uint64_t> there = some();
  const std::vector<NamedData> members = {
      file(Keys(there.begin(), there.end()), *rc::gen::element<std::int64_t>(1, 20, 1000))};
  const auto max = *rc::gen::inRange<std::int64_t>(0, 20);
  RisingKeys rising(members, max);
  const std::set<std::uint64_t> asked = some();
  for (const std::uint64_t key : asked) {
    const std::optional<Match> match = rising.find(0, {.low = key});
    RC_ASSERT(match.has_value() == there.contains(key));
    if (!match) continue;
    RC_ASSERT(match->other == std::distance(there.begin(), there.find(key)));
    RC_ASSERT(match->sample_count == 1);
    RC_ASSERT(match->size_bytes == std::ssize(std::to_string(key)) + 6);
    RC_ASSERT(match->decoded_bytes > 0);
  }
  std::vector<std::int64_t> expected;
  std::int64_t number = 0;
  for (const std::uint64_t key : there) {
    if (!asked.contains(key) && std::ssize(expected) < max) expected.push_back(number);
    ++number;
  }
  RC_ASSERT(rising.unmatched(0) == expected);
}

}  // namespace
}  // namespace sheaf::internal
