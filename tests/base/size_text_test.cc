#include "sheaf/extend/size_text.h"

#include <gtest/gtest.h>

namespace sheaf {
namespace {

TEST(SizeText, TakesTheUnitInWhichTheNumberIsBelow1024) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(1023), "1023 B");
  EXPECT_EQ(size_text(1024), "1.0 KiB");
  EXPECT_EQ(size_text(1.5 * (1 << 20)), "1.5 MiB");
  EXPECT_EQ(size_text(2.0 * (1 << 30)), "2.0 GiB");
  EXPECT_EQ(size_text(5000.0 * (1LL << 40)), "5000.0 TiB");
}

}  // namespace
}  // namespace sheaf
