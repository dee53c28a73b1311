#include "format/image_folder/image_folder_pixels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/image_folder/image_folder_test_files.h"
#include "image/made_images.h"
#include "support/error_of.h"
#include "support/latent_files.h"

namespace sheaf::image_folder {
namespace {

std::string jpeg_of(int width, int height, std::size_t bytes_before) {
  using internal::jpeg_segment;
  return "\xff\xd8" + jpeg_segment('\xe2', std::string(bytes_before, 'a')) +
         jpeg_segment('\xc0', internal::jpeg_frame(width, height, 3)) + jpeg_segment('\xda', "") +
         std::string(5000, 'x');
}

TEST(PixelCounts, AreComputedFromTheHeaders) {
  FoldersInMemory folders = {{"d/a/1.jpg", jpeg_of(3, 5, 10)},
                             {"d/a/2.jpg", jpeg_of(7, 6, 10'000)},
                             {"d/a/3.jpg", "no image"},
                             {"d/a/4.jpg", ""}};
  const FolderScan scan = folders.scan({"d"});
  for (const std::int64_t read_size : {1, 7, 1 << 20}) {
    EXPECT_EQ(pixel_counts(scan, {.first = 0, .count = 4}, folders.files(), nullptr, read_size),
              (std::vector<std::int64_t>{15, 42, 0, 0}));
    EXPECT_EQ(pixel_counts(scan, {.first = 1, .count = 2}, folders.files(), nullptr, read_size),
              (std::vector<std::int64_t>{42, 0}));
  }
}

// 64 images are read together. Tests one below, at and above.
TEST(PixelCounts, ManyHeadersAreReadTogether) {
  for (const int count : {63, 64, 65}) {
    FoldersInMemory folders = {};
    for (int i = 0; i < count; ++i) {
      testing::write_file(folders.files(), "d/a/" + std::to_string(100 + i) + ".jpg",
                          jpeg_of(i + 1, 2, 10));
    }
    const FolderScan scan = folders.scan({"d"});
    testing::LatentFiles latent(folders.files());
    const std::vector<std::int64_t> counts =
        pixel_counts(scan, {.first = 0, .count = count}, latent, nullptr, 1 << 20);
    for (int i = 0; i < count; ++i) EXPECT_EQ(counts[static_cast<std::size_t>(i)], 2 * (i + 1));
    EXPECT_EQ(latent.clock.in_flight_max, std::min(count, 64));
    EXPECT_EQ(latent.clock.now, testing::LatentClock::kLatency * (count > 64 ? 2 : 1));
  }
}

TEST(OpenImage, AChangedOrMissingFileIsAnError) {
  FoldersInMemory folders = {{"d/a/1.jpg", "one"}};
  const FolderScan scan = folders.scan({"d"});
  EXPECT_EQ(open_image(scan, 0, folders.files())->size(), 3);
  testing::write_file(folders.files(), "d/a/1.jpg", "four");
  EXPECT_EQ(testing::error_of<IoError>([&] { (void)open_image(scan, 0, folders.files()); }),
            "d/a/1.jpg: was changed after the folder was listed: had 3 bytes, has 4");
  folders.files().remove("d/a/1.jpg");
  EXPECT_EQ(testing::error_of<IoError>([&] { (void)open_image(scan, 0, folders.files()); }),
            "d/a/1.jpg: cannot open: No such file or directory");
}

}  // namespace
}  // namespace sheaf::image_folder
