#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "transform/run_images.h"

namespace sheaf {
namespace {

TEST(Transpose, MakesAPlaneOfEachChannel) {
  const TestImage image{.extents = {2, 3, 2}, .values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
  const TestImage planes{.extents = {2, 2, 3}, .values = {1, 3, 5, 7, 9, 11, 2, 4, 6, 8, 10, 12}};
  for (const ElementType type : {ElementType::u8, ElementType::u16, ElementType::i32,
                                 ElementType::i64, ElementType::f32, ElementType::f64}) {
    for (const bool is_fixed : {false, true}) {
      EXPECT_EQ(run_images(*joined({"transpose"}),
                           {.pixels = {image}, .type = type, .is_fixed = is_fixed})[0],
                planes);
    }
  }
}

TEST(Transpose, TurnsShapes) {
  const std::vector<Stream> streams = {
      stream_of({.pixels = {random_image(4, 5, 3)}, .is_fixed = true})};
  EXPECT_EQ(to_string(joined({"transpose"})->outputs(streams)[0]), "image: dense u8 [3, 4, 5]");
}

}  // namespace
}  // namespace sheaf
