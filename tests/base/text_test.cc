#include "base/text.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace sheaf {
namespace {

TEST(Formatted, PutsValuesIntoText) {
  EXPECT_EQ(formatted("plain"), "plain");
  EXPECT_EQ(formatted("{} of {}", 3, std::string_view("4")), "3 of 4");
  EXPECT_EQ(formatted("{:04x}|{:>3}|{{}}", 0xabU, std::string("a")), "00ab|  a|{}");
}

}  // namespace
}  // namespace sheaf
