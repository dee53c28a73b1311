#include "image/image_header.h"

#include <string>

#include <gtest/gtest.h>

#include "image/made_images.h"

namespace sheaf::internal {
namespace {

const std::string kStart = "\xff\xd8";
constexpr char kBaseline = '\xc0';
constexpr char kApplication1 = '\xe1';

ImageHeader header_of(const std::string& bytes) {
  ImageHeader header;
  ImageProblem problem;
  EXPECT_TRUE(read_image_header(bytes_of(bytes), header, problem))
      << problem.offset << ": expected " << problem.expected << ", found " << problem.found;
  return header;
}

ImageProblem problem_of(const std::string& bytes) {
  ImageHeader header;
  ImageProblem problem;
  EXPECT_FALSE(read_image_header(bytes_of(bytes), header, problem));
  return problem;
}

/// Expects that the header is complete, and that every shorter part of it is not.
void expect_cut_before_its_end(const std::string& bytes) {
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const ImageProblem problem = problem_of(bytes.substr(0, size));
    EXPECT_TRUE(problem.is_cut) << size;
    EXPECT_LE(problem.offset, static_cast<std::int64_t>(size));
  }
  header_of(bytes);
}

void expect_extents(const ImageHeader& header, std::int64_t width, std::int64_t height,
                    int channels) {
  EXPECT_EQ(header.stored_width, width);
  EXPECT_EQ(header.stored_height, height);
  EXPECT_EQ(header.channels, channels);
}

std::string jpeg_of(const std::string& exif) {
  return kStart + jpeg_segment(kApplication1, std::string("Exif\0\0", 6) + exif) +
         jpeg_segment(kBaseline, jpeg_frame(65535, 2, 3)).substr(0, 10);
}

TEST(ImageHeader, JpegGivesTheExtentsOfItsFrame) {
  for (const int components : {1, 3, 4}) {
    const ImageHeader header =
        header_of(kStart + jpeg_segment(kBaseline, jpeg_frame(300, 200, components)));
    EXPECT_EQ(header.format, ImageFormat::jpeg);
    expect_extents(header, 300, 200, components);
    EXPECT_EQ(header.bit_depth, 8);
    EXPECT_EQ(header.orientation, 1);
  }
}

TEST(ImageHeader, FillBytesAndStrayBytesOfJpegAreSkipped) {
  const std::string frame = jpeg_segment(kBaseline, jpeg_frame(3, 2, 1));
  expect_extents(header_of(kStart + "abc\xff\xff" + frame), 3, 2, 1);
  expect_extents(header_of(kStart + std::string("\xff\0\xff\xd0", 4) + frame), 3, 2, 1);
}

TEST(ImageHeader, OrientationsFiveToEightSwapTheExtents) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const ImageHeader header = header_of(jpeg_of(made_exif(orientation, orientation % 2 == 0)));
    EXPECT_EQ(header.orientation, orientation);
    EXPECT_EQ(header.width(), orientation >= 5 ? 2 : 65535);
    EXPECT_EQ(header.height(), orientation >= 5 ? 65535 : 2);
  }
}

TEST(ImageHeader, TheFirstExifOfJpegCounts) {
  const std::string prefix("Exif\0\0", 6);
  EXPECT_EQ(header_of(kStart + jpeg_segment(kApplication1, "http://ns.adobe.com/") +
                      jpeg_segment(kApplication1, prefix + made_exif(3, true)) +
                      jpeg_segment(kApplication1, prefix + made_exif(6, true)) +
                      jpeg_segment(kBaseline, jpeg_frame(3, 2, 1)))
                .orientation,
            3);
}

TEST(ImageHeader, InvalidExifIsOrientationOne) {
  EXPECT_EQ(header_of(jpeg_of("II*")).orientation, 1);
  EXPECT_EQ(header_of(jpeg_of(made_exif(9, true))).orientation, 1);
}

TEST(ImageHeader, JpegErrorsHaveAnOffset) {
  const auto of_frame = [](const std::string& frame, char code = kBaseline) {
    return problem_of(kStart + jpeg_segment(code, frame));
  };
  EXPECT_EQ(of_frame(jpeg_frame(0, 5, 3)).offset, 9);
  EXPECT_EQ(of_frame(jpeg_frame(5, 0, 3)).offset, 7);
  EXPECT_EQ(of_frame(jpeg_frame(5, 5, 3, 12)).offset, 6);
  EXPECT_EQ(of_frame(jpeg_frame(5, 5, 2)).expected, "1, 3 or 4 components");
  EXPECT_EQ(of_frame(jpeg_frame(5, 5, 3) + "x").found, "18");
  EXPECT_EQ(of_frame(jpeg_frame(5, 5, 3), '\xc3').found, "a frame of the kind 0xC3");
  EXPECT_EQ(problem_of(kStart + "\xff\xd9").found, "the marker 0xD9");
  EXPECT_EQ(problem_of(kStart + std::string("\xff\xe0\0\1", 4)).found, "1");
  EXPECT_FALSE(of_frame(jpeg_frame(0, 5, 3)).is_cut);
}

TEST(ImageHeader, PngGivesTheExtentsOfItsFirstChunk) {
  const std::string data = png_chunk("IDAT", "");
  const ImageHeader header = header_of(png_header(7, 5, 16, 6) + data);
  EXPECT_EQ(header.format, ImageFormat::png);
  expect_extents(header, 7, 5, 4);
  EXPECT_EQ(header.bit_depth, 16);
  expect_extents(header_of(png_header(0x7FFFFFFF, 1, 1, 0, 1) + data), 0x7FFFFFFF, 1, 1);
  expect_extents(header_of(png_header(1, 1, 4, 3) + data), 1, 1, 3);
  EXPECT_EQ(header_of(png_header(1, 1, 8, 4) + png_chunk("tEXt", "a") +
                      png_chunk("eXIf", made_exif(8, false)) + data)
                .orientation,
            8);
}

TEST(ImageHeader, PngExifMayFollowThePixels) {
  const std::string exif = png_chunk("eXIf", made_exif(6, true));
  const std::string pixels = png_header(7, 5, 8, 2) + png_chunk("IDAT", "abc");
  const std::string end = png_chunk("IEND", "");
  EXPECT_EQ(header_of(pixels + png_chunk("IDAT", "d") + exif + end).orientation, 6);
  EXPECT_EQ(header_of(pixels + end + exif).orientation, 1);
  EXPECT_EQ(header_of(pixels + exif.substr(0, 20)).orientation, 1);
  EXPECT_EQ(header_of(png_header(7, 5, 8, 2) + png_chunk("eXIf", made_exif(8, true)) +
                      png_chunk("IDAT", "") + exif + end)
                .orientation,
            8);
}

TEST(ImageHeader, PngErrorsHaveAnOffset) {
  EXPECT_EQ(problem_of(png_header(0, 1, 8, 2)).offset, 16);
  EXPECT_EQ(problem_of(png_header(0x80000000, 1, 8, 2)).offset, 16);
  EXPECT_EQ(problem_of(png_header(1, 0, 8, 2)).offset, 20);
  EXPECT_EQ(problem_of(png_header(1, 1, 8, 5)).offset, 25);
  EXPECT_EQ(problem_of(png_header(1, 1, 4, 2)).offset, 24);
  EXPECT_EQ(problem_of(png_header(1, 1, 16, 3)).offset, 24);
  EXPECT_EQ(problem_of(png_header(1, 1, 8, 2, 2)).offset, 26);
  EXPECT_EQ(problem_of(png_header(1, 1, 8, 2) + png_chunk("IEND", "")).found, "the chunk IEND");
  EXPECT_EQ(problem_of(png_header(1, 1, 8, 2) + big(0x80000000, 4) + "tEXt").offset, 33);
}

std::string lossless(std::uint64_t width, std::uint64_t height, bool has_alpha) {
  return "\x2f" + little((width - 1) | (height - 1) << 14 | std::uint64_t{has_alpha} << 28, 4);
}

std::string extended(int flags, std::uint64_t width, std::uint64_t height) {
  return webp_chunk("VP8X", little(static_cast<std::uint64_t>(flags), 4) + little(width - 1, 3) +
                                little(height - 1, 3));
}

TEST(ImageHeader, AllThreeKindsOfWebpFramesAreRead) {
  const std::string lossy =
      std::string("\x10\0\0\x9d\x01\x2a", 6) + little(500 | 0x4000, 2) + little(375, 2);
  const ImageHeader header = header_of(webp_file(webp_chunk("VP8 ", lossy)));
  EXPECT_EQ(header.format, ImageFormat::webp);
  expect_extents(header, 500, 375, 3);
  expect_extents(header_of(webp_file(webp_chunk("VP8L", lossless(16384, 1, true)))), 16384, 1, 4);
  expect_extents(header_of(webp_file(extended(0x10, 9, 7))), 9, 7, 4);
}

TEST(ImageHeader, WebpExifFollowsThePixels) {
  const std::string exif = webp_chunk("EXIF", made_exif(6, true));
  const std::string pixels = webp_chunk("VP8L", lossless(9, 7, false) + "ab");
  EXPECT_EQ(header_of(webp_file(extended(8, 9, 7) + pixels + exif)).orientation, 6);
  EXPECT_EQ(header_of(webp_file(extended(8, 9, 7) + pixels)).orientation, 1);
  EXPECT_EQ(header_of(webp_file(extended(0, 9, 7) + pixels + exif)).orientation, 1);
}

TEST(ImageHeader, WebpErrorsHaveAnOffset) {
  EXPECT_EQ(problem_of(webp_file(webp_chunk("ALPH", "abcdefgh"))).offset, 12);
  EXPECT_EQ(problem_of(webp_file(extended(2, 9, 7))).found, "an animation");
  EXPECT_EQ(problem_of(webp_file(webp_chunk("VP8L", "\x2e" + little(0, 4)))).offset, 20);
  EXPECT_EQ(problem_of(webp_file(webp_chunk("VP8 ", std::string(10, '\1')))).offset, 20);
}

TEST(ImageHeader, TruncatedHeadersAreReportedAsTruncated) {
  expect_cut_before_its_end(jpeg_of(made_exif(6, true)));
  expect_cut_before_its_end(png_header(7, 5, 8, 2) + png_chunk("eXIf", made_exif(6, true)) +
                            png_chunk("IDAT", "").substr(0, 8));
  expect_cut_before_its_end(webp_file(webp_chunk("VP8L", lossless(9, 7, false))).substr(0, 25));
  expect_cut_before_its_end(webp_file(extended(8, 9, 7) +
                                      webp_chunk("VP8L", lossless(9, 7, false)) +
                                      webp_chunk("EXIF", made_exif(6, true))));
}

TEST(ImageHeader, OtherBytesAreNotAnImage) {
  EXPECT_TRUE(problem_of("").is_cut);
  for (const std::string bytes : {"GIF89a", "\x89PNG\r\n\x1a\r", "RIFF1234WAVE", "\xff\xd7"}) {
    const ImageProblem problem = problem_of(bytes);
    EXPECT_FALSE(problem.is_cut) << bytes;
    EXPECT_EQ(problem.expected, "a JPEG, PNG or WebP image");
    EXPECT_EQ(problem.offset, 0);
  }
}

TEST(ImageHeader, FormatsHaveNames) {
  EXPECT_STREQ(name_of(ImageFormat::jpeg), "JPEG");
  EXPECT_STREQ(name_of(ImageFormat::png), "PNG");
  EXPECT_STREQ(name_of(ImageFormat::webp), "WebP");
}

}  // namespace
}  // namespace sheaf::internal
