#include "format/image_folder/image_folder_index_file.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/image_folder/image_folder_test_files.h"
#include "image/made_images.h"
#include "support/error_of.h"
#include "support/test_folder.h"

namespace sheaf::image_folder {
namespace {

using Pixels = std::vector<std::int64_t>;

std::string image_of(int width, int height) {
  return "\xff\xd8" + internal::jpeg_segment('\xc0', internal::jpeg_frame(width, height, 3));
}

/// Two roots on the disk, with two images and one image.
class ImageFolderIndexFile : public ::testing::Test {
 protected:
  ImageFolderIndexFile() {
    for (const char* name : {"d/a", "e/a"}) std::filesystem::create_directories(folder_.path(name));
    folder_.write("d/a/1.jpg", image_of(3, 5));
    folder_.write("d/a/2.jpg", "no image");
    folder_.write("e/a/1.jpg", image_of(7, 2));
  }

  /// Opens both roots. Keeps the warnings.
  Pixels pixels(IndexMode mode, bool joins_frames = false) {
    const FolderScan scan =
        scan_folders(roots_, {.class_names = {}, .joins_frames = joins_frames}, system_files());
    PixelUse use{.files = &system_files(), .index = {.mode = mode}};
    use.write_min_bytes = write_min_bytes_;
    warnings_.clear();
    const PackedInts packed = kept_pixels(scan, use, warnings_);
    Pixels all;
    for (std::int64_t i = 0; i < packed.size(); ++i) all.push_back(packed[i]);
    return all;
  }

  /// Changes the bytes of an image without changing its size or time.
  void change_in_secret(const std::string& name, const std::string& bytes) const {
    const auto time = std::filesystem::last_write_time(folder_.path(name));
    folder_.write(name, bytes);
    std::filesystem::last_write_time(folder_.path(name), time);
  }

  [[nodiscard]] bool has_index(const std::string& root) const {
    return std::filesystem::exists(folder_.path(root + ".sheaf-index"));
  }

  const TestFolder folder_;
  std::vector<std::string> roots_ = {folder_.path("d"), folder_.path("e/")};
  std::int64_t write_min_bytes_ = 0;
  std::vector<Diagnostic> warnings_;
};

TEST_F(ImageFolderIndexFile, IsStoredBesideEachRootAndSavesReadingTheHeaders) {
  EXPECT_EQ(pixels(IndexMode::automatic), (Pixels{15, 0, 14}));
  EXPECT_TRUE(has_index("d") && has_index("e"));
  change_in_secret("d/a/1.jpg", image_of(9, 9));
  EXPECT_EQ(pixels(IndexMode::automatic), (Pixels{15, 0, 14})) << "from the file";
  EXPECT_EQ(pixels(IndexMode::require), (Pixels{15, 0, 14}));
  EXPECT_EQ(pixels(IndexMode::off), (Pixels{81, 0, 14}));
  EXPECT_EQ(pixels(IndexMode::rebuild), (Pixels{81, 0, 14}));
  EXPECT_EQ(pixels(IndexMode::automatic), (Pixels{81, 0, 14}));
  EXPECT_TRUE(warnings_.empty());
}

// A record of the file has 16,384 images. Tests one below, at and above.
TEST_F(ImageFolderIndexFile, KeepsThePixelsOfManyImages) {
  std::filesystem::create_directories(folder_.path("m/a"));
  roots_ = {folder_.path("m")};
  Pixels expected;
  for (int i = 0; i < 16'385; ++i) {
    const int width = 1 + i % 50;
    folder_.write("m/a/" + std::to_string(100'000 + i) + ".jpg", image_of(width, 2));
    expected.push_back(2 * width);
    if (i < 16'382) continue;
    EXPECT_TRUE(pixels(IndexMode::rebuild) == expected) << i;
    EXPECT_TRUE(pixels(IndexMode::require) == expected) << i;
  }
}

TEST_F(ImageFolderIndexFile, IsRejectedForAnotherListing) {
  (void)pixels(IndexMode::rebuild);
  const auto later = [&](const std::string& name) {
    const auto time = std::filesystem::last_write_time(folder_.path(name));
    folder_.write(name, image_of(9, 9));
    std::filesystem::last_write_time(folder_.path(name), time + std::chrono::seconds(1));
  };
  later("d/a/1.jpg");
  EXPECT_THROW((void)pixels(IndexMode::require), ConfigError);
  EXPECT_EQ(pixels(IndexMode::automatic), (Pixels{81, 0, 14})) << "another time";
  ASSERT_EQ(warnings_.size(), 1U) << "the file of the other root fits";
  EXPECT_EQ(warnings_[0].code, "image_folder-index-file");
  EXPECT_EQ(warnings_[0].path, folder_.path("d"));
  EXPECT_EQ(pixels(IndexMode::require), (Pixels{81, 0, 14})) << "written again";
  folder_.write("e/a/2.jpg", image_of(1, 1));
  EXPECT_EQ(pixels(IndexMode::automatic), (Pixels{81, 0, 14, 1})) << "another image";
  std::filesystem::rename(folder_.path("e/a/2.jpg"), folder_.path("e/a/0.jpg"));
  EXPECT_EQ(pixels(IndexMode::automatic), (Pixels{81, 0, 1, 14})) << "another name";
}

TEST_F(ImageFolderIndexFile, IsRejectedForFramesInAnotherOrder) {
  for (const char* name : {"d/a/c/10.jpg", "d/a/c/9.jpg"}) {
    std::filesystem::create_directories(folder_.path("d/a/c"));
    folder_.write(name, image_of(1, std::string(name).ends_with("10.jpg") ? 10 : 9));
  }
  EXPECT_EQ(pixels(IndexMode::rebuild), (Pixels{15, 0, 10, 9, 14}));
  EXPECT_THROW((void)pixels(IndexMode::require, true), ConfigError);
  EXPECT_EQ(pixels(IndexMode::automatic, true), (Pixels{9, 10, 15, 0, 14}));
}

// A record has 16,384 images. Tests one below, at and above.
TEST(ImageFolderIndexRecords, AnyNumberOfImagesRoundTrips) {
  for (const std::int64_t count : {16'383, 16'384, 16'385}) {
    const std::unique_ptr<FileSystem> files = memory_files();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::string name = "a/" + std::to_string(100'000 + i) + ".jpg";
      testing::write_file(*files, "d/" + name, i % 2 == 0 ? "?" : image_of(1, 2));
    }
    const FolderScan scan = scan_folders(std::vector<std::string>{"d"}, {}, *files);
    std::vector<Diagnostic> warnings;
    const PackedInts read =
        kept_pixels(scan, {.files = files.get(), .index = {.mode = IndexMode::rebuild}}, warnings);
    const PackedInts kept =
        kept_pixels(scan, {.files = files.get(), .index = {.mode = IndexMode::require}}, warnings);
    ASSERT_EQ(kept.size(), count);
    for (std::int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(read[i], i % 2 == 0 ? 0 : 2);
      ASSERT_EQ(kept[i], read[i]);
    }
  }
}

TEST_F(ImageFolderIndexFile, SmallRootsHaveNoneByDefault) {
  write_min_bytes_ = 8 + static_cast<std::int64_t>(image_of(3, 5).size());  // the bytes of root d
  (void)pixels(IndexMode::automatic);
  EXPECT_TRUE(has_index("d"));
  EXPECT_FALSE(has_index("e"));
  std::filesystem::remove(folder_.path("d.sheaf-index"));
  ++write_min_bytes_;
  (void)pixels(IndexMode::automatic);
  EXPECT_FALSE(has_index("d"));
  (void)pixels(IndexMode::rebuild);
  EXPECT_TRUE(has_index("d") && has_index("e"));
}

TEST_F(ImageFolderIndexFile, AnUnwritableFileIsAWarning) {
  std::filesystem::create_directories(folder_.path("d.sheaf-index"));
  EXPECT_EQ(pixels(IndexMode::rebuild), (Pixels{15, 0, 14}));
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_EQ(warnings_[0].expected, "an index file that can be written");
  EXPECT_EQ(warnings_[0].code, "image_folder-index-file");
}

TEST_F(ImageFolderIndexFile, ADamagedFileIsRejected) {
  (void)pixels(IndexMode::rebuild);
  folder_.write("d.sheaf-index", "\x89SHEAFI\nrubbish");
  EXPECT_EQ(pixels(IndexMode::automatic), (Pixels{15, 0, 14}));
  EXPECT_EQ(warnings_.size(), 1U);
  EXPECT_EQ(pixels(IndexMode::require), (Pixels{15, 0, 14})) << "written again";
}

// A root lies in another root, so its index file lies among the images of the other.
TEST_F(ImageFolderIndexFile, IsNotCountedAsAnotherFileOfTheRoot) {
  roots_ = {folder_.path("d/a")};
  (void)pixels(IndexMode::rebuild);
  ASSERT_TRUE(has_index("d/a"));
  const FolderScan scan =
      scan_folders(std::vector<std::string>{folder_.path("d")}, {}, system_files());
  EXPECT_EQ(scan.other_files.count, 0);
}

}  // namespace
}  // namespace sheaf::image_folder
