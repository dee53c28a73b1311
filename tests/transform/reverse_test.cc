#include <gtest/gtest.h>

#include "transform/run_transform.h"

namespace sheaf {
namespace {

TEST(Reverse, GivesTheLastSampleFirst) {
  const std::vector<TestSequence> made = run_transform(*make_type("reverse"), {counting(3, 2)});
  EXPECT_EQ(made[0].samples, (std::vector<std::vector<double>>{{4, 5}, {2, 3}, {0, 1}}));
}

TEST(Reverse, SupportsSparseStreamsAndVariableShapes) {
  TestSequence sparse{.stream = {.name = "s", .sample_shape = Shape{9}, .storage = Storage::sparse},
                      .samples = {{1, 2}, {}, {3}},
                      .indices = {{0, 8}, {}, {4}}};
  const std::vector<TestSequence> made = run_transform(*make_type("reverse"), {sparse});
  EXPECT_EQ(made[0].samples, (std::vector<std::vector<double>>{{3}, {}, {1, 2}}));
  EXPECT_EQ(made[0].indices, (std::vector<std::vector<std::int64_t>>{{4}, {}, {0, 8}}));
  expect_slices(*make_type("reverse"), {sparse});

  const TestSequence bytes{.stream = {.name = "b",
                                      .element_type = ElementType::bytes,
                                      .sample_shape = Shape{Shape::kVariable}},
                           .samples = {{7, 8, 9}, {1}, {}}};
  EXPECT_EQ(run_transform(*make_type("reverse"), {bytes})[0].samples,
            (std::vector<std::vector<double>>{{}, {1}, {7, 8, 9}}));
  expect_slices(*make_type("reverse"), {bytes});
}

TEST(Reverse, SlicesEqualPartsOfTheWhole) {
  expect_slices(*make_type("reverse"), {counting(5, 3)});
}

}  // namespace
}  // namespace sheaf
