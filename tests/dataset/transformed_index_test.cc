#include "dataset/transformed_index.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "support/fake_deserializer.h"
#include "support/test_transforms.h"

namespace sheaf::internal {
namespace {

TEST(TransformedIndex, ForwardsCostsAndSources) {
  testing::FakeData data;
  data.lengths = {{4, 6}};
  data.measure = {.name = "points"};
  data.costs = {{5, 7}};
  const testing::FakeDeserializer source(data);
  const std::vector<TransformSpec> specs = {parse_transform("function:name=halve")};
  const TransformChain chain(source.streams(), specs, {.functions = &testing::test_functions()});
  const TransformedIndex index(source.index(), chain);
  EXPECT_EQ(index.cost_measure().name, "points");
  EXPECT_EQ(index.chunk_cost(ChunkIndex{0}), 12);
  ASSERT_TRUE(index.costs(ChunkIndex{0}));
  EXPECT_EQ((*index.costs(ChunkIndex{0}))[1], 7);
  EXPECT_EQ(index.sample_counts(ChunkIndex{0})[1], 3);
  EXPECT_EQ(index.source_name(0), source.index().source_name(0));
}

}  // namespace
}  // namespace sheaf::internal
