#include "transform/image_operation.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

TEST(ImageForm, HasAShape) {
  EXPECT_EQ((ImageForm{.height = 4, .width = 5, .channels = 3}).shape(), (Shape{4, 5, 3}));
  EXPECT_EQ((ImageForm{.height = 4, .width = 5, .channels = 3, .has_planes = true}).shape(),
            (Shape{3, 4, 5}));
}

TEST(AnyPixels, CopiesAPart) {
  std::vector<std::int32_t> from = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  std::vector<std::int32_t> to(4);
  const AnyPixels image{.type = ElementType::i32,
                        .values = reinterpret_cast<std::byte*>(from.data()),
                        .height = 3,
                        .width = 4,
                        .channels = 1,
                        .row_bytes = 16};
  const AnyPixels part = part_of(image, {.x = 1, .y = 1, .width = 2, .height = 2});
  copy_pixels(part, {.type = ElementType::i32,
                     .values = reinterpret_cast<std::byte*>(to.data()),
                     .height = 2,
                     .width = 2,
                     .channels = 1,
                     .row_bytes = 8});
  EXPECT_EQ(to, (std::vector<std::int32_t>{6, 7, 10, 11}));
  EXPECT_EQ(part.view<std::int32_t>().row_stride, 4);
}

TEST(RequirePixels, UsesTheLimitOfPillow) {
  EXPECT_NO_THROW(require_pixels(1, static_cast<double>(kImagePixelsMax)));
  EXPECT_THROW(require_pixels(1, static_cast<double>(kImagePixelsMax + 1)), ImageRefused);
  EXPECT_THROW(require_pixels(1e18, 1e18), ImageRefused);
}

}  // namespace
}  // namespace sheaf::internal
