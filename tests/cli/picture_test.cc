#include "output/picture.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::cli {
namespace {

template <typename T>
std::string picture(const Stream& stream, const std::vector<T>& values, std::int64_t samples,
                    Colors colors = Colors::none) {
  const SequenceView view{.values = reinterpret_cast<const std::byte*>(values.data()),
                          .sample_count = samples,
                          .value_count = std::ssize(values)};
  std::string out;
  return append_picture(out, stream, view, 2, colors) ? out : "none";
}

Stream dense(Shape shape, ElementType type = ElementType::f32) {
  return {.name = "x", .element_type = type, .sample_shape = shape};
}

// The value rises from sample to sample, and is 0 in the upper half of the values.
std::vector<float> ramp(std::int64_t samples, std::int64_t dims) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < samples; ++i) {
    for (std::int64_t k = 0; k < dims; ++k) {
      values.push_back(k < dims / 2 ? static_cast<float>(i) : 0.0F);
    }
  }
  return values;
}

TEST(Picture, AMapHasItsFirstValueAtTheBottom) {
  EXPECT_EQ(picture(dense({8}), ramp(10, 8), 10),
            "\n"
            "\n"
            "\n   .:-=+*#%@"
            "\n   .:-=+*#%@"
            "\n  (10 samples from left to right, 8 values from bottom to top; dark 0, bright 9)");
}

TEST(Picture, AMapOfManySamplesHasAsManyColumnsAsFit) {
  const std::string map = picture(dense({100}), ramp(1000, 100), 1000);
  std::size_t width = 0;
  std::size_t lines = 0;
  for (std::size_t at = 1; at < map.size();) {
    const std::size_t end = std::min(map.find('\n', at), map.size());
    if (map.find('(', at) > end) width = std::max(width, end - at);
    ++lines;
    at = end + 1;
  }
  EXPECT_EQ(width, 2U + 64U);
  EXPECT_EQ(lines, 12U + 1U);
}

TEST(Picture, ACurveReachesFromTheLeastToTheLargestValue) {
  std::vector<double> values(128);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = i < 64 ? -1.0 : static_cast<double>(i % 2);
  const std::string curve = picture(dense({1}, ElementType::f64), values, 128);
  const std::string half(32, '#');
  EXPECT_EQ(curve.substr(0, curve.find('(')),
            "\n  " + std::string(32, ' ') + half + "\n  " + std::string(32, ' ') + half + "\n  " +
                std::string(32, ' ') + half + "\n  " + std::string(32, ' ') + half + "\n\n\n\n  " +
                half + "\n  ");
  EXPECT_NE(curve.find("(128 samples from left to right; from -1 to 1)"), std::string::npos);
}

TEST(Picture, AnImageKeepsItsSides) {
  std::vector<std::uint8_t> pixels(std::size_t{200} * 100 * 3, 255);
  const std::string text = picture(dense({100, 200, 3}, ElementType::u8), pixels, 1);
  EXPECT_EQ(text.substr(0, 67), "\n  " + std::string(64, '@'));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 32 / 2 + 1);
  EXPECT_NE(text.find("(200 x 100 pixels; dark 0, bright 255)"), std::string::npos);
  const std::string planes = picture(dense({3, 100, 200}, ElementType::u8), pixels, 1);
  EXPECT_EQ(planes, text);
}

TEST(Picture, ASmallImageGrows) {
  std::vector<float> pixels(std::size_t{8} * 8, 0.0F);
  pixels[9] = 2.0F;  // in the second row and column
  EXPECT_EQ(picture(dense({8, 8}), pixels, 1).substr(0, 25), "\n\n     +++\n     @@@\n\n\n\n\n\n");
}

TEST(Picture, ColoursAreThoseOfThePixels) {
  std::vector<std::uint8_t> pixels;
  for (int i = 0; i < 64; ++i) pixels.insert(pixels.end(), {255, 0, 51});
  const Stream image = dense({8, 8, 3}, ElementType::u8);
  const std::string full = picture(image, pixels, 1, Colors::full);
  EXPECT_EQ(full.substr(0, 36), "\n  \x1b[38;2;255;0;51;48;2;255;0;51m\xe2\x96\x80");
  const std::string indexed = picture(image, pixels, 1, Colors::indexed);
  EXPECT_EQ(indexed.substr(0, 26), "\n  \x1b[38;5;197;48;5;197m\xe2\x96\x80");
  EXPECT_NE(indexed.find("\xe2\x96\x80\x1b[0m\n"), std::string::npos);
}

TEST(Picture, SmallSequencesHaveNone) {
  EXPECT_EQ(picture(dense({7}), ramp(10, 7), 10), "none");
  EXPECT_EQ(picture(dense({8}), ramp(7, 8), 7), "none");
  EXPECT_EQ(picture(dense({1}), ramp(15, 1), 15), "none");
  EXPECT_EQ(picture(dense({7, 8}), ramp(1, 56), 1), "none");
  EXPECT_EQ(picture(dense({8}), std::vector<float>(), 0), "none");
  Stream sparse = dense({100});
  sparse.storage = Storage::sparse;
  EXPECT_EQ(picture(sparse, ramp(100, 100), 100), "none");
  EXPECT_EQ(picture(dense({Shape::kVariable}, ElementType::bytes), ramp(100, 1), 100), "none");
}

TEST(Picture, ValuesThatAreNotFiniteAreDark) {
  std::vector<float> values(64, std::nanf(""));
  EXPECT_NE(picture(dense({8}), values, 8).find("; no finite value)"), std::string::npos);
  values[0] = HUGE_VALF;
  values[1] = 1.0F;
  values[2] = -3e38F;
  values[3] = 3e38F;
  EXPECT_NE(picture(dense({8}), values, 8).find("dark -3e+38, bright 3e+38"), std::string::npos);
  std::vector<double> wide(64, -1.7e308);
  wide[5] = 1.7e308;
  const std::string map = picture(dense({8}, ElementType::f64), wide, 8);
  EXPECT_EQ(map.substr(0, 6), "\n\n  +\n");  // half of the character
  EXPECT_NE(map.find("bright 1.7e+308"), std::string::npos);
  const std::vector<double> line(32, std::nan(""));
  EXPECT_NE(picture(dense({1}, ElementType::f64), line, 32).find("no finite"), std::string::npos);
}

TEST(Picture, TheEnvironmentSaysHowManyColoursThereAre) {
  ::setenv("COLORTERM", "truecolor", 1);  // NOLINT(concurrency-mt-unsafe)
  EXPECT_EQ(terminal_colors(), Colors::full);
  ::unsetenv("COLORTERM");  // NOLINT(concurrency-mt-unsafe)
  EXPECT_EQ(terminal_colors(), Colors::indexed);
}

}  // namespace
}  // namespace sheaf::cli
