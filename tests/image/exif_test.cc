#include "image/exif.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "image/made_images.h"

namespace sheaf::internal {
namespace {

int orientation_in(const std::string& exif) {
  return orientation_of_exif(HeaderBytes(std::as_bytes(std::span(exif))));
}

TEST(Exif, OrientationIsReadInBothByteOrders) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    EXPECT_EQ(orientation_in(made_exif(orientation, /*is_little=*/true)), orientation);
    EXPECT_EQ(orientation_in(made_exif(orientation, /*is_little=*/false)), orientation);
    EXPECT_EQ(orientation_in(std::string("Exif\0\0", 6) + made_exif(orientation, true)),
              orientation);
  }
}

TEST(Exif, ValuesOutsideOneToEightAreOrientationOne) {
  EXPECT_EQ(orientation_in(made_exif(0, true)), 1);
  EXPECT_EQ(orientation_in(made_exif(9, true)), 1);
  EXPECT_EQ(orientation_in(made_exif(65535, false)), 1);
}

TEST(Exif, OrientationMayHaveAnotherTypeOrCount) {
  constexpr std::size_t kType = 24;
  constexpr std::size_t kCount = 26;
  for (const char type : {'\1', '\4'}) {  // a byte, and a number of 32 bits
    std::string exif = made_exif(6, true);
    exif[kType] = type;
    EXPECT_EQ(orientation_in(exif), 6);
  }
  for (const char count : {'\0', '\2'}) {
    std::string exif = made_exif(6, true);
    exif[kCount] = count;
    EXPECT_EQ(orientation_in(exif), 6);
  }
}

TEST(Exif, BrokenExifIsOrientationOne) {
  const std::string whole = made_exif(6, true);
  for (std::size_t size = 0; size < whole.size() - 4; ++size) {
    EXPECT_EQ(orientation_in(whole.substr(0, size)), 1) << size;
  }
  // The byte order, the number 42, a directory far beyond the end, and the type of the tag.
  constexpr std::array<std::size_t, 4> kPlaces = {0, 2, 6, 24};
  for (const std::size_t place : kPlaces) {
    std::string broken = whole;
    broken[place] = '\x7f';
    EXPECT_EQ(orientation_in(broken), 1) << place;
  }
}

}  // namespace
}  // namespace sheaf::internal
