#include <gtest/gtest.h>

#include "sheaf/extend/format.h"

namespace sheaf {
namespace {

TEST(CbfFormat, IsRecognizedByItsExtensionsForReadingAndWriting) {
  EXPECT_EQ(find_format("a.cbf", {}).name, "cbf");
  EXPECT_EQ(find_format("a.BIN", {}).name, "cbf");
  EXPECT_EQ(find_writable_format("a.bin", {}).name, "cbf");
}

}  // namespace
}  // namespace sheaf
