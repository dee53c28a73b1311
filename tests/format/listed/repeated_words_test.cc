#include "format/listed/repeated_words.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "base/permutation.h"

namespace sheaf::internal {
namespace {

// Words that differ in low bits, in high bits, or in both; and the word 0.
TEST(RepeatedWords, ARepeatedWordIsFound) {
  const auto word_of = [](std::uint64_t i) { return (i << 55) ^ (i % 37) ^ (i * i << 20); };
  constexpr std::uint64_t kCount = 3000;
  for (const std::uint64_t again : {kCount, std::uint64_t{0}, std::uint64_t{1}, kCount - 1}) {
    RepeatedWords words;
    EXPECT_FALSE(words.has_repeated());
    for (std::uint64_t i = 0; i < kCount; ++i) words.add(word_of(i));
    EXPECT_FALSE(words.has_repeated());
    words.add(word_of(again));
    EXPECT_EQ(words.has_repeated(), again < kCount) << again;
  }
}

TEST(RepeatedWords, NumbersBecomeUniqueWords) {
  RepeatedWords words;
  constexpr std::uint64_t kCount = 100'000;
  for (std::uint64_t i = 0; i < kCount; ++i) words.add(mixed(i << 40));
  EXPECT_FALSE(words.has_repeated());
  words.add(mixed(std::uint64_t{77} << 40));
  EXPECT_TRUE(words.has_repeated());
}

TEST(RepeatedWords, NeighboursDoNotHideARepeatedWord) {
  for (std::uint64_t again = 0; again < 100; ++again) {
    RepeatedWords words;
    for (std::uint64_t i = 0; i < 100; ++i) words.add(i << 10);  // all hash to the same entry
    EXPECT_FALSE(words.has_repeated());
    words.add(again << 10);
    EXPECT_TRUE(words.has_repeated()) << again;
  }
}

}  // namespace
}  // namespace sheaf::internal
