#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "transform/run_images.h"

namespace sheaf {
namespace {

const TestImage kImage = {.extents = {2, 3, 2}, .values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};

TestImage flipped(const std::string& options, std::uint64_t key = 0,
                  ElementType type = ElementType::u8) {
  return run_images(*joined({"flip:" + options}),
                    {.pixels = {kImage}, .type = type, .key = key})[0];
}

TEST(Flip, MirrorsHorizontallyOrVertically) {
  const std::vector<double> mirrored = {5, 6, 3, 4, 1, 2, 11, 12, 9, 10, 7, 8};
  const std::vector<double> turned = {7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6};
  for (const ElementType type : {ElementType::u8, ElementType::i64, ElementType::f32}) {
    EXPECT_EQ(flipped("probability=1", 0, type).values, mirrored);
    EXPECT_EQ(flipped("probability=1,axis=vertical", 0, type).values, turned);
    EXPECT_EQ(flipped("probability=0", 0, type), kImage);
  }
}

TEST(Flip, MirrorsColorsOfThreeBytes) {
  const TestImage image = random_image(2, 5, 3);
  const TestImage made = run_images(*joined({"flip:probability=1"}), {.pixels = {image}})[0];
  for (std::size_t y = 0; y < 2; ++y) {
    for (std::size_t x = 0; x < 5; ++x) {
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_EQ(made.values[(y * 5 + x) * 3 + c], image.values[(y * 5 + 4 - x) * 3 + c]);
      }
    }
  }
}

TEST(Flip, MirrorsWithTheGivenProbability) {
  constexpr int kCount = 2000;
  int mirrored = 0;
  for (std::uint64_t key = 0; key < kCount; ++key) {
    mirrored += flipped("probability=0.25", key) == kImage ? 0 : 1;
    KeyedGenerator generator({.key = {key, 0}, .transform = "flip"});
    EXPECT_EQ(flipped("probability=0.25", key) != kImage, generator.uniform() < 0.25);
  }
  EXPECT_NEAR(mirrored, kCount / 4, 100);
}

TEST(Flip, IsRandomUnlessTheResultIsKnown) {
  EXPECT_TRUE(joined({"flip"})->is_random());
  EXPECT_FALSE(joined({"flip:probability=0"})->is_random());
  EXPECT_FALSE(joined({"flip:probability=1"})->is_random());
  EXPECT_EQ(joined({"flip"})->options(), "axis=horizontal,probability=0.5");
}

}  // namespace
}  // namespace sheaf
