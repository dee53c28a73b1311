#include "options/suggest.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::cli {
namespace {

TEST(Suggest, TheNearestNameOrNothing) {
  const std::vector<std::string> known = {"--sweeps", "--seed"};
  EXPECT_EQ("; did you mean --seed?", suggestion("--sead", known));
  EXPECT_EQ("", suggestion("--frobnicate", known));
}

}  // namespace
}  // namespace sheaf::cli
