#include "image/jpeg_session.h"

#include <string>
#include <vector>

#include "image/encode_jpeg.h"
#include "image/made_images.h"

namespace sheaf::internal {
namespace {

TEST(JpegSession, ErrorsAreNotedWithTheirPlace) {
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

TEST(JpegSession, TheEndOfTheBytesIsAProblem) {
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

TEST(JpegSession, ImagesOfCountlessScansAreRefused) {
  // The last scan of a progressive image, again and again: each refines what is refined already.
  const std::string bytes =
      encode_jpeg({.width = 8, .height = 8, .is_grey = true, .is_progressive = true});
  const std::size_t first = bytes.find(std::string("\xff\xda", 2));
  const std::size_t second = bytes.find(std::string("\xff\xc4", 2), first);
  std::string many = bytes.substr(0, first);
  for (int i = 0; i < 600; ++i) many += bytes.substr(first, second - first);
  many += "\xff\xd9";
  JpegSession session(bytes_of(many));
  EXPECT_FALSE(session.run([&] {
    jpeg_read_header(&session.codec(), TRUE);
    jpeg_start_decompress(&session.codec());
  }));
}

}  // namespace
}  // namespace sheaf::internal
