#include <cstdint>

#include <gtest/gtest.h>

#include "image/resize.h"
#include "image/resize_cases.h"
#include "image/resize_golden.h"

namespace sheaf::internal {
namespace {

using Bytes = MadeImage<std::uint8_t>;

TEST(ResizePillow, MatchesPillow) {
  ResizeMemory memory;
  for (const PillowCase& row : kPillowCases) {
    const Bytes from = formula_image<std::uint8_t>(row.width, row.height, row.channels);
    Bytes to(row.to_width, row.to_height, row.channels);
    resize_as_pillow(from.read(), row.box, to.view, row.filter, memory);
    EXPECT_EQ(hash_of(to), row.hash)
        << row.width << " x " << row.height << " x " << row.channels << " from " << row.box[0]
        << "," << row.box[1] << " to " << row.to_width << " x " << row.to_height << " by "
        << static_cast<int>(row.filter);
  }
}

TEST(ResizePillow, ReadsOnlyTheStatedRegion) {
  ResizeMemory memory;
  for (const PillowCase& row : kPillowCases) {
    Bytes from = formula_image<std::uint8_t>(row.width, row.height, row.channels);
    const PixelRegion region =
        read_by_pillow(row.width, row.height, row.box, row.to_width, row.to_height, row.filter);
    ASSERT_GE(region.x, 0);
    ASSERT_GE(region.y, 0);
    ASSERT_GE(region.width, 1);
    ASSERT_GE(region.height, 1);
    ASSERT_LE(region.x + region.width, row.width);
    ASSERT_LE(region.y + region.height, row.height);
    for (std::int64_t y = 0; y < row.height; ++y) {
      for (std::int64_t x = 0; x < row.width; ++x) {
        const bool is_inside = x >= region.x && x < region.x + region.width && y >= region.y &&
                               y < region.y + region.height;
        for (std::int64_t c = 0; c < row.channels && !is_inside; ++c) {
          std::uint8_t& value = from.view.row(y)[x * row.channels + c];
          value = static_cast<std::uint8_t>(255 - value);
        }
      }
    }
    Bytes to(row.to_width, row.to_height, row.channels);
    resize_as_pillow(from.read(), row.box, to.view, row.filter, memory);
    EXPECT_EQ(hash_of(to), row.hash) << row.width << " x " << row.height;
  }
}

}  // namespace
}  // namespace sheaf::internal
