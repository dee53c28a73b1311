#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "image/image_decoder.h"
#include "image/image_header.h"
#include "support/error_of.h"
#include "transform/run_images.h"
#include "transform/run_transform.h"

namespace sheaf {
namespace {

// Returns the diagnostic about wrong data.
Diagnostic problem_of(const std::vector<std::string>& chain, const TestImages& images) {
  try {
    static_cast<void>(run_images(*joined(chain), images));
  } catch (const DataError& error) {
    return error.diagnostics()[0];
  }
  ADD_FAILURE() << "nothing was wrong";
  return {};
}

// A JPEG image of 48 x 64 pixels (height x width) with channels 4x, 5y and 255 - 2(x + y), clipped
// to a byte. Made by Pillow with quality=60, optimize=True and subsampling=2.
constexpr std::string_view kRamp =
    "ffd8ffe000104a46494600010100000100010000ffdb0043000d090a0b0a080d0b0a0b0e0e0d0f132015"
    "13121213271c1e17202e2931302e292d2c333a4a3e333646372c2d405741464c4e525352323e5a615a50"
    "604a51524fffdb0043010e0e0e131113261515264f352d354f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f"
    "4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4fffc00011080030004003"
    "012200021101031101ffc40017000101010100000000000000000000000003040506ffc4001710000301"
    "0000000000000000000000000000020361ffc40017010101010100000000000000000000000005040706"
    "ffc4001511010100000000000000000000000000000300ffda000c03010002110311003f00e29642ac8a"
    "1642ac8ed91e90569d65822c8a5642ac8811e505699642ac8a1642ac8811e50569d6422c8a5642ac83d1"
    "e4c56cb5908b229590ab21647b3215a6590ab2c295908b220479415a7590ab228590ab20f479415a6590"
    "ab2c295908b220479415b2d642ac8a56422c8591ecc8569d642ac8a1642ac83d1e5056996582ac8a5642"
    "ac8811e4c5699642ac8a1642acb0811e5056ffd9";

std::string ramp() {
  std::string file;
  for (std::size_t i = 0; i < kRamp.size(); i += 2) {
    file += static_cast<char>(std::stoi(std::string(kRamp.substr(i, 2)), nullptr, 16));
  }
  return file;
}

// Expects an image of the same size, whose values differ by at most `most`.
void expect_near(const TestImage& found, const TestImage& expected, double most) {
  ASSERT_EQ(found.extents, expected.extents);
  double apart = 0;
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    apart = std::max(apart, std::abs(found.values[i] - expected.values[i]));
  }
  EXPECT_LE(apart, most);
}

TEST(Decode, OrdersChannelsByColor) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  const TestImage image = random_image(4, 5, 3);
  const TestImages images{.files = {png_of(image)}};
  EXPECT_EQ(run_images(*joined({"decode"}), images)[0], image);
  TestImage turned = image;
  for (std::size_t i = 0; i < turned.values.size(); i += 3) {
    std::swap(turned.values[i], turned.values[i + 2]);
  }
  EXPECT_EQ(run_images(*joined({"decode:color=bgr"}), images)[0], turned);
  const TestImage grey = random_image(4, 5, 1);
  EXPECT_EQ(run_images(*joined({"decode:color=grey"}), {.files = {png_of(grey)}})[0], grey);
}

TEST(Decode, MakesAStreamOfBytes) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  const std::vector<Stream> streams = {stream_of({.files = {""}})};
  EXPECT_EQ(to_string(joined({"decode"})->outputs(streams)[0]), "image: dense u8 [*, *, 3]");
  EXPECT_EQ(to_string(joined({"decode:color=grey"})->outputs(streams)[0]),
            "image: dense u8 [*, *, 1]");
}

TEST(Decode, OtherBytesAreAnError) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  const std::string png = png_of(random_image(4, 5, 3));
  TestImages images{.files = {png, "no image at all", png}};
  Diagnostic wrong = problem_of({"decode"}, images);
  EXPECT_EQ(wrong.code, "image-header");
  EXPECT_EQ(wrong.stream, "image");
  EXPECT_EQ(wrong.byte_offset, std::ssize(png));
  EXPECT_FALSE(wrong.expected.empty());
  EXPECT_FALSE(wrong.found.empty());

  images.range = {1, 2};  // the beginning of the sequence is unknown
  wrong = problem_of({"decode"}, images);
  EXPECT_EQ(wrong.byte_offset, std::int64_t{Diagnostic::kNoOffset});
}

TEST(Decode, TruncatedImagesAreAnError) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  const std::string png = png_of(random_image(4, 5, 3));
  for (std::size_t size = 0; size < png.size() - 12; ++size) {
    const Diagnostic wrong =
        problem_of({"decode", "crop:size=2"}, {.files = {png.substr(0, size)}});
    EXPECT_TRUE(wrong.code == "image-header" || wrong.code == "image-data") << size;
    EXPECT_LE(wrong.byte_offset, static_cast<std::int64_t>(size));
  }
}

TEST(Decode, ReadsJpegFasterBeforeAResize) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  constexpr double kMost =
      20;  // four pixels: OpenCV's kernels process whole pixels of the reduced image
  TestImages images{.files = {ramp(), ramp()}};
  const std::vector<std::vector<std::string>> chains = {
      {"resize:size=12x16"},
      {"resize:size=12x16,antialias=false,filter=linear"},
      {"resize:size=13x17,filter=cubic"},
      {"resize:size=11x9", "transpose"},
      {"crop:size=41x43,at=random,flip=true", "resize:size=10x9", "crop:size=8"},
      {"crop:size=40x50,at=random", "resize:size=10x12,antialias=false,filter=cubic", "flip"},
      {"random_resized_crop:size=5", "flip"},
      {"flip", "flip:axis=vertical", "resize:size=6x8"}};
  int different = 0;
  for (const std::vector<std::string>& chain : chains) {
    std::vector<std::string> exact = {"decode"};
    std::vector<std::string> fast = {"decode:mode=fast"};
    exact.insert(exact.end(), chain.begin(), chain.end());
    fast.insert(fast.end(), chain.begin(), chain.end());
    for (images.key = 0; images.key < 10; ++images.key) {
      const std::vector<TestImage> expected = run_images(*joined(exact), images);
      const std::vector<TestImage> found = run_images(*joined(fast), images);
      expect_near(found[0], expected[0], kMost);
      EXPECT_EQ(found[1], found[0]);
      different += found == expected ? 0 : 1;
    }
  }
  EXPECT_GT(different, 40);
}

// Without a further resize, the reduced image is the result, so its size is known.
TEST(Decode, UsesTheLargestSufficientReduction) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  const std::string file = ramp();
  const auto reduced = [&](int reduction, std::int64_t height, std::int64_t width) {
    const std::span bytes = std::as_bytes(std::span(file));
    internal::ImageHeader header;
    internal::ImageProblem problem;
    EXPECT_TRUE(read_image_header(bytes, header, problem));
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(height * width * 3));
    internal::DecodeRequest request{.reduction = reduction};
    request.region = {.width = width, .height = height};
    std::vector<internal::ImageProblem> warnings;
    EXPECT_TRUE(internal::ImageDecoder().decode(
        bytes, header, request, {pixels.data(), width, height, 3, width * 3}, problem, warnings));
    return TestImage{.extents = {height, width, 3}, .values = {pixels.begin(), pixels.end()}};
  };
  const auto fast = [&](const std::string& text) {
    return run_images(*joined({"decode:mode=fast", text}), {.files = {file}})[0];
  };
  const std::string as_opencv = ",antialias=false,filter=nearest";
  EXPECT_EQ(fast("resize:size=12x16" + as_opencv), reduced(4, 12, 16));
  EXPECT_EQ(fast("resize:size=24x32" + as_opencv), reduced(2, 24, 32));
  EXPECT_EQ(fast("resize:size=48x64" + as_opencv), reduced(1, 48, 64));
  // One row more than a quarter: every second pixel of the half image is taken.
  const TestImage half = reduced(2, 24, 32);
  EXPECT_EQ(fast("resize:size=13x16" + as_opencv),
            run_images(*joined({"resize:size=13x16" + as_opencv}), {.pixels = {half}})[0]);
  // Alone or before other transforms, the whole image is decoded.
  EXPECT_EQ(run_images(*joined({"decode:mode=fast"}), {.files = {file}})[0], reduced(1, 48, 64));
  EXPECT_EQ(run_images(*joined({"decode:mode=fast", "crop:size=48x64"}), {.files = {file}})[0],
            reduced(1, 48, 64));
}

TEST(Decode, RefusesMorePixelsThanTheLimit) {
  if (!internal::has_image_decoders()) GTEST_SKIP() << "built without decoders of images";
  const TestImages images{.files = {png_of(random_image(5, 6, 1))}};
  EXPECT_EQ(run_images(*joined({"decode:pixels_max=30"}), images).size(), 1U);
  const Diagnostic wrong = problem_of({"decode:pixels_max=29"}, images);
  EXPECT_EQ(wrong.code, "image-size");
  EXPECT_EQ(wrong.expected, "an image of at most 29 pixels, as pixels_max says");
  EXPECT_EQ(wrong.found, "one of 5 x 6 (height x width)");
}

TEST(Decode, RefusesInvalidOptionsByName) {
  const auto error = [](const std::map<std::string, std::string>& options) {
    return testing::error_of<ConfigError>([&] { static_cast<void>(make_type("decode", options)); });
  };
  EXPECT_EQ(error({{"color", "cmyk"}}), "color must be one of rgb, bgr, grey: got \"cmyk\"");
  EXPECT_EQ(error({{"mode", "x"}}), "mode must be one of exact, fast: got \"x\"");
  EXPECT_EQ(error({{"rules", "x"}}), "rules must be one of pillow, opencv: got \"x\"");
  EXPECT_EQ(error({{"pixels_max", "0"}}),
            "pixels_max must be a whole number from 1 to 715827882: got \"0\"");
}

}  // namespace
}  // namespace sheaf
