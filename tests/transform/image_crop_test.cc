// Random numbers are CNTK's: 32-bit Mersenne Twister. Rules implements CNTK's rules a second time.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "image/image_decoder.h"
#include "support/error_of.h"
#include "transform/image_draws.h"
#include "transform/run_images.h"
#include "transform/run_transform.h"

namespace sheaf {
namespace {

// The part of numbered_image() that an image shows: x and y of its first pixel, height and width.
struct Part {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  bool is_mirrored = false;

  friend bool operator==(const Part&, const Part&) = default;
};

constexpr std::int64_t kRow = 1000;

// Returns an image whose values give x and y.
TestImage map_of(std::int64_t height, std::int64_t width) {
  TestImage image{.extents = {height, width, 1}};
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      image.values.push_back(static_cast<double>(y * kRow + x));
    }
  }
  return image;
}

Part part_of(const TestImage& image) {
  const auto at = [&](std::int64_t y, std::int64_t x) {
    return static_cast<std::int64_t>(
        image.values[static_cast<std::size_t>(y * image.extents[1] + x)]);
  };
  Part part{.height = image.extents[0], .width = image.extents[1]};
  part.is_mirrored = part.width > 1 && at(0, 0) > at(0, 1);
  const std::int64_t corner = part.is_mirrored ? at(0, part.width - 1) : at(0, 0);
  part.x = corner % kRow;
  part.y = corner / kRow;
  for (std::int64_t y = 0; y < part.height; ++y) {  // the whole image is that part
    for (std::int64_t x = 0; x < part.width; ++x) {
      const std::int64_t column = part.is_mirrored ? part.width - 1 - x : x;
      EXPECT_EQ(at(y, x), (part.y + y) * kRow + part.x + column);
    }
  }
  return part;
}

Part part_by(const std::string& text, std::int64_t height, std::int64_t width,
             std::uint64_t key = 0) {
  return part_of(run_images(
      *joined({text}),
      {.pixels = {map_of(height, width)}, .type = ElementType::i32, .seed = 5, .key = key})[0]);
}

// CNTK's crop by the specification.
struct Rules {
  std::optional<std::pair<double, double>> side = {};
  std::optional<std::pair<double, double>> area = {};
  std::pair<double, double> aspect = {1, 1};
  bool jitters = false;
  bool is_random = false;
  bool flips = false;
};

class Reference {
 public:
  explicit Reference(std::uint32_t seed) : generator_(seed) {}

  Part crop(const Rules& rules, std::int64_t height, std::int64_t width) {
    std::int64_t w = width;
    std::int64_t h = height;
    bool fits = false;
    for (int i = 0; i < 10 && !fits; ++i) {
      if (rules.side) {
        w = h =
            std::lround(static_cast<double>(std::min(width, height)) * value(rules, *rules.side));
      }
      if (rules.area) {
        w = h =
            std::lround(std::sqrt(static_cast<double>(width * height) * value(rules, *rules.area)));
      }
      const double aspect = value(rules, rules.aspect);
      if (aspect != 1) {
        const auto area = static_cast<double>(w * h);
        const auto p = static_cast<std::int64_t>(std::sqrt(area * aspect));
        const auto q = static_cast<std::int64_t>(std::sqrt(area / aspect));
        const bool coin = generator_() <= 0x7FFFFFFF;
        w = coin ? p : q;
        h = coin ? q : p;
      }
      fits = w <= width && h <= height;
    }
    if (!fits) {
      w = width;
      h = height;
    }
    Part part{.x = (width - w) / 2, .y = (height - h) / 2, .height = h, .width = w};
    if (rules.is_random) {
      part.x = whole(width - w);
      part.y = whole(height - h);
    }
    part.is_mirrored = rules.flips && generator_() <= 0x7FFFFFFF;
    if (part.width == 1) part.is_mirrored = false;
    return part;
  }

 private:
  double value(const Rules& rules, const std::pair<double, double>& range) {
    if (!rules.jitters || range.first == range.second) return range.first;
    return range.first +
           (range.second - range.first) * static_cast<double>(generator_()) / 4294967296.0;
  }

  std::int64_t whole(std::int64_t last) {
    if (last == 0) return 0;
    const std::int64_t bucket = (std::int64_t{1} << 32) / (last + 1);
    for (;;) {
      const std::int64_t result = static_cast<std::int64_t>(generator_()) / bucket;
      if (result <= last) return result;
    }
  }

  std::mt19937 generator_;
};

void expect_as_cntk(const std::string& options, const Rules& rules) {
  for (const std::uint32_t seed : {0U, 1U, 77U}) {
    const auto crop = joined({"crop:" + options + ",draws=ordered,seed=" + std::to_string(seed)});
    const auto draws = crop->ordered_draws({});
    Reference first(seed);
    Reference second(seed + 1);
    for (int i = 0; i < 40; ++i) {
      const std::int64_t sequence = i % 2;
      TestImages images{.pixels = {map_of(5 + i % 7, 4 + i % 11)}, .type = ElementType::i32};
      images.drawn = drawn_for(*draws, sequence, images);
      const Part expected = (sequence == 0 ? first : second).crop(rules, 5 + i % 7, 4 + i % 11);
      EXPECT_EQ(part_of(run_images(*crop, images)[0]), expected) << options << ' ' << i;
    }
  }
}

TEST(Crop, CutsTheCentre) {
  EXPECT_EQ(part_by("crop:size=3x2", 6, 7), (Part{.x = 2, .y = 1, .height = 3, .width = 2}));
  EXPECT_EQ(part_by("crop:size=4", 6, 7), (Part{.x = 1, .y = 1, .height = 4, .width = 4}));
}

TEST(Crop, LeavesShortSidesUnchanged) {
  EXPECT_EQ(part_by("crop:size=3x8", 4, 7), (Part{.x = 0, .y = 0, .height = 3, .width = 7}));
  EXPECT_EQ(part_by("crop:size=5x7", 4, 7), (Part{.x = 0, .y = 0, .height = 4, .width = 7}));
  EXPECT_EQ(part_by("crop:size=4x6", 4, 7), (Part{.x = 0, .y = 0, .height = 4, .width = 6}));
  EXPECT_EQ(part_by("crop:size=1", 1, 1), (Part{.height = 1, .width = 1}));
}

TEST(Crop, CutsAPartOfTheSideOrTheArea) {
  EXPECT_EQ(part_by("crop:side_ratio=0.5", 6, 8), (Part{.x = 2, .y = 1, .height = 3, .width = 3}));
  EXPECT_EQ(part_by("crop:area_ratio=0.25", 8, 8), (Part{.x = 2, .y = 2, .height = 4, .width = 4}));
  // As a 32-bit number, 0.7 is slightly less than 0.7, so 5 times the number is less than 3.5.
  EXPECT_EQ(part_by("crop:side_ratio=0.7", 5, 7), (Part{.x = 2, .y = 1, .height = 3, .width = 3}));
  // A square with half the area of 4 x 16 has sides of 6, which do not fit.
  EXPECT_EQ(part_by("crop:area_ratio=0.5", 4, 16), (Part{.height = 4, .width = 16}));
  EXPECT_EQ(part_by("crop:side_ratio=0.01", 6, 8), (Part{.x = 3, .y = 2, .height = 1, .width = 1}));
}

TEST(Crop, FollowsTheRulesOfCntk) {
  expect_as_cntk("at=random,flip=true,side_ratio=0.5",
                 {.side = {{0.5, 0.5}}, .is_random = true, .flips = true});
  expect_as_cntk("at=random,side_ratio=0.25:0.75,jitter=uniform",
                 {.side = {{0.25, 0.75}}, .jitters = true, .is_random = true});
  expect_as_cntk(
      "at=random,flip=true,area_ratio=0.25:1,jitter=uniform,aspect_ratio=0.5:2",
      {.area = {{0.25, 1}}, .aspect = {0.5, 2}, .jitters = true, .is_random = true, .flips = true});
  expect_as_cntk("area_ratio=0.25:1,aspect_ratio=2", {.area = {{0.25, 0.25}}, .aspect = {2, 2}});
  // All ten attempts fail.
  expect_as_cntk(
      "at=random,side_ratio=1,aspect_ratio=64,jitter=uniform,flip=true",
      {.side = {{1, 1}}, .aspect = {64, 64}, .jitters = true, .is_random = true, .flips = true});
  expect_as_cntk("aspect_ratio=1.5,flip=true", {.aspect = {1.5, 1.5}, .flips = true});
}

TEST(Crop, DrawsDependOnTheKey) {
  std::set<std::pair<std::int64_t, std::int64_t>> corners;
  int mirrored = 0;
  constexpr int kCount = 400;
  for (std::uint64_t key = 0; key < kCount; ++key) {
    const Part part = part_by("crop:size=4x5,at=random,flip=true", 6, 8, key);
    EXPECT_EQ(part, part_by("crop:size=4x5,at=random,flip=true", 6, 8, key));
    corners.emplace(part.x, part.y);
    mirrored += part.is_mirrored ? 1 : 0;
  }
  EXPECT_EQ(corners.size(), 4U * 3U);
  EXPECT_NEAR(mirrored, kCount / 2, 50);
}

TEST(Crop, DrawsInTheDocumentedOrder) {
  KeyedGenerator generator({.seed = 5, .key = {3, 0}, .transform = "crop"});
  const std::int64_t x = generator.below(8 - 5 + 1);
  const std::int64_t y = generator.below(6 - 4 + 1);
  const bool is_mirrored = generator.uniform() < 0.5;
  EXPECT_EQ(part_by("crop:size=4x5,at=random,flip=true", 6, 8, 3),
            (Part{.x = x, .y = y, .height = 4, .width = 5, .is_mirrored = is_mirrored}));
}

TEST(Crop, CutsAllImagesOfASequenceAlike) {
  TestImages images{.type = ElementType::i32, .key = 8};
  for (int i = 0; i < 4; ++i) images.pixels.push_back(map_of(9, 9));
  const auto crop = joined({"crop:size=4,at=random,flip=true"});
  const std::vector<TestImage> made = run_images(*crop, images);
  for (const TestImage& image : made) EXPECT_EQ(image, made[0]);
  images.range = {2, 1};
  EXPECT_EQ(run_images(*crop, images), std::vector{made[2]});
}

TEST(Crop, KnowsShapes) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  const auto made = [](const std::string& text, const TestImages& images) {
    const std::vector<Stream> streams = {stream_of(images)};
    return to_string(joined({text})->outputs(streams)[0].sample_shape);
  };
  const TestImages fixed{.pixels = {map_of(6, 7)}, .is_fixed = true};
  const TestImages free{.pixels = {map_of(6, 7)}};
  EXPECT_EQ(made("crop:size=4x9", fixed), "[4, 7, 1]");
  EXPECT_EQ(made("crop:size=4x9", free), "[*, *, *]");
  EXPECT_EQ(made("crop:side_ratio=0.5", fixed), "[*, *, 1]");
  EXPECT_EQ(joined({"decode", "crop:size=4x9"})->shape_max(0), (Shape{4, 9, 3}));
  EXPECT_EQ(joined({"decode", "crop:side_ratio=0.5"})->shape_max(0), std::nullopt);
}

TEST(Crop, RefusesInvalidOptionsByName) {
  const auto error = [](const std::map<std::string, std::string>& options) {
    return testing::error_of<ConfigError>([&] { static_cast<void>(make_type("crop", options)); });
  };
  EXPECT_EQ(error({{"size", "0x5"}}),
            "size must be a number of pixels from 1 to 65535, or two as HEIGHTxWIDTH, such as "
            "224x160: got \"0x5\"");
  EXPECT_EQ(error({{"size", "65536"}}).substr(0, 27), "size must be a number of pi");
  EXPECT_EQ(error({{"side_ratio", "0.75:0.5"}}),
            "side_ratio must be a number from 1e-06 to 1, or two as MIN:MAX, such as 0.5:0.75: got "
            "\"0.75:0.5\"");
  EXPECT_EQ(error({{"side_ratio", "1.5"}}).substr(0, 25), "side_ratio must be a numb");
  EXPECT_EQ(error({{"side_ratio", "0.5"}, {"area_ratio", "0.5"}}),
            "area_ratio does not go with side_ratio");
  EXPECT_EQ(error({{"size", "4"}, {"side_ratio", "0.5"}}), "side_ratio does not go with size");
  EXPECT_EQ(error({{"size", "4"}, {"jitter", "uniform"}}), "jitter does not go with size");
  EXPECT_EQ(error({{"at", "random"}}), "at=random needs one of size, side_ratio and area_ratio");
  EXPECT_EQ(error({{"at", "left"}}), "at must be one of center, random: got \"left\"");
  EXPECT_EQ(error({{"seed", "4"}}),
            "seed goes with draws=ordered alone; keyed draws have the run's seed");
  EXPECT_EQ(error({{"draws", "ordered"}, {"seed", "4294967296"}}),
            "seed must be a whole number from 0 to 4294967295: got \"4294967296\"");
}

TEST(CropViews, AreFourCornersTheCentreAndTheirMirrors) {
  const std::pair<std::int64_t, std::int64_t> corners[] = {{0, 0}, {4, 0}, {0, 3}, {4, 3}, {2, 1}};
  const auto views = joined({"crop_views:view=view,size=4x5"});
  for (int view = 0; view < 10; ++view) {
    const auto [x, y] = corners[view % 5];
    EXPECT_EQ(part_of(run_images(*views, {.pixels = {map_of(7, 9)},
                                          .type = ElementType::i32,
                                          .numbers = {static_cast<double>(view)}})[0]),
              (Part{.x = x, .y = y, .height = 4, .width = 5, .is_mirrored = view >= 5}));
  }
}

TEST(CropViews, DrawTheirSize) {
  const auto views =
      joined({"crop_views:view=view,side_ratio=0.3:1,jitter=uniform,draws=ordered,seed=6"});
  const auto draws = views->ordered_draws({});
  internal::TwisterDraws twister(6);
  for (int view = 0; view < 10; ++view) {
    TestImages images{.pixels = {map_of(20, 30)},
                      .type = ElementType::i32,
                      .numbers = {static_cast<double>(view)}};
    images.drawn = drawn_for(*draws, 0, images);
    const double ratio = twister.real(static_cast<double>(0.3F), 1);
    const auto side = static_cast<std::int64_t>(std::floor(20 * ratio + 0.5));
    const Part part = part_of(run_images(*views, images)[0]);
    EXPECT_EQ(part.height, side) << view;
    EXPECT_EQ(part.width, side) << view;
  }
}

TEST(CropViews, RefusesOtherNumbers) {
  const auto views = joined({"crop_views:view=view,size=2"});
  for (const double number : {-1.0, 10.0, 2.5}) {
    EXPECT_NE(
        testing::error_of<ConfigError>([&] {
          static_cast<void>(run_images(*views, {.pixels = {map_of(4, 4)}, .numbers = {number}}));
        }).find("expected a number of a view, from 0 to 9, got "),
        std::string::npos);
  }
}

}  // namespace
}  // namespace sheaf
