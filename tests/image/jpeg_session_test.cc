#include "image/jpeg_session.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "image/encode_jpeg.h"
#include "image/made_images.h"

namespace sheaf::internal {
namespace {

TEST(JpegSession, ErrorsHaveAnOffset) {
  const std::string bytes = "\xff\xd8" + jpeg_segment('\xc0', jpeg_frame(8, 8, 3)) + "\xff\xd8";
  JpegSession session(bytes_of(bytes));
  EXPECT_FALSE(session.run([&] { jpeg_read_header(&session.codec(), TRUE); }));
  ImageProblem problem;
  std::vector<ImageProblem> warnings;
  session.report(/*has_failed=*/true, {.problem = problem, .warnings = warnings});
  EXPECT_EQ(problem.offset, static_cast<std::int64_t>(bytes.size()));
  EXPECT_EQ(problem.found, "Invalid JPEG file structure: two SOI markers");
  EXPECT_FALSE(problem.is_cut);
}

TEST(JpegSession, TheEndOfTheBytesIsAnError) {
  const std::string bytes = "\xff\xd8" + jpeg_segment('\xe0', std::string(100, 'a'));
  for (const std::size_t size : {std::size_t{0}, std::size_t{2}, std::size_t{9}, bytes.size()}) {
    JpegSession session(bytes_of(bytes).subspan(0, size));
    EXPECT_FALSE(session.run([&] { jpeg_read_header(&session.codec(), TRUE); }));
    ImageProblem problem;
    std::vector<ImageProblem> warnings;
    session.report(/*has_failed=*/true, {.problem = problem, .warnings = warnings});
    EXPECT_TRUE(problem.is_cut) << size;
    EXPECT_EQ(problem.offset, static_cast<std::int64_t>(size));
  }
}

TEST(JpegSession, TheFirstFourWarningsAreKept) {
  const std::string image = encode_jpeg({.width = 8, .height = 8});
  for (const std::size_t count : {3U, 4U, 5U}) {
    std::string bytes = image.substr(0, 2);
    for (std::size_t i = 0; i < count; ++i) bytes += "junk" + jpeg_segment('\xe2', "a");
    bytes += image.substr(2);
    JpegSession session(bytes_of(bytes));
    EXPECT_TRUE(session.run([&] { jpeg_read_header(&session.codec(), TRUE); }));
    ImageProblem problem;
    std::vector<ImageProblem> warnings;
    session.report(/*has_failed=*/false, {.problem = problem, .warnings = warnings});
    EXPECT_EQ(warnings.size(), std::min<std::size_t>(count, 4));
  }
}

TEST(JpegSession, ImagesHaveAtMost500Scans) {
  // An image with a scan for each component. The last scan is repeated again and again.
  const std::string bytes = encode_jpeg({.width = 8, .height = 8, .has_scans = true});
  const std::size_t last = bytes.rfind(std::string("\xff\xda", 2));
  const std::string scan = bytes.substr(last, bytes.size() - 2 - last);
  for (const int count : {3, 499, 500, 501, 600}) {
    std::string many = bytes.substr(0, last);
    for (int i = 2; i < count; ++i) many += scan;
    many += "\xff\xd9";
    JpegSession session(bytes_of(many));
    EXPECT_EQ(session.run([&] {
      jpeg_read_header(&session.codec(), TRUE);
      jpeg_start_decompress(&session.codec());
    }),
              count <= 500)
        << count;
  }
}

}  // namespace
}  // namespace sheaf::internal
