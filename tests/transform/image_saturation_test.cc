#include "transform/image_saturation.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "transform/run_images.h"

namespace sheaf::internal {
namespace {

std::array<float, 3> scaled(std::array<float, 3> pixel, float ratio) {
  scale_saturation({pixel.data(), 1, 1, 3, 3}, ratio);
  return pixel;
}

void expect_near(const std::array<float, 3>& found, const std::array<float, 3>& expected) {
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(found[c], expected[c], 1e-3) << c;
}

TEST(ScaleSaturation, MatchesTheFormula) {
  expect_near(scaled({100, 150, 200}, 0.5F), {150, 175, 200});
  expect_near(scaled({100, 150, 200}, 1.5F), {50, 125, 200});
  expect_near(scaled({100, 150, 200}, 3), {0, 100, 200});  // saturation 1
  expect_near(scaled({100, 150, 200}, 0), {200, 200, 200});
  expect_near(scaled({0, 0, 0}, 2), {0, 0, 0});
  expect_near(scaled({77, 77, 77}, 2), {77, 77, 77});
}

TEST(ScaleSaturation, KeepsColorsAtOne) {
  for (const std::array<float, 3>& pixel : {std::array<float, 3>{255, 0, 0},
                                            {0, 255, 0},
                                            {0, 0, 255},
                                            {255, 255, 0},
                                            {255, 0, 255},
                                            {0, 255, 255},
                                            {1, 2, 3},
                                            {3, 2, 1},
                                            {2, 1, 3},
                                            {2, 3, 1},
                                            {1, 3, 2},
                                            {3, 1, 2}}) {
    expect_near(scaled(pixel, 1), pixel);
  }
}

TEST(ScaleSaturation, SupportsBothChannelOrders) {
  const TestImage image = random_image(1, 200, 3);
  for (std::size_t i = 0; i < image.values.size(); i += 3) {
    const std::array<float, 3> pixel = {static_cast<float>(image.values[i]),
                                        static_cast<float>(image.values[i + 1]),
                                        static_cast<float>(image.values[i + 2])};
    const std::array<float, 3> turned = scaled({pixel[2], pixel[1], pixel[0]}, 0.7F);
    expect_near(scaled(pixel, 0.7F), {turned[2], turned[1], turned[0]});
  }
}

}  // namespace
}  // namespace sheaf::internal
