#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "image/image_decoder.h"
#include "support/error_of.h"
#include "transform/image_draws.h"
#include "transform/run_images.h"

namespace sheaf {
namespace {

const std::vector<std::string> kChain = {
    "decode", "crop:side_ratio=0.5:1,jitter=uniform,at=random,flip=true,draws=ordered,seed=3",
    "resize:size=4x4", "crop:size=2,at=random,draws=ordered,seed=9"};

TestImages image_of(std::int64_t height, std::int64_t width) {
  return {.files = {png_of(random_image(height, width, 3))}};
}

TEST(ImageOrderedDraws, UseTheGeneratorOfEachNumberAcrossMinibatches) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  const auto pipeline = joined(kChain);
  const auto draws = pipeline->ordered_draws({});
  std::vector<internal::TwisterDraws> first;  // the generator of each number
  std::vector<internal::TwisterDraws> second;
  for (std::uint32_t sequence = 0; sequence < 3; ++sequence) {
    first.emplace_back(3 + sequence);
    second.emplace_back(9 + sequence);
  }
  for (int i = 0; i < 30; ++i) {
    const auto sequence = static_cast<std::size_t>(i * i % 3);
    const std::int64_t height = 7 + i % 5;
    const std::int64_t width = 9 + i % 4;
    std::vector<double> expected = {static_cast<double>(height), static_cast<double>(width)};
    const double ratio = first[sequence].real(0.5, 1);
    const auto side = static_cast<std::int64_t>(
        std::floor(static_cast<double>(std::min(height, width)) * ratio + 0.5));
    expected.push_back(ratio);
    expected.push_back(1);  // the aspect ratio
    expected.push_back(static_cast<double>(first[sequence].whole(width - side)));
    expected.push_back(static_cast<double>(first[sequence].whole(height - side)));
    expected.push_back(first[sequence].coin() ? 1 : 0);
    expected.push_back(static_cast<double>(second[sequence].whole(2)));
    expected.push_back(static_cast<double>(second[sequence].whole(2)));
    EXPECT_EQ(drawn_for(*draws, static_cast<std::int64_t>(sequence), image_of(height, width)),
              expected);
  }
}

TEST(ImageOrderedDraws, ResumeAtAState) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  const auto pipeline = joined(kChain);
  const auto draws = pipeline->ordered_draws({});
  EXPECT_EQ(draws->state(), (std::vector<std::int64_t>{0, 0}));
  for (int i = 0; i < 20; ++i) static_cast<void>(drawn_for(*draws, i % 3, image_of(8, 9 + i)));
  const auto later = pipeline->ordered_draws(draws->state());
  EXPECT_EQ(later->state(), draws->state());
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(drawn_for(*later, i % 4, image_of(8, 9 + i)),
              drawn_for(*draws, i % 4, image_of(8, 9 + i)));
  }
  EXPECT_EQ(later->state(), draws->state());
}

TEST(ImageOrderedDraws, RefuseForeignStates) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  const auto pipeline = joined(kChain);
  for (const std::vector<std::int64_t>& state : {std::vector<std::int64_t>{0},
                                                 {0, 0, 0},
                                                 {1, 5},
                                                 {1, -1, 0},
                                                 {-1, 0},
                                                 {2, 0, 0},
                                                 {INT64_MAX, 0}}) {
    EXPECT_NE(testing::error_of<ConfigError>([&] {
                static_cast<void>(pipeline->ordered_draws(state));
              }).find("the position does not fit the transforms"),
              std::string::npos);
  }
}

TEST(ImageOrderedDraws, DrawNothingForASequenceWithAnError) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  const auto pipeline = joined({"decode:pixels_max=100", "crop:size=4,at=random,draws=ordered",
                                "resize:size=3x3,channels=3"});
  const auto draws = pipeline->ordered_draws({});
  static_cast<void>(drawn_for(*draws, 0, image_of(8, 8)));
  const std::vector<std::int64_t> state = draws->state();
  EXPECT_TRUE(drawn_for(*draws, 0, {.files = {"no image"}}).empty());
  EXPECT_TRUE(drawn_for(*draws, 0, image_of(11, 10)).empty());  // too large
  EXPECT_EQ(draws->state(), state);
}

TEST(ImageOrderedDraws, FindImagesThatAreNotWhole) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  const auto pipeline = joined({"decode:pixels_max=100", "crop:size=4,at=random,draws=ordered"});
  const auto draws = pipeline->ordered_draws({});
  const std::string whole = png_of(random_image(8, 8, 3));
  const std::string cut = whole.substr(0, whole.size() - 1);
  EXPECT_TRUE(looks_right_for(*draws, {.files = {whole}}));
  EXPECT_TRUE(looks_right_for(*draws, {.files = {whole, whole}}));
  EXPECT_FALSE(looks_right_for(*draws, {.files = {cut}}));
  EXPECT_FALSE(looks_right_for(*draws, {.files = {whole, cut}}));
  EXPECT_FALSE(looks_right_for(*draws, {.files = {"no image"}}));
  EXPECT_FALSE(looks_right_for(*draws, image_of(11, 10))) << "too large";
}

TEST(ImageOrderedDraws, DrawNothingIfALaterOperationRefuses) {
  const std::vector<std::string> chain = {"crop:size=4,at=random,draws=ordered",
                                          "resize:size=3x3,channels=3",
                                          "crop:size=2,at=random,draws=ordered"};
  const auto pipeline = joined(chain);
  const auto draws = pipeline->ordered_draws({});
  const TestImages grey{.pixels = {random_image(8, 8, 1)}};
  EXPECT_TRUE(drawn_for(*draws, 0, grey).empty());
  EXPECT_EQ(draws->state(), (std::vector<std::int64_t>{1, 0, 1, 0}));
  EXPECT_NE(testing::error_of<DataError>([&] {
              static_cast<void>(run_images(*pipeline, grey));
            }).find("expected an image of 3 channels, found one of 1"),
            std::string::npos);
}

TEST(ImageOrderedDraws, NeedImagesOfOneSizeInASequence) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  const auto pipeline = joined({"decode", "crop:size=4,at=random,draws=ordered"});
  const auto draws = pipeline->ordered_draws({});
  TestImages images = image_of(8, 8);
  images.files.push_back(images.files[0]);
  images.drawn = drawn_for(*draws, 0, images);
  const std::vector<TestImage> made = run_images(*pipeline, images);
  EXPECT_EQ(made[0], made[1]);
  images.files.push_back(png_of(random_image(8, 9, 3)));
  EXPECT_NE(testing::error_of<DataError>([&] {
              static_cast<void>(run_images(*pipeline, images));
            }).find("expected images of one size in a sequence, 8 x 8, found one of 8 x 9"),
            std::string::npos);
}

TEST(ImageOrderedDraws, MakeNoPipelineRandomByTheKey) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  EXPECT_FALSE(joined(kChain)->is_random());
  EXPECT_EQ(joined({"decode", "crop:size=4,at=random"})->ordered_draws({}), nullptr);
  // Keyed numbers are unknown where ordered numbers are drawn.
  const auto all = apart(
      {"crop:side_ratio=0.5:1,jitter=uniform", "crop:size=4,at=random,draws=ordered", "flip"});
  EXPECT_EQ(all[0]->then(all[1], "crop", "crop#2"), nullptr);
  EXPECT_NE(all[1]->then(all[2], "crop", "flip"), nullptr);
}

TEST(ImageOrderedDraws, ReadPixelsOfAFixedShape) {
  TestImages images{.pixels = {random_image(8, 9, 3)}, .is_fixed = true};
  const std::vector<Stream> streams = {stream_of(images)};
  for (const TransformType& type : builtin_transforms()) {
    if (type.name != "crop") continue;
    const auto crop = type.make(
        {.options = {{"size", "4"}, {"at", "random"}, {"draws", "ordered"}}, .streams = streams});
    const auto draws = crop->ordered_draws({});
    images.drawn = drawn_for(*draws, 0, images);
    internal::TwisterDraws expected(0);
    const std::int64_t x = expected.whole(5);
    const std::int64_t y = expected.whole(4);
    EXPECT_EQ(images.drawn,
              (std::vector<double>{8, 9, static_cast<double>(x), static_cast<double>(y)}));
    EXPECT_EQ(run_images(*crop, images)[0].values[0],
              images.pixels[0].values[static_cast<std::size_t>((y * 9 + x) * 3)]);
  }
}

}  // namespace
}  // namespace sheaf
