#include "format/image_folder/image_folder_range.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "conformance/read_all.h"
#include "format/image_folder/image_folder_test_files.h"
#include "support/error_of.h"
#include "support/latent_files.h"

namespace sheaf::image_folder {
namespace {

TEST(ImageFolderRange, AnyRangeEqualsThatPartOfTheChunk) {
  FoldersInMemory folders = {{"d/a/1.jpg", "one"},
                             {"d/a/2.jpg", ""},
                             {"d/b/3.png", "three"},
                             {"d/b/4.webp", "four"},
                             {"d/c/5.jpeg", "fives"}};
  for (const std::int64_t read_size : {1, 3, 1 << 20}) {
    const auto data = folders.open({.read_size_bytes = read_size});
    const auto whole = conformance::read_range(*data, {ChunkIndex{}, 0, 5});
    ASSERT_EQ(whole.sequences.size(), 5U);
    ASSERT_EQ(whole.diagnostics.size(), 1U);
    for (std::int64_t first = 0; first < 5; ++first) {
      for (std::int64_t count = 1; count <= 5 - first; ++count) {
        const auto part = conformance::read_range(*data, {ChunkIndex{}, first, count});
        const auto begin = whole.sequences.begin() + first;
        EXPECT_TRUE(std::equal(part.sequences.begin(), part.sequences.end(), begin, begin + count));
        EXPECT_EQ(part.diagnostics.size(), first <= 1 && first + count > 1 ? 1U : 0U);
      }
    }
  }
}

TEST(ImageFolderRange, AnEmptyFileIsAHole) {
  FoldersInMemory folders = {{"d/a/1.jpg", "one"}, {"d/b/2.jpg", ""}, {"d/b/3.jpg", "3"}};
  EXPECT_EQ(told(*folders.open()),
            "a/1.jpg=0 one\nb/2.jpg hole\nb/3.jpg=1 3\n"
            "d/b/2.jpg: byte 0: error: stream \"image\": expected an image of at least one byte, "
            "found an empty file [image_folder-no-bytes]\n");
  FormatOptions labels;
  labels.streams = {{.name = "label"}};
  const auto data = folders.open(labels);
  Diagnostics diagnostics;
  EXPECT_TRUE(data->read({ChunkIndex{}, 0, 3}, diagnostics).holes().empty())
      << "where no image is read, none is missing";
}

// 64 files are read together. Tests one below, at and above.
TEST(ImageFolderRange, AnyNumberOfFilesIsRead) {
  for (const int count : {63, 64, 65}) {
    FoldersInMemory folders = {{"d/a/000.jpg", "0"}};
    for (int i = 1; i < count; ++i) {
      testing::write_file(folders.files(), "d/a/" + std::to_string(i) + ".jpg", std::to_string(i));
    }
    const auto data = folders.open();
    const auto all = conformance::read_range(*data, {ChunkIndex{}, 0, count});
    ASSERT_EQ(std::ssize(all.sequences), count);
    EXPECT_TRUE(all.diagnostics.empty());
    EXPECT_NE(told(*data).find("a/" + std::to_string(count - 1) + ".jpg=0 " +
                               std::to_string(count - 1) + "\n"),
              std::string::npos);
  }
}

TEST(ImageFolderRange, AMissingOrChangedFileIsAnError) {
  FoldersInMemory folders = {{"d/a/1.jpg", "one"}, {"d/a/2.jpg", "two"}};
  const auto data = folders.open();
  const auto error = [&] { return testing::error_of<IoError>([&] { (void)told(*data); }); };
  testing::write_file(folders.files(), "d/a/2.jpg", "");
  EXPECT_EQ(error(), "d/a/2.jpg: was changed after the folder was listed: had 3 bytes, has 0");
  folders.files().remove("d/a/2.jpg");
  EXPECT_EQ(error(), "d/a/2.jpg: cannot open: No such file or directory");
}

// 64 files are read together. Tests one below, at and above.
TEST(ImageFolderRange, ManyFilesAreReadTogetherAndEachOnce) {
  for (const int count : {63, 64, 65}) {
    FoldersInMemory folders = {};
    for (int i = 0; i < count; ++i) {
      const std::string name = std::to_string(100 + i);
      testing::write_file(folders.files(), "d/a/" + name + ".jpg", name);
    }
    testing::LatentFiles latent(folders.files());
    OpenRequest request;
    request.context = {.files = &latent};
    request.paths = {"d"};
    const ImageFolderDeserializer data(request);
    const std::string text = told(data);
    for (int i = 0; i < count; ++i) {
      const std::string name = std::to_string(100 + i);
      EXPECT_NE(text.find("a/" + name + ".jpg=0 " + name + "\n"), std::string::npos);
    }
    EXPECT_EQ(latent.clock.in_flight_max, std::min(count, 64));
    EXPECT_EQ(latent.clock.now, testing::LatentClock::kLatency * (count > 64 ? 2 : 1));
    latent.failing = {"d/a/107.jpg"};
    EXPECT_EQ(testing::error_of<IoError>([&] { (void)told(data); }), "d/a/107.jpg: is not reached");
  }
}

}  // namespace
}  // namespace sheaf::image_folder
