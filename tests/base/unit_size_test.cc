#include "base/unit_size.h"

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

TEST(UnitSize, IsAMebibyteUntilATestSetsAnother) {
  EXPECT_EQ(unit_size_bytes(), 1 << 20);
  set_unit_size_bytes(24);
  EXPECT_EQ(unit_size_bytes(), 24);
  set_unit_size_bytes(kUnitSizeBytes);
  EXPECT_EQ(unit_size_bytes(), kUnitSizeBytes);
}

}  // namespace
}  // namespace sheaf::internal
