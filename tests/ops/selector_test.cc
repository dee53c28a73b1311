#include "ops/selector.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "ops/conversion_data.h"

namespace sheaf::internal {
namespace {

TEST(Selector, AppliesAllConditions) {
  const Selection selection{.keys = {{"3", "4"}}, .min_length = 2, .max_length = 5};
  const Selector selector(selection, false);
  EXPECT_TRUE(selector.takes({.low = 3}, 2));
  EXPECT_TRUE(selector.takes({.low = 4}, 5));
  EXPECT_FALSE(selector.takes({.low = 5}, 3));
  EXPECT_FALSE(selector.takes({.low = 3}, 1));
  EXPECT_FALSE(selector.takes({.low = 3}, 6));
}

TEST(Selector, KeysHaveTheTypeOfTheData) {
  const Selector selector({.keys = {{"007", "a b"}}}, true);
  EXPECT_TRUE(selector.takes(key_of_text("007"), 1));
  EXPECT_FALSE(selector.takes({.low = 7}, 1));
  for (const char* const text : {"a b", "-1", "", "18446744073709551616", "1 "}) {
    EXPECT_THROW(Selector({.keys = {{text}}}, false), ConfigError) << text;
  }
}

TEST(Selector, UnknownKeysAreReportedInOrder) {
  Selector selector({.keys = {{"9", "5", "7", "5"}}}, false);
  selector.note({.low = 7});
  selector.note({.low = 8});
  EXPECT_EQ(selector.missing_keys(), (std::vector<std::string>{"9", "5"}));
}

TEST(Selector, LengthsComeFromTheIndex) {
  testing::ConversionData data;
  const auto all = data.open("in.ctf");
  EXPECT_EQ(selected_samples(all->index(), Selector({}, false)), 1000);
  EXPECT_EQ(selected_samples(all->index(), Selector({.min_length = 4}, false)), 400);
}

TEST(Selector, InvalidSharesAreRefused) {
  EXPECT_THROW(Selector({.share = 0}, false), ConfigError);
  EXPECT_THROW(Selector({.share = kWholeShare + 1}, false), ConfigError);
}

}  // namespace
}  // namespace sheaf::internal
