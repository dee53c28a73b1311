#include "transform/image_runner.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "image/image_decoder.h"
#include "transform/run_images.h"

namespace sheaf::internal {
namespace {

// Tests an image of f32 at an odd address.
TEST(ImageRunner, SupportsPixelsOfAnyAlignment) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  std::vector<std::byte> bytes(values.size() * sizeof(float) + 1);
  std::memcpy(bytes.data() + 1, values.data(), values.size() * sizeof(float));
  const AnyPixels image{.type = ElementType::f32,
                        .values = bytes.data() + 1,
                        .height = 2,
                        .width = 3,
                        .channels = 1,
                        .row_bytes = 12};
  std::vector<float> made(4);
  const ImageForm form{.type = ElementType::f32, .height = 2, .width = 2, .channels = 1};
  const std::vector<ImageStep> steps = {
      {.kind = ImageStep::Kind::cut, .made = form, .region = {.x = 1, .width = 2, .height = 2}},
      {.kind = ImageStep::Kind::mirror, .made = form}};
  ImageRunner runner;
  runner.run(image, steps,
             {.type = ElementType::f32,
              .values = reinterpret_cast<std::byte*>(made.data()),
              .height = 2,
              .width = 2,
              .channels = 1,
              .row_bytes = 8});
  EXPECT_EQ(made, (std::vector<float>{3, 2, 6, 5}));
}

TEST(ImageRunner, IsReusableForOtherSizes) {
  if (!has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  const auto pipeline = joined({"decode", "flip:probability=1", "resize:size=5x5", "transpose"});
  const TestImages small{.files = {png_of(random_image(4, 6, 3))}};
  const TestImages large{.files = {png_of(random_image(60, 50, 3))}};
  const auto first = run_images(*pipeline, small);
  const auto second = run_images(*pipeline, large);
  EXPECT_EQ(run_images(*pipeline, small), first);
  EXPECT_EQ(run_images(*pipeline, large), second);
}

TEST(ImageRunner, KeepsNoLargeBuffers) {
  std::vector<std::byte> pixel(1);
  const AnyPixels image{
      .values = pixel.data(), .height = 1, .width = 1, .channels = 1, .row_bytes = 1};
  // A border makes images of any size. The last step writes elsewhere, so a buffer is needed.
  const auto held_after = [&](std::int64_t width) {
    const std::vector<ImageStep> steps = {{.kind = ImageStep::Kind::pad,
                                           .made = {.height = 1, .width = width, .channels = 1},
                                           .region = {.width = 1, .height = 1},
                                           .pad_value = 7},
                                          {.kind = ImageStep::Kind::cut,
                                           .made = {.height = 1, .width = 1, .channels = 1},
                                           .region = {.x = width - 1, .width = 1, .height = 1}}};
    std::byte made{};
    ImageRunner runner;
    runner.run(image, steps,
               {.values = &made, .height = 1, .width = 1, .channels = 1, .row_bytes = 1});
    EXPECT_EQ(made, std::byte{7});
    runner.trim();
    return runner.held_bytes();
  };
  constexpr auto kKept = static_cast<std::int64_t>(ImageRunner::kKeptBytes);
  EXPECT_EQ(held_after(kKept), ImageRunner::kKeptBytes);
  EXPECT_EQ(held_after(kKept + 1), 0U);
}

TEST(ImageRunners, ReusesReturnedRunners) {
  ImageRunners runners;
  std::set<const ImageRunner*> seen;
  {
    const ImageRunners::Loan first(runners);
    const ImageRunners::Loan second(runners);
    seen = {&*first, &*second};
    EXPECT_EQ(seen.size(), 2U);
  }
  const ImageRunners::Loan again(runners);
  EXPECT_TRUE(seen.contains(&*again));
}

}  // namespace
}  // namespace sheaf::internal
