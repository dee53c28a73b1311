#include "suggest.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::cli {
namespace {

TEST(Suggest, TheNearestName) {
  const std::vector<std::string> known = {
      "--minibatch-size", "--max-minibatches", "--sweeps", "--sweep-ends", "--seed", "-n"};
  struct Case {
    const char* typed;
    const char* expected;
  };
  const Case cases[] = {
      {"--minibach-size", "--minibatch-size"},   // a letter too few
      {"--minibatch-szie", "--minibatch-size"},  // two that changed places
      {"--mini_batch_size", "--minibatch-size"},
      {"--swep", "--sweeps"},  // the first of several as near
      {"--sweep", "--sweeps"},
      {"--max-mini", "--max-minibatches"},  // the beginning of a name
      {"--se", "--seed"},
      {"--frobnicate", ""},
      {"", ""},
  };
  for (const Case& each : cases) EXPECT_EQ(each.expected, nearest(each.typed, known)) << each.typed;
  EXPECT_EQ("; did you mean --seed?", suggestion("--sead", known));
  EXPECT_EQ("", suggestion("--frobnicate", known));
}

}  // namespace
}  // namespace sheaf::cli
