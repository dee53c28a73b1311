#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/extend/format.h"

namespace sheaf {
namespace {

Recognition recognition_of(std::string_view bytes) {
  return find_format("a.map", {.format = "image_map"}).recognize(bytes);
}

TEST(ImageMapFormat, IsRecognizedByTheFirstLine) {
  EXPECT_EQ(recognition_of("a.JPG\t3\nanything"), Recognition::certain);
  EXPECT_EQ(recognition_of("\n \nk\t.../b.png\t3"), Recognition::certain);
  EXPECT_EQ(recognition_of("z.zip@/b.webp\t3\r\n"), Recognition::certain);
  EXPECT_EQ(recognition_of("a.jpg\tx\n"), Recognition::no);
  EXPECT_EQ(recognition_of("a.wav\t3\n"), Recognition::no);
  EXPECT_EQ(recognition_of("0 |x 1\n"), Recognition::no);
  EXPECT_EQ(recognition_of(""), Recognition::no);
}

}  // namespace
}  // namespace sheaf
