#include "sheaf/extend/nearest.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf {
namespace {

TEST(Nearest, OfKnownNames) {
  const std::vector<std::string> known = {
      "--minibatch-size", "--max-minibatches", "--sweeps", "--sweep-ends", "--seed", "-n"};
  struct Case {
    const char* typed;
    const char* expected;
  };
  const Case cases[] = {
      {"--minibach-size", "--minibatch-size"},   // a letter too few
      {"--minibatch-szie", "--minibatch-size"},  // two letters swapped
      {"--mini_batch_size", "--minibatch-size"},
      {"--Minibatch-Size", "--minibatch-size"},  // case does not matter
      {"--swep", "--sweeps"},                    // the first of equally near names
      {"--sweep", "--sweeps"},
      {"--max-mini", "--max-minibatches"},  // the beginning of a name
      {"--se", "--seed"},
      {"--frobnicate", ""},
      {"", ""},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(each.expected, nearest_name(each.typed, known)) << each.typed;
  }
}

TEST(Nearest, NamesOfOneLetterAreNearOnlyIfTheLetterIsTheSame) {
  const std::vector<std::string> known = {"x", "uv"};
  EXPECT_EQ(nearest_name("y", known), "");
  EXPECT_EQ(nearest_name("X", known), "x");
  EXPECT_EQ(nearest_name("xx", known), "x");
  EXPECT_EQ(nearest_name("u", known), "uv");
  EXPECT_EQ(nearest_name("", known), "");
}

TEST(Nearest, LongNamesAreNearToNothing) {
  const std::string name(200'000, 'x');
  const std::vector<std::string> known = {name, "x"};
  EXPECT_EQ(nearest_name(name, known), "");
  EXPECT_EQ(nearest_name("xx", known), "x");
}

}  // namespace
}  // namespace sheaf
