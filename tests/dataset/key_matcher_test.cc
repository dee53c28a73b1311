#include "dataset/key_matcher.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace sheaf::internal {
namespace {

using Keys = std::vector<std::uint64_t>;

void add(KeyMatcher& matcher, std::int64_t set, const Keys& keys) {
  for (std::int64_t i = 0; i < std::ssize(keys); ++i) {
    matcher.add(set, {.key = {.low = keys[static_cast<std::size_t>(i)]},
                      .number = i,
                      .sample_count = i + 1,
                      .size_bytes = i + 2,
                      .decoded_bytes = i + 3});
  }
}

Keys distinct_keys(int below, std::size_t size_max) {
  const auto keys = *rc::gen::container<std::vector<std::uint64_t>>(
      rc::gen::inRange<std::uint64_t>(0, static_cast<std::uint64_t>(below)));
  Keys distinct;
  std::set<std::uint64_t> seen;
  for (const std::uint64_t key : keys) {
    if (seen.insert(key).second && distinct.size() < size_max) distinct.push_back(key);
  }
  return distinct;
}

RC_GTEST_PROP(KeyMatcher, AgreesWithAMap, ()) {
  const Keys first = distinct_keys(60, 60);
  const Keys second = distinct_keys(60, 60);
  const Keys third = distinct_keys(60, 60);
  KeyMatcher matcher(3);
  add(matcher, 2, third);
  add(matcher, 0, first);
  add(matcher, 1, second);
  RC_ASSERT(!matcher.match());
  for (const std::int64_t set : {1, 2}) {
    const Keys& other = set == 1 ? second : third;
    std::map<std::uint64_t, std::int64_t> number_of;
    for (const std::uint64_t key : other) number_of.emplace(key, std::ssize(number_of));
    for (std::int64_t i = 0; i < std::ssize(first); ++i) {
      const auto expected = number_of.find(first[static_cast<std::size_t>(i)]);
      const std::optional<Match> found = matcher.find(set, i);
      RC_ASSERT(found.has_value() == (expected != number_of.end()));
      if (!found) continue;
      RC_ASSERT(found->other == expected->second);
      RC_ASSERT(found->sample_count == expected->second + 1);
      RC_ASSERT(found->size_bytes == expected->second + 2);
      RC_ASSERT(found->decoded_bytes == expected->second + 3);
    }
  }
}

RC_GTEST_PROP(KeyMatcher, ListsTheFirstUnmatchedRows, ()) {
  const Keys first = distinct_keys(60, 60);
  const Keys second = distinct_keys(60, 60);
  const auto max = *rc::gen::inRange<std::int64_t>(0, 40);
  std::vector<std::int64_t> expected;
  for (std::int64_t i = 0; i < std::ssize(second) && std::ssize(expected) < max; ++i) {
    if (std::ranges::find(first, second[static_cast<std::size_t>(i)]) == first.end()) {
      expected.push_back(i);
    }
  }
  KeyMatcher matcher(2, max);
  add(matcher, 0, first);
  add(matcher, 1, second);
  RC_ASSERT(!matcher.match());
  RC_ASSERT(matcher.unmatched(1) == expected);
}

TEST(KeyMatcher, MatchesMoreKeysThanFitInMemory) {
  constexpr std::int64_t kCount = 300'000;  // more than the first memory extents hold
  KeyMatcher matcher(2);
  for (std::int64_t i = 0; i < kCount; ++i) {
    matcher.add(0, {.key = {.low = static_cast<std::uint64_t>(i)}, .number = i});
    const std::int64_t key = (i * 7) % kCount;
    matcher.add(1, {.key = {.low = static_cast<std::uint64_t>(key)}, .number = i});
  }
  ASSERT_FALSE(matcher.match());
  for (std::int64_t i = 0; i < kCount; ++i) {
    const std::optional<Match> match = matcher.find(1, i);
    ASSERT_TRUE(match) << i;
    ASSERT_EQ((match->other * 7) % kCount, i);
  }
}

TEST(KeyMatcher, RowsMayBeSkipped) {
  KeyMatcher matcher(2);
  Keys keys(2000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
  add(matcher, 0, keys);
  add(matcher, 1, keys);
  ASSERT_FALSE(matcher.match());
  for (const std::int64_t number : {3, 4, 1000, 1999}) {
    EXPECT_EQ(matcher.find(1, number)->other, number);
  }
}

TEST(KeyMatcher, FindsTheFirstRepeatedKeyOfASet) {
  KeyMatcher matcher(3);
  add(matcher, 0, {1, 2, 3});
  add(matcher, 1, {1, 2, 9, 8, 7, 8, 9});
  add(matcher, 2, {5, 5});
  const std::optional<RepeatedKey> repeated = matcher.match();
  ASSERT_TRUE(repeated);
  EXPECT_EQ(repeated->set, 1);
  EXPECT_EQ(repeated->key.low, 8U);
  EXPECT_EQ(repeated->earlier, 3);
  EXPECT_EQ(repeated->later, 5);
}

TEST(KeyMatcher, ATripleKeyIsReportedByItsFirstTwoRows) {
  KeyMatcher matcher(1);
  add(matcher, 0, {4, 1, 4, 4});
  const std::optional<RepeatedKey> repeated = matcher.match();
  ASSERT_TRUE(repeated);
  EXPECT_EQ(repeated->earlier, 0);
  EXPECT_EQ(repeated->later, 2);
}

TEST(KeyMatcher, BothHalvesOfAKeyAreCompared) {
  KeyMatcher matcher(2);
  matcher.add(0, {.key = {.low = 1, .high = 2}});
  matcher.add(1, {.key = {.low = 1, .high = 3}});
  ASSERT_FALSE(matcher.match());
  EXPECT_FALSE(matcher.find(1, 0));
}

}  // namespace
}  // namespace sheaf::internal
