#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"
#include "transform/image_draws.h"
#include "transform/run_images.h"
#include "transform/run_transform.h"

namespace sheaf {
namespace {

// Returns an image of CNTK's tests, in blue, green and red.
TestImage test_card() {
  const std::map<char, std::vector<double>> colors = {
      {'w', {255, 255, 255}}, {'k', {0, 0, 0}},   {'r', {0, 0, 255}},
      {'g', {0, 255, 0}},     {'b', {255, 0, 0}}, {'h', {128, 128, 128}}};
  TestImage image{.extents = {4, 4, 3}};
  for (const char pixel : std::string("wkrgbwhrgbwkrgbw")) {
    const std::vector<double>& color = colors.at(pixel);
    image.values.insert(image.values.end(), color.begin(), color.end());
  }
  return image;
}

constexpr std::size_t kBlack = 3;  // the number of values of black and grey pixels
constexpr std::size_t kGrey = 18;

TEST(Color, MatchesCntk) {
  const auto color = joined({"color:brightness=0.2,contrast=0.2,saturation=0.2,draws=ordered"});
  const auto draws = color->ordered_draws({});
  TestImages images{.pixels = {test_card()}};
  for (const auto& [black, grey] : {std::pair{2.33451, 135.088}, {16.4645, 149.726}}) {
    images.drawn = drawn_for(*draws, 0, images);
    const TestImage made = run_images(*color, images)[0];
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(made.values[kBlack + c], black, 1e-4);
      EXPECT_NEAR(made.values[kGrey + c], grey, 1e-3);
    }
  }
}

TEST(Color, ShiftsAndScalesInF32) {
  const TestImage image = random_image(5, 7, 3);
  double mean = 0;
  for (const double value : image.values) mean += value;
  mean /= 5 * 7 * 3;
  internal::TwisterDraws draws(4);
  const auto beta = static_cast<float>(draws.real(-0.5, 0.5) * mean);
  const auto alpha = static_cast<float>(1 + draws.real(-0.25, 0.25));
  TestImage expected{.extents = image.extents};
  for (const double value : image.values) {
    const float product = static_cast<float>(value) * alpha;
    expected.values.push_back(
        static_cast<double>(std::min(std::max(product + beta, 0.0F), 255.0F)));
  }
  const auto color = joined({"color:brightness=0.5,contrast=0.25,draws=ordered,seed=4"});
  TestImages images{.pixels = {image}};
  images.drawn = drawn_for(*color->ordered_draws({}), 0, images);
  EXPECT_EQ(run_images(*color, images)[0], expected);
}

TEST(Color, DrawsOnlyForPositiveRadii) {
  const auto count = [](const std::string& options, std::int64_t channels) {
    const auto draws = joined({"color:draws=ordered," + options})->ordered_draws({});
    return drawn_for(*draws, 0, {.pixels = {random_image(2, 2, channels)}}).size() - 2;
  };
  EXPECT_EQ(count("brightness=0.1,contrast=0.1,saturation=0.1", 3), 3U);
  EXPECT_EQ(count("brightness=0.1,contrast=0.1,saturation=0.1", 1), 2U);
  EXPECT_EQ(count("contrast=0.1", 3), 1U);
  EXPECT_EQ(count("saturation=0.1", 1), 0U);
}

TEST(Color, DoesNothingWithoutRadii) {
  const auto color = joined({"color"});
  EXPECT_FALSE(color->is_random());
  const TestImages images{.pixels = {random_image(3, 3, 3)}};
  EXPECT_EQ(run_images(*color, images), images.pixels);
  const std::vector<Stream> streams = {stream_of(images)};
  EXPECT_EQ(color->outputs(streams), streams);
}

TEST(Color, ScalesTheSaturationInBothTypes) {
  const TestImages images{.pixels = {random_image(6, 6, 3)}, .key = 5};
  const TestImage narrow = run_images(*joined({"color:saturation=0.9"}), images)[0];
  EXPECT_NE(narrow, images.pixels[0]);
  EXPECT_EQ(run_images(*joined({"color:saturation=0.9,dtype=float64"}), images)[0], narrow);
  for (std::size_t i = 0; i < narrow.values.size(); i += 3) {  // the largest channel stays
    const auto largest = [&](const TestImage& image) {
      return std::max({image.values[i], image.values[i + 1], image.values[i + 2]});
    };
    EXPECT_EQ(largest(narrow), largest(images.pixels[0]));
  }
}

TEST(Color, RefusesRadiiBeyondOne) {
  for (const std::string name : {"brightness", "contrast", "saturation"}) {
    for (const std::string value : {"-0.1", "1.1", "x"}) {
      EXPECT_EQ(testing::error_of<ConfigError>([&] {
                  static_cast<void>(make_type("color", {{name, value}}));
                }),
                name + " must be a number from 0 to 1: got \"" + value + "\"");
    }
  }
}

}  // namespace
}  // namespace sheaf
