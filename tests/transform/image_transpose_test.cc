#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/each_simd_level.h"
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

class TransposeLevels : public internal::EachSimdLevel {};

TEST_P(TransposeLevels, MakesPlanesOfAllWidths) {
  for (const std::int64_t channels : {1, 3, 4}) {
    for (std::int64_t width = 1; width <= 70; ++width) {
      const TestImage image = random_image(3, width, channels);
      TestImage planes{.extents = {channels, 3, width}, .values = {}};
      for (std::int64_t c = 0; c < channels; ++c) {
        for (std::int64_t i = 0; i < 3 * width; ++i) {
          planes.values.push_back(image.values[static_cast<std::size_t>(i * channels + c)]);
        }
      }
      EXPECT_EQ(run_images(*joined({"transpose"}), {.pixels = {image}})[0], planes)
          << width << " x " << channels;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, TransposeLevels,
                         ::testing::Values(SimdLevel::baseline, SimdLevel::avx2, SimdLevel::avx512),
                         [](const auto& level) { return std::string(to_string(level.param)); });

TEST(Transpose, TransposesShapes) {
  const std::vector<Stream> streams = {
      stream_of({.pixels = {random_image(4, 5, 3)}, .is_fixed = true})};
  EXPECT_EQ(to_string(joined({"transpose"})->outputs(streams)[0]), "image: dense u8 [3, 4, 5]");
}

}  // namespace
}  // namespace sheaf
