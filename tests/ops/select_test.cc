#include "sheaf/select.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/types.h"

namespace sheaf {
namespace {

std::string refusal_of(const std::string& text) {
  try {
    static_cast<void>(parse_split(text));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "none";
}

// Splitting the same data must always give the same parts, so these numbers never change.
TEST(KeySplit, PositionsOfKeysMatchTheGoldenValues) {
  EXPECT_EQ(billionth_of({.low = 0}), 815039300);
  EXPECT_EQ(billionth_of({.low = 1}), 152139728);
  EXPECT_EQ(billionth_of({.low = 2}), 800039940);
  EXPECT_EQ(billionth_of({.low = 318}), 53293551);
  EXPECT_EQ(billionth_of({.low = 0x0123456789ABCDEF, .high = 0xFEDCBA9876543210}), 710900425);
  EXPECT_EQ(billionth_of(key_of_text("utterance-7")), 988262620);
}

TEST(KeySplit, PartsAreConsecutive) {
  const std::vector<SplitPart> parts = parse_split("a=0.25,b=0.5,c=0.25");
  std::array<std::int64_t, 3> counts{};
  for (std::uint64_t key = 0; key < 100'000; ++key) {
    const std::int64_t billionth = billionth_of({.low = key});
    ASSERT_TRUE(billionth >= 0 && billionth < 1'000'000'000) << billionth;
    const std::size_t expected = billionth < 250'000'000 ? 0 : billionth < 750'000'000 ? 1 : 2;
    ASSERT_EQ(part_of({.low = key}, parts), expected) << key;
    ++counts[expected];
  }
  EXPECT_NEAR(static_cast<double>(counts[0]), 25'000, 600);  // four standard deviations
  EXPECT_NEAR(static_cast<double>(counts[1]), 50'000, 700);
  EXPECT_NEAR(static_cast<double>(counts[2]), 25'000, 600);
}

TEST(KeySplit, AGrowingPartKeepsItsSequences) {
  const std::vector<SplitPart> small = parse_split("train=0.8,test=0.2");
  const std::vector<SplitPart> large = parse_split("train=0.9,test=0.1");
  for (std::uint64_t key = 0; key < 10'000; ++key) {
    if (part_of({.low = key}, small) == 1) continue;
    ASSERT_EQ(part_of({.low = key}, large), 0U);
  }
}

TEST(KeySplit, SharesAreDecimalNumbers) {
  const std::vector<SplitPart> expected = {
      {"train", 700'000'000}, {"dev_1", 299'999'999}, {"T-2", 1}};
  EXPECT_EQ(parse_split("train=.7,dev_1=0.299999999,T-2=0.000000001"), expected);
  EXPECT_EQ(parse_split("all=1"), (std::vector<SplitPart>{{"all", 1'000'000'000}}));
  EXPECT_EQ(parse_split("a=0.7,b=0.2,c=0.1").size(), 3U);  // the binary fractions do not add up to
                                                           // 1
}

TEST(KeySplit, ErrorsAreDescribed) {
  const struct {
    const char* text;
    const char* why;
  } cases[] = {
      {"", "\"\" has no share"},
      {"train", "\"train\" has no share"},
      {"a=0.5,", "\"\" has no share"},
      {"=1", "a name has letters, digits, _ and - alone, got \"\""},
      {"a/b=1", "a name has letters, digits, _ and - alone, got \"a/b\""},
      {"a=0,b=1", "a share is a decimal number above 0, up to 1, of at most 9 decimals, got \"0\""},
      {"a=-1", "a share is a decimal number above 0, up to 1, of at most 9 decimals, got \"-1\""},
      {"a=.", "a share is a decimal number above 0, up to 1, of at most 9 decimals, got \".\""},
      {"a=1.1", "a share is a decimal number above 0, up to 1, of at most 9 decimals, got \"1.1\""},
      {"a=10", "a share is a decimal number above 0, up to 1, of at most 9 decimals, got \"10\""},
      {"a=0.1234567890", "up to 1, of at most 9 decimals, got \"0.1234567890\""},
      {"a=0.5x", "up to 1, of at most 9 decimals, got \"0.5x\""},
      {"a=0.5,a=0.5", "there are two parts \"a\""},
      {"a=0.5,b=0.4", "shares add up to 1, these to 0.900000000"},
      {"a=0.9,b=0.9", "shares add up to 1, these to 1.800000000"},
  };
  for (const auto& [text, why] : cases) {
    const std::string refusal = refusal_of(text);
    EXPECT_TRUE(refusal.starts_with(std::string("split ") + text + ": ")) << refusal;
    EXPECT_NE(refusal.find(why), std::string::npos) << refusal;
    EXPECT_TRUE(refusal.ends_with("; a split is NAME=SHARE,..., as train=0.9,test=0.1")) << refusal;
  }
}

TEST(Selection, SharesAreExact) {
  EXPECT_EQ(parse_share("0.1"), 100'000'000);
  EXPECT_EQ(parse_share("1"), kWholeShare);
  for (const char* const text : {"", "0", "-0.1", "1.1", "0.1x", "0.0000000001"}) {
    EXPECT_THROW(static_cast<void>(parse_share(text)), ConfigError) << text;
  }
}

TEST(Selection, KeysAreLines) {
  const std::vector<std::string> expected = {"7", "an utterance", "12"};
  EXPECT_EQ(parse_keys("7\n\n  an utterance \r\n12"), expected);
  EXPECT_TRUE(parse_keys(" \n").empty());
}

TEST(Selection, SelectsEverythingByDefault) {
  EXPECT_TRUE(Selection{}.is_all());
  EXPECT_FALSE(Selection{.keys = std::vector<std::string>{}}.is_all());
  EXPECT_FALSE(Selection{.min_length = 1}.is_all());
  EXPECT_FALSE(Selection{.max_length = 9}.is_all());
  EXPECT_FALSE(Selection{.share = 5}.is_all());
}

}  // namespace
}  // namespace sheaf
