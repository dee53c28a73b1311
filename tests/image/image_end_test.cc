#include "image/image_end.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "image/made_images.h"

namespace sheaf::internal {
namespace {

bool is_whole(const std::string& bytes, ImageFormat format) {
  return is_whole_image(bytes_of(bytes), format);
}

/// Cuts the image behind its header, and expects that no part is a whole image.
void expect_no_whole_part(const std::string& name, std::size_t step) {
  const std::string whole = image_file(name);
  ImageHeader header;
  ImageProblem problem;
  ASSERT_TRUE(read_image_header(bytes_of(whole), header, problem)) << name;
  EXPECT_TRUE(is_whole(whole, header.format)) << name;
  EXPECT_TRUE(is_whole(whole + "behind", header.format)) << name;
  int cut_count = 0;
  for (std::size_t size = whole.size() - 1; size > 0; size -= std::min(size, step)) {
    const std::string cut = whole.substr(0, size);
    if (!read_image_header(bytes_of(cut), header, problem)) break;
    EXPECT_FALSE(is_whole(cut, header.format)) << name << ' ' << size;
    ++cut_count;
  }
  EXPECT_GT(cut_count, 0) << name;
}

TEST(ImageEnd, APartIsNotWhole) {
  for (const char* name :
       {"exif_6.jpg", "progressive.jpg", "cmyk.jpg", "grey.jpg", "dot.jpg", "rgb_16.png",
        "palette_1.png", "interlaced.png", "dot.png", "lossy.webp", "lossless.webp", "dot.webp"}) {
    expect_no_whole_part(name, 1);
  }
  expect_no_whole_part("large.jpg", 100);
}

TEST(ImageEnd, TheEndOfAThumbnailIsNotTheEndOfTheImage) {
  const std::string thumbnail =
      jpeg_segment('\xe1', std::string("Exif\0\0....\xff\xd8\xff\xd9", 14));
  std::string image = image_file("grey.jpg").insert(2, thumbnail);
  EXPECT_TRUE(is_whole(image, ImageFormat::jpeg));
  EXPECT_FALSE(is_whole(image.substr(0, image.size() - 2), ImageFormat::jpeg));
}

TEST(ImageEnd, ChangedPixelsOfPngHaveAnotherCheckSum) {
  std::string image = image_file("rgba.png");
  image[image.size() - 100] = static_cast<char>(image[image.size() - 100] ^ 1);
  EXPECT_FALSE(is_whole(image, ImageFormat::png));
}

}  // namespace
}  // namespace sheaf::internal
