#include "ops/output_names.h"

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

TEST(OutputNames, NameShards) {
  EXPECT_EQ(shard_path("train.cbf", 0, 3), "train-00000-of-00003.cbf");
  EXPECT_EQ(shard_path("a.b/train", 12, 99999), "a.b/train-00012-of-99999");
  EXPECT_EQ(shard_path("/a/train.x.ctf", 2, 3), "/a/train.x-00002-of-00003.ctf");
}

TEST(OutputNames, NameParts) {
  EXPECT_EQ(part_path("data.cbf", "test"), "data.test.cbf");
  EXPECT_EQ(part_path("a.b/data", "test"), "a.b/data.test");
  EXPECT_EQ(part_path("a/.data", "test"), "a/.data.test");
}

}  // namespace
}  // namespace sheaf::internal
