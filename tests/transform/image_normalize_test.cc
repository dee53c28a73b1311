#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"
#include "transform/run_images.h"
#include "transform/run_transform.h"

namespace sheaf {
namespace {

// Computes ToTensor and Normalize of torchvision in type T.
template <typename T>
TestImage normalized(const TestImage& image, const std::vector<double>& means,
                     const std::vector<double>& deviations, double scale) {
  TestImage made{.extents = image.extents};
  for (std::size_t i = 0; i < image.values.size(); ++i) {
    const std::size_t c = i % means.size();
    const T scaled = static_cast<T>(image.values[i]) / static_cast<T>(scale);
    const T less = scaled - static_cast<T>(means[c]);
    made.values.push_back(static_cast<double>(less / static_cast<T>(deviations[c])));
  }
  return made;
}

TEST(Normalize, MatchesTorchvision) {
  const std::vector<double> means = {0.485, 0.456, 0.406};
  const std::vector<double> deviations = {0.229, 0.224, 0.225};
  const std::string text = "normalize:mean=0.485;0.456;0.406,std=0.229;0.224;0.225";
  TestImage image{.extents = {16, 16, 3}};
  for (int i = 0; i < 768; ++i) image.values.push_back(i / 3);  // all bytes in all channels
  for (const ElementType type : {ElementType::u8, ElementType::f32}) {
    EXPECT_EQ(run_images(*joined({text}), {.pixels = {image}, .type = type})[0],
              normalized<float>(image, means, deviations, 255));
  }
  EXPECT_EQ(run_images(*joined({text + ",dtype=float64"}), {.pixels = {image}})[0],
            normalized<double>(image, means, deviations, 255));
  EXPECT_EQ(
      run_images(*joined({text + ",scale=1"}), {.pixels = {image}, .type = ElementType::f64})[0],
      normalized<double>(image, means, deviations, 1));
}

TEST(Normalize, AcceptsOneNumberForAllChannels) {
  const TestImage image = random_image(3, 4, 5);
  EXPECT_EQ(run_images(*joined({"normalize:mean=0.5,std=0.25"}), {.pixels = {image}})[0],
            normalized<float>(image, {0.5}, {0.25}, 255));
}

TEST(Normalize, KnowsItsType) {
  const auto type = [](const std::string& options, ElementType from) {
    const std::vector<Stream> streams = {
        stream_of({.pixels = {random_image(2, 2, 1)}, .type = from})};
    return joined({"normalize:mean=0,std=1" + options})->outputs(streams)[0].element_type;
  };
  EXPECT_EQ(type("", ElementType::u8), ElementType::f32);
  EXPECT_EQ(type("", ElementType::f64), ElementType::f64);
  EXPECT_EQ(type(",dtype=float64", ElementType::u8), ElementType::f64);
  EXPECT_EQ(type(",dtype=float32", ElementType::f64), ElementType::f32);
}

TEST(Normalize, RefusesOtherChannels) {
  const auto run = [](bool is_fixed) {
    return testing::error_of<ConfigError>([&] {
      static_cast<void>(run_images(*joined({"normalize:mean=0;0;0,std=1"}),
                                   {.pixels = {random_image(2, 2, 1)}, .is_fixed = is_fixed}));
    });
  };
  EXPECT_EQ(run(true),
            "stream \"image\" has images of 1 channels: mean must have 1 or 1 numbers, got 3");
  EXPECT_EQ(run(false),
            "stream \"image\": expected images of 3 channels, as mean and std say, got one of 1");
}

TEST(Normalize, RefusesInvalidOptionsByName) {
  const auto error = [](const std::map<std::string, std::string>& options) {
    return testing::error_of<ConfigError>(
        [&] { static_cast<void>(make_type("normalize", options)); });
  };
  EXPECT_EQ(error({{"std", "1"}}), "mean is needed: one number a channel");
  EXPECT_EQ(error({{"mean", "1"}}), "std is needed: one number a channel");
  EXPECT_EQ(error({{"mean", "1"}, {"std", "1;0"}}), "std must be numbers above 0: got 0");
  EXPECT_EQ(error({{"mean", "1;2"}, {"std", "1;1;1"}}),
            "mean and std must have equal numbers of numbers: got 2 and 3");
  EXPECT_EQ(error({{"mean", "1;x"}, {"std", "1"}}),
            "mean must be numbers with ; between, such as 0.5;0.25;1: got \"x\"");
  EXPECT_EQ(error({{"mean", "nan"}, {"std", "1"}}),
            "mean must be numbers with ; between, such as 0.5;0.25;1: got \"nan\"");
}

}  // namespace
}  // namespace sheaf
