#include "transform/image_pipeline.h"

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "image/image_decoder.h"
#include "support/error_of.h"
#include "transform/run_images.h"
#include "transform/run_transform.h"

namespace sheaf {
namespace {

TestImages frames(int count, std::uint64_t key = 0) {
  TestImages images{.seed = 3, .key = key};
  for (int i = 0; i < count; ++i) {
    images.files.push_back(
        png_of(random_image(23 + i % 3, 31 - i % 2, 3, static_cast<std::uint64_t>(i))));
  }
  return images;
}

// Chains of all operations, in common and in unusual orders.
const std::vector<std::vector<std::string>> kChains = {
    {"decode", "crop:size=9x11"},
    {"decode", "crop:size=9x11,at=random,flip=true"},
    {"decode", "crop:size=40"},
    {"decode", "crop:side_ratio=0.25:1,jitter=uniform,at=random", "resize:size=8x9"},
    {"decode", "random_resized_crop:size=12", "flip"},
    {"decode", "resize:size=12", "crop:size=9"},
    {"decode", "resize:size=9x14,mode=crop", "crop:size=5", "crop:size=3x4,at=random"},
    {"decode", "resize:size=9x14,mode=pad", "flip:axis=vertical"},
    {"decode", "flip", "crop:size=7,at=random", "crop:size=3,at=random", "flip"},
    {"decode", "crop:size=20", "crop:size=10,at=random", "resize:size=4x4,antialias=false"},
    {"decode:color=grey", "random_resized_crop:size=12", "normalize:mean=0.5,std=0.25"},
    {"decode:color=bgr", "crop:size=16", "normalize:mean=0.5;0.4;0.3,std=1;2;3", "transpose"},
    {"decode", "normalize:mean=0,std=1", "resize:size=8x8,antialias=false,filter=cubic",
     "crop:size=3,at=random", "transpose"},
    {"decode", "transpose"},
};

TEST(ImagePipeline, FusionDoesNotChangeThePixels) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  for (const std::vector<std::string>& chain : kChains) {
    for (std::uint64_t key = 0; key < 8; ++key) {
      const TestImages images = frames(3, key);
      EXPECT_EQ(run_images(*joined(chain), images), run_apart(chain, images))
          << chain[1] << ' ' << key;
    }
  }
}

TEST(ImagePipeline, StreamsEqualThoseOfItsParts) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  for (const std::vector<std::string>& chain : kChains) {
    std::vector<Stream> streams = {stream_of(frames(1))};
    const std::vector<Stream> whole = joined(chain)->outputs(streams);
    for (const auto& transform : apart(chain)) streams = transform->outputs(streams);
    EXPECT_EQ(whole, streams) << chain[1];
  }
}

TEST(ImagePipeline, RangesEqualPartsOfTheWhole) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  for (const std::vector<std::string>& chain : kChains) {
    TestImages images = frames(4);
    const std::vector<TestImage> whole = run_images(*joined(chain), images);
    for (std::int64_t first = 0; first < 4; ++first) {
      for (std::int64_t count = 1; first + count <= 4; ++count) {
        images.range = {first, count};
        EXPECT_EQ(run_images(*joined(chain), images),
                  std::vector<TestImage>(whole.begin() + first, whole.begin() + first + count));
      }
    }
  }
}

TEST(ImagePipeline, DoesNotDependOnThreads) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  const auto pipeline = joined(kChains[3]);
  std::vector<std::vector<TestImage>> expected;
  for (std::uint64_t key = 0; key < 20; ++key) {
    expected.push_back(run_images(*pipeline, frames(2, key)));
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (std::uint64_t key = 0; key < 20; ++key) {
        EXPECT_EQ(run_images(*pipeline, frames(2, key)), expected[key]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(ImagePipeline, DrawsTheSameForAllFrames) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  TestImages images;
  for (int i = 0; i < 5; ++i) images.files.push_back(png_of(random_image(20, 20, 3)));
  for (images.key = 0; images.key < 20; ++images.key) {
    const auto made = run_images(*joined({"decode", "random_resized_crop:size=6", "flip"}), images);
    for (const TestImage& frame : made) EXPECT_EQ(frame, made[0]);
  }
}

TEST(ImagePipeline, ReadsTheStreamsOfLaterOperationsFirst) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  const auto pipeline = joined({"decode", "resize:size=6x8", "crop_views:view=view,size=2"});
  TestImages images{.files = {png_of(random_image(6, 8, 3)), png_of(random_image(6, 8, 3))},
                    .numbers = {0, 8}};
  const std::vector<TestImage> made = run_images(*pipeline, images);
  const TestImage image = random_image(6, 8, 3);
  EXPECT_EQ(made[0].values[0], image.values[0]);
  // View 8 is the mirrored lower right corner. Its first pixel is the last column of image row 4.
  EXPECT_EQ(made[1].values[0], image.values[(4 * 8 + 7) * 3]);
  images.range = {1, 1};
  EXPECT_EQ(run_images(*pipeline, images), std::vector{made[1]});
}

TEST(ImagePipeline, RefusesStreamsOfOtherLengths) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  const TestImages images{.files = {png_of(random_image(6, 8, 3))}, .numbers = {0, 8}};
  EXPECT_NE(
      testing::error_of<ConfigError>([&] {
        static_cast<void>(run_images(*joined({"decode", "crop_views:view=view,size=2"}), images));
      }).find("must have equal numbers of samples: got 2 and 1"),
      std::string::npos);
}

TEST(ImagePipeline, FusesNothingAfterPlanes) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  const auto all = apart({"transpose", "crop:size=2", "clip:samples=3", "decode"});
  EXPECT_EQ(all[0]->then(all[1], "transpose", "crop"), nullptr);
  EXPECT_EQ(all[1]->then(all[2], "crop", "clip"), nullptr);
  EXPECT_EQ(all[1]->then(all[3], "crop", "decode"), nullptr);
  EXPECT_NE(all[1]->then(all[0], "crop", "transpose"), nullptr);
}

TEST(ImagePipeline, RefusesImagesWithoutPixels) {
  const TestImages images{.pixels = {{.extents = {0, 4, 3}, .values = {}}}};
  EXPECT_NE(testing::error_of<DataError>([&] {
              static_cast<void>(run_images(*joined({"crop:size=2"}), images));
            }).find("expected an image with pixels, found one of 0 x 4 x 3"),
            std::string::npos);
}

TEST(ImagePipeline, RefusesOtherStreams) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  const auto error = [](const std::string& text, const Stream& stream) {
    return testing::error_of(
        [&] { static_cast<void>(joined({text})->outputs(std::vector{stream})); });
  };
  EXPECT_EQ(error("decode", {.name = "x", .sample_shape = Shape{3}}),
            "stream \"x\" must have bytes, such as those of image files: got dense f32 [3]");
  EXPECT_EQ(error("crop:size=2", {.name = "x", .sample_shape = Shape{3, 4}}),
            "stream \"x\" must be dense, with images of [height, width, channels]: got dense f32 "
            "[3, 4]");
  EXPECT_EQ(error("normalize:mean=0,std=1",
                  {.name = "x", .element_type = ElementType::i32, .sample_shape = Shape{3, 4, 1}}),
            "stream \"x\" must have values of type u8, f32 or f64: got dense i32 [3, 4, 1]");
  EXPECT_EQ(error("resize:size=65535x65535,antialias=false",
                  {.name = "x", .sample_shape = Shape{2, 2, 3}}),
            "stream \"x\": images of [65535, 65535, 3] have too many values; a sample holds "
            "2147483647");
}

TEST(ImagePipeline, ListsAllOptions) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  EXPECT_EQ(joined({"decode", "crop:size=4,at=random,draws=ordered"})->options(),
            "color=rgb,mode=exact,rules=pillow,pixels_max=178956970;crop:size=4x4,at=random,"
            "flip=false,draws=ordered,seed=0");
  EXPECT_EQ(joined({"crop:size=4"})->options(), "size=4x4,at=center,flip=false,draws=keyed");
}

TEST(ImagePipeline, GivesTheLargestExtents) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  EXPECT_EQ(joined({"decode"})->shape_max(0), std::nullopt);
  EXPECT_EQ(joined({"decode", "resize:size=8"})->shape_max(0), std::nullopt);
  EXPECT_EQ(joined({"decode", "crop:size=8x9", "transpose"})->shape_max(0), (Shape{3, 8, 9}));
  EXPECT_EQ(joined({"decode:color=grey", "crop:size=8x9", "crop:size=10x4"})->shape_max(0),
            (Shape{8, 4, 1}));
}

}  // namespace
}  // namespace sheaf
