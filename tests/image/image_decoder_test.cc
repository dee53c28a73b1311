#include "image/image_decoder.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "image/decode_region.h"
#include "image/made_images.h"

namespace sheaf::internal {
namespace {

/// A line of tests/image/data/expected.txt: the result of Pillow or OpenCV for make_images.py.
struct Expected {
  std::string file;
  std::string rules;
  std::string color;
  std::string hash;
};

std::vector<Expected> all_expected() {
  std::ifstream file(SHEAF_IMAGES_DIR "/expected.txt");
  std::vector<Expected> lines;
  for (Expected line; file >> line.file >> line.rules >> line.color >> line.hash;) {
    lines.push_back(line);
  }
  return lines;
}

DecodeRequest request_of(const Expected& line) {
  return {.color = line.color == "grey" ? ImageColor::grey : ImageColor::rgb,
          .rules = line.rules == "opencv" ? ImageRules::opencv : ImageRules::pillow};
}

std::set<std::string> all_files() {
  std::set<std::string> files;
  for (const Expected& line : all_expected()) files.insert(line.file);
  return files;
}

TEST(ImageDecoder, MatchesPillowAndOpencv) {
  ASSERT_TRUE(has_image_decoders());
  const std::vector<Expected> lines = all_expected();
  ASSERT_GE(lines.size(), 100U);
  for (const Expected& line : lines) {
    const Decoded decoded = decode_whole(image_file(line.file), request_of(line));
    EXPECT_TRUE(decoded.is_right) << line.file << ": " << decoded.problem.found;
    EXPECT_EQ(hash_of(decoded.pixels), line.hash)
        << line.file << ' ' << line.rules << ' ' << line.color;
    EXPECT_TRUE(decoded.warnings.empty()) << line.file;
  }
}

TEST(ImageDecoder, RegionsEqualPartsOfTheWholeImage) {
  for (const std::string& file : all_files()) {
    for (const ImageColor color : {ImageColor::rgb, ImageColor::grey}) {
      const std::string broken =
          broken_region_law(image_file(file), {.color = color, .rules = ImageRules::opencv}, 12);
      EXPECT_EQ(broken, "") << file;
    }
  }
}

TEST(ImageDecoder, BgrIsRgbBackwards) {
  for (const std::string& file : all_files()) {
    const std::string bytes = image_file(file);
    const std::vector<std::uint8_t> rgb = decode_whole(bytes, {}).pixels;
    std::vector<std::uint8_t> bgr = decode_whole(bytes, {.color = ImageColor::bgr}).pixels;
    for (std::size_t i = 0; i < bgr.size(); i += 3) std::swap(bgr[i], bgr[i + 2]);
    EXPECT_EQ(rgb, bgr) << file;
  }
}

/// Cuts a file at every byte, and expects an error at the end for any region.
void expect_no_part(const std::string& file, std::size_t step) {
  const std::string whole = image_file(file);
  ASSERT_FALSE(whole.empty());
  ImageHeader header;
  ImageProblem problem;
  ASSERT_TRUE(read_image_header(bytes_of(whole), header, problem));
  for (std::size_t size = 0; size < whole.size(); size += step) {
    const std::string cut = whole.substr(0, size);
    for (const bool is_whole : {true, false}) {
      DecodeRequest request;
      request.region = {.width = is_whole ? header.width() : 1,
                        .height = is_whole ? header.height() : 1};
      const Decoded decoded = decode_region(cut, header, request);
      EXPECT_FALSE(decoded.is_right) << file << ' ' << size;
      EXPECT_LE(decoded.problem.offset, static_cast<std::int64_t>(size));
      EXPECT_FALSE(decoded.problem.found.empty());
      EXPECT_TRUE(decoded.problem.is_cut) << file << ' ' << size << decoded.problem.found;
    }
  }
}

TEST(ImageDecoder, TruncatedImagesGiveNoPixels) {
  for (const std::string& file : all_files()) expect_no_part(file, 64);
  expect_no_part("large.jpg", 1024);
}

TEST(ImageDecoder, ImagesWithoutTheirLastByteGiveNoPixels) {
  for (const std::string& file : all_files()) {
    const std::string whole = image_file(file);
    EXPECT_FALSE(decode_whole(whole.substr(0, whole.size() - 1), {}).is_right) << file;
  }
}

TEST(ImageDecoder, RowsMayBeFartherApartThanTheirPixels) {
  const std::string bytes = image_file("exif_1.jpg");
  const Decoded whole = decode_whole(bytes, {});
  ImageHeader header;
  ImageProblem problem;
  std::vector<ImageProblem> warnings;
  ASSERT_TRUE(read_image_header(bytes_of(bytes), header, problem));
  const std::int64_t stride = header.width() * 3 + 5;
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(stride * header.height()), 77);
  ImageDecoder decoder;
  const PixelView<std::uint8_t> view = {.values = pixels.data(),
                                        .width = header.width(),
                                        .height = header.height(),
                                        .channels = 3,
                                        .row_stride = stride};
  const DecodeRequest request{.region = {.width = header.width(), .height = header.height()}};
  ASSERT_TRUE(decoder.decode(bytes_of(bytes), header, request, view, problem, warnings));
  for (std::int64_t y = 0; y < header.height(); ++y) {
    const auto row = whole.pixels.begin() + y * header.width() * 3;
    EXPECT_TRUE(std::equal(row, row + header.width() * 3, view.row(y)));
    EXPECT_EQ(view.row(y)[stride - 1], 77);
  }
}

}  // namespace
}  // namespace sheaf::internal
