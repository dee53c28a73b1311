#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "image/resize.h"
#include "support/error_of.h"
#include "transform/run_images.h"
#include "transform/run_transform.h"

namespace sheaf {
namespace {

using testing::error_of;

TestImage run_one(const std::string& text, const TestImage& image,
                  ElementType type = ElementType::u8) {
  return run_images(*joined({text}), {.pixels = {image}, .type = type})[0];
}

// Returns the result of the image library for an image.
template <typename T, typename Resize>
TestImage resized(const TestImage& image, std::int64_t height, std::int64_t width,
                  const Resize& resize) {
  const std::vector<T> from(image.values.begin(), image.values.end());
  const std::int64_t channels = image.extents[2];
  std::vector<T> to(static_cast<std::size_t>(height * width * channels));
  resize(internal::PixelView<const T>{from.data(), image.extents[1], image.extents[0], channels,
                                      image.extents[1] * channels},
         internal::PixelView<T>{to.data(), width, height, channels, width * channels});
  return {.extents = {height, width, channels}, .values = {to.begin(), to.end()}};
}

TestImage by_pillow(const TestImage& image, std::int64_t height, std::int64_t width,
                    internal::ResizeFilter filter) {
  return resized<std::uint8_t>(image, height, width, [&](const auto& from, const auto& to) {
    internal::ResizeMemory memory;
    resize_as_pillow(from,
                     {0, 0, static_cast<double>(from.width), static_cast<double>(from.height)}, to,
                     filter, memory);
  });
}

template <typename T>
TestImage by_opencv(const TestImage& image, std::int64_t height, std::int64_t width,
                    internal::Interpolation interpolation) {
  return resized<T>(image, height, width, [&](const auto& from, const auto& to) {
    internal::ResizeMemory memory;
    resize_as_opencv(from, to, interpolation, memory);
  });
}

TEST(Resize, HasPillowFilters) {
  const std::map<std::string, internal::ResizeFilter> filters = {
      {"nearest", internal::ResizeFilter::nearest}, {"box", internal::ResizeFilter::box},
      {"linear", internal::ResizeFilter::bilinear}, {"hamming", internal::ResizeFilter::hamming},
      {"cubic", internal::ResizeFilter::bicubic},   {"lanczos", internal::ResizeFilter::lanczos}};
  const TestImage image = random_image(13, 17, 3);
  for (const auto& [name, filter] : filters) {
    EXPECT_EQ(run_one("resize:size=5x7,filter=" + name, image), by_pillow(image, 5, 7, filter));
  }
}

TEST(Resize, HasOpencvKernels) {
  const std::map<std::string, internal::Interpolation> kernels = {
      {"nearest", internal::Interpolation::nearest},
      {"linear", internal::Interpolation::linear},
      {"cubic", internal::Interpolation::cubic},
      {"lanczos", internal::Interpolation::lanczos}};
  const TestImage image = random_image(13, 17, 3);
  for (const auto& [name, kernel] : kernels) {
    const std::string text = "resize:size=5x29,antialias=false,filter=" + name;
    EXPECT_EQ(run_one(text, image), by_opencv<std::uint8_t>(image, 5, 29, kernel));
    EXPECT_EQ(run_one(text, image, ElementType::f32), by_opencv<float>(image, 5, 29, kernel));
    EXPECT_EQ(run_one(text, image, ElementType::f64), by_opencv<double>(image, 5, 29, kernel));
  }
}

TEST(Resize, KeepsImagesOfTheTargetSize) {
  const TestImage image = random_image(5, 7, 3);
  for (const std::string options : {"", ",filter=lanczos", ",antialias=false"}) {
    EXPECT_EQ(run_one("resize:size=5x7" + options, image), image);
    EXPECT_EQ(run_one("resize:size=5" + options, image), image);
  }
}

TEST(Resize, ScalesTheShorterSide) {
  const auto extents = [](std::int64_t height, std::int64_t width, std::int64_t size) {
    return run_one("resize:size=" + std::to_string(size), random_image(height, width, 1)).extents;
  };
  using Extents = std::vector<std::int64_t>;
  EXPECT_EQ(extents(10, 15, 4), (Extents{4, 6, 1}));
  EXPECT_EQ(extents(15, 10, 4), (Extents{6, 4, 1}));
  EXPECT_EQ(extents(10, 10, 4), (Extents{4, 4, 1}));
  EXPECT_EQ(extents(10, 19, 4), (Extents{4, 7, 1}));  // 7.6, rounded down as in torchvision
  EXPECT_EQ(extents(1, 300, 2), (Extents{2, 600, 1}));
}

TEST(Resize, CropsOrPadsMismatchedSides) {
  const TestImage image = random_image(8, 16, 1);
  const TestImage wide = by_pillow(image, 6, 12, internal::ResizeFilter::bilinear);
  const TestImage cut = run_one("resize:size=6x9,mode=crop", image);
  ASSERT_EQ(cut.extents, (std::vector<std::int64_t>{6, 9, 1}));
  for (std::int64_t y = 0; y < 6; ++y) {
    for (std::int64_t x = 0; x < 9; ++x) {
      EXPECT_EQ(cut.values[static_cast<std::size_t>(y * 9 + x)],
                wide.values[static_cast<std::size_t>(y * 12 + x + 1)]);  // (12 - 9) / 2
    }
  }
  const TestImage padded = run_one("resize:size=9x12,mode=pad,pad_value=7", image);
  const TestImage repeated = run_one("resize:size=9x12,mode=pad", image);
  ASSERT_EQ(padded.extents, (std::vector<std::int64_t>{9, 12, 1}));
  for (std::int64_t y = 0; y < 9; ++y) {
    for (std::int64_t x = 0; x < 12; ++x) {
      const auto at = static_cast<std::size_t>(y * 12 + x);
      const std::int64_t row =
          std::clamp<std::int64_t>(y - 1, 0, 5);  // (9 - 6) / 2 above the image
      const double inside = wide.values[static_cast<std::size_t>(row * 12 + x)];
      EXPECT_EQ(repeated.values[at], inside);
      EXPECT_EQ(padded.values[at], row == y - 1 ? inside : 7);
    }
  }
}

// As in CNTK. The longer side of 30 x 10 is scaled to 31, and 10.33 rows are rounded to 10.
TEST(Resize, PadScalesTheLongerSideIfTheOtherFits) {
  const TestImage image = random_image(10, 30, 3);
  EXPECT_EQ(run_one("resize:size=10x31,mode=pad,antialias=false", image),
            by_opencv<std::uint8_t>(image, 10, 31, internal::Interpolation::linear));
  const TestImage tall = random_image(30, 10, 3);
  EXPECT_EQ(run_one("resize:size=31x10,mode=pad,antialias=false", tall),
            by_opencv<std::uint8_t>(tall, 31, 10, internal::Interpolation::linear));
}

TEST(Resize, PadsColumnsToo) {
  const TestImage image = {.extents = {1, 1, 2}, .values = {3, 4}};
  EXPECT_EQ(run_one("resize:size=1x4,mode=pad,pad_value=0", image),
            (TestImage{.extents = {1, 4, 2}, .values = {0, 0, 3, 4, 0, 0, 0, 0}}));
  EXPECT_EQ(run_one("resize:size=2x3,mode=pad", image).values,
            std::vector<double>({3, 4, 3, 4, 3, 4, 3, 4, 3, 4, 3, 4}));
}

// CNTK chose the sides by the image alone, so some targets crashed.
TEST(Resize, SupportsAnyTarget) {
  for (const std::string mode : {"fill", "crop", "pad"}) {
    for (std::int64_t height = 1; height <= 9; ++height) {
      for (std::int64_t width = 1; width <= 9; ++width) {
        const std::string size = std::to_string(height) + "x" + std::to_string(width);
        for (const auto& [h, w] : {std::pair{1, 9}, {9, 1}, {5, 5}, {4, 7}, {7, 4}}) {
          EXPECT_EQ(run_one("resize:size=" + size + ",mode=" + mode, random_image(h, w, 3)).extents,
                    (std::vector<std::int64_t>{height, width, 3}));
        }
      }
    }
  }
}

TEST(Resize, KnowsShapes) {
  const auto made = [](const std::string& text, const TestImages& images) {
    const std::vector<Stream> streams = {stream_of(images)};
    return to_string(joined({text})->outputs(streams)[0]);
  };
  const TestImages fixed{.pixels = {random_image(6, 9, 3)}, .is_fixed = true};
  const TestImages free{.pixels = {random_image(6, 9, 3)}};
  EXPECT_EQ(made("resize:size=4", fixed), "image: dense u8 [4, 6, 3]");
  EXPECT_EQ(made("resize:size=4", free), "image: dense u8 [*, *, *]");
  EXPECT_EQ(made("resize:size=4x5", free), "image: dense u8 [4, 5, *]");
  EXPECT_EQ(made("resize:size=4x5,channels=3", free), "image: dense u8 [4, 5, 3]");
}

TEST(Resize, RefusesOtherChannels) {
  const auto run = [](std::int64_t channels, bool is_fixed) {
    return error_of([&] {
      static_cast<void>(
          run_images(*joined({"resize:size=4x4,channels=3"}),
                     {.pixels = {random_image(5, 5, channels)}, .is_fixed = is_fixed}));
    });
  };
  EXPECT_EQ(run(3, false), "none");
  EXPECT_EQ(run(1, true), "stream \"image\" must have images of 3 channels: got 1");
  EXPECT_NE(run(1, false).find("stream \"image\": expected an image of 3 channels, found one of 1"),
            std::string::npos)
      << run(1, false);
}

TEST(Resize, RefusesImagesThatWouldBecomeTooLarge) {
  TestImage line{.extents = {1, 40000, 1}};
  line.values.resize(40000);
  // The limit is 178,956,970 pixels: 66 x 2,640,000 is below the limit, and 67 x 2,680,000 is
  // above.
  EXPECT_NE(error_of([&] { static_cast<void>(run_one("resize:size=67", line)); })
                .find("expected an image that becomes one of at most 178956970 pixels, found one "
                      "that would become 67 x 2680000 (height x width)"),
            std::string::npos);
}

TEST(Resize, RefusesInvalidOptionsByName) {
  const auto error = [](const std::map<std::string, std::string>& options) {
    return error_of<ConfigError>([&] { static_cast<void>(make_type("resize", options)); });
  };
  EXPECT_EQ(error({}), "size is needed");
  EXPECT_EQ(error({{"size", "4"}, {"mode", "crop"}}),
            "mode=crop needs a size of HEIGHTxWIDTH, such as 224x224: got size=4");
  EXPECT_EQ(error({{"size", "4x4"}, {"filter", "box"}, {"antialias", "false"}}),
            "filter must be one of nearest, linear, cubic, lanczos with antialias=false: got "
            "\"box\"");
  EXPECT_EQ(error({{"size", "4x4"}, {"pad_value", "3"}}), "pad_value goes with mode=pad alone");
  EXPECT_EQ(error({{"size", "4x4"}, {"mode", "pad"}, {"pad_value", "256"}}),
            "pad_value must be a whole number from -1 to 255: got \"256\"");
  const std::vector<Stream> floats = {
      stream_of({.pixels = {random_image(4, 4, 1)}, .type = ElementType::f32})};
  EXPECT_EQ(error_of([&] { static_cast<void>(joined({"resize:size=4x4"})->outputs(floats)); }),
            "stream \"image\" must have values of type u8, or antialias must be false: got dense "
            "f32 [*, *, *]");
}

}  // namespace
}  // namespace sheaf
