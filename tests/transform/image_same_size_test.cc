#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "image/image_decoder.h"
#include "image/made_images.h"
#include "support/error_of.h"
#include "transform/run_images.h"

namespace sheaf {
namespace {

TestImages pixels_of(std::int64_t height, std::int64_t width) {
  return {.pixels = {numbered_image(height, width)}};
}

// Draws for an image and applies the transform.
TestImage run_drawn(const Transform& transform, OrderedDraws& draws, TestImages images) {
  images.drawn = drawn_for(draws, 0, images);
  return run_images(transform, images)[0];
}

std::string refusal_of(const Transform& transform, OrderedDraws& draws, const TestImages& images) {
  return testing::error_of<ConfigError>(
      [&] { static_cast<void>(run_drawn(transform, draws, images)); });
}

TEST(SameSize, RefusesImagesOfAnotherSizeThanTheFirst) {
  const auto transform = joined({"same_size"});
  const auto draws = transform->ordered_draws({});
  EXPECT_EQ(run_drawn(*transform, *draws, pixels_of(3, 4)), numbered_image(3, 4));
  EXPECT_EQ(run_drawn(*transform, *draws, pixels_of(3, 4)), numbered_image(3, 4));
  EXPECT_EQ(
      refusal_of(*transform, *draws, pixels_of(4, 3)),
      "stream \"image\": expected images of 3 x 4 (height x width), as the first one, got one "
      "of 4 x 3; resize makes all images equally large");
  EXPECT_EQ(run_drawn(*transform, *draws, pixels_of(3, 4)), numbered_image(3, 4));
}

TEST(SameSize, ComparesTheSizeAtItsPlaceInThePipeline) {
  const auto transform = joined({"crop:size=2x3", "same_size"});
  const auto draws = transform->ordered_draws({});
  EXPECT_EQ(run_drawn(*transform, *draws, pixels_of(5, 4)).extents,
            (std::vector<std::int64_t>{2, 3, 1}));
  EXPECT_EQ(run_drawn(*transform, *draws, pixels_of(2, 9)).extents,
            (std::vector<std::int64_t>{2, 3, 1}));
  EXPECT_NE(refusal_of(*transform, *draws, pixels_of(5, 2)).find("got one of 2 x 2"),
            std::string::npos);
}

TEST(SameSize, HasTheFirstSizeInItsState) {
  const auto transform = joined({"crop:size=9,at=random,draws=ordered", "same_size"});
  const auto draws = transform->ordered_draws({});
  EXPECT_EQ(draws->state(), (std::vector<std::int64_t>{0, 0}));
  static_cast<void>(run_drawn(*transform, *draws, pixels_of(3, 4)));
  EXPECT_EQ(draws->state(), (std::vector<std::int64_t>{1, 0, 2, 3, 4}));
  const auto later = transform->ordered_draws(draws->state());
  EXPECT_EQ(later->state(), draws->state());
  EXPECT_NE(refusal_of(*transform, *later, pixels_of(3, 5)).find("expected images of 3 x 4"),
            std::string::npos);
  EXPECT_NE(testing::error_of<ConfigError>([&] {
              static_cast<void>(transform->ordered_draws(std::vector<std::int64_t>{0, 1, 3}));
            }).find("the position does not fit the transforms"),
            std::string::npos);
}

TEST(SameSize, PassesOverImagesThatAreWrong) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  const auto transform = joined({"decode", "same_size"});
  const auto draws = transform->ordered_draws({});
  EXPECT_TRUE(drawn_for(*draws, 0, {.files = {"no image"}}).empty());
  EXPECT_EQ(draws->state(), (std::vector<std::int64_t>{0}));

  // The header and the end are good, but not the pixels.
  std::string damaged = internal::image_file("exif_1.jpg");
  damaged.erase(damaged.size() / 2, damaged.size() / 4);
  EXPECT_FALSE(drawn_for(*draws, 0, {.files = {damaged}}).empty());
  EXPECT_EQ(draws->state(), (std::vector<std::int64_t>{0}));
  static_cast<void>(drawn_for(*draws, 0, {.files = {internal::image_file("dot.png")}}));
  EXPECT_EQ(draws->state(), (std::vector<std::int64_t>{2, 1, 1}));
  const std::vector<double> numbers = drawn_for(*draws, 0, {.files = {damaged}});
  ASSERT_EQ(numbers.size(), 4U);
  EXPECT_EQ(numbers[0], numbers[2]) << "its own size is right";
}

}  // namespace
}  // namespace sheaf
