#include "format/image_map/image_map_archives.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "io/archive/make_archive.h"
#include "support/error_of.h"
#include "support/write_file.h"

namespace sheaf::image_map {
namespace {

std::unique_ptr<FileSystem> files_with_archives() {
  auto files = memory_files();
  ZipMaker zip;
  zip.add("a.jpg", "first", {});
  zip.add("a.jpg", "second", {});
  zip.add("b.jpg", "third", {.is_deflated = true});
  testing::write_file(*files, "z.zip", zip.finish());
  testing::write_file(*files, "t.tar", tar_entry("c.jpg", "fourth") + tar_end());
  return files;
}

TEST(ImageMapArchives, AnArchiveIsOpenedOnce) {
  const auto files = files_with_archives();
  MapArchives archives(*files);
  EXPECT_EQ(archives.find("z.zip", false), 0);
  EXPECT_EQ(archives.find("t.tar", true), 1);
  files->remove("z.zip");
  EXPECT_EQ(archives.find("z.zip", false), 0);
  EXPECT_GT(archives.memory_bytes(), 0);
}

TEST(ImageMapArchives, EntriesAreFoundByName) {
  const auto files = files_with_archives();
  MapArchives archives(*files);
  const std::int64_t zip = archives.find("z.zip", false).value();
  const std::int64_t tar = archives.find("t.tar", false).value();
  EXPECT_EQ(archives.find_entry(zip, "a.jpg"), 0) << "the first of two";
  EXPECT_EQ(archives.find_entry(zip, "b.jpg"), 2);
  EXPECT_EQ(archives.find_entry(zip, "c.jpg"), std::nullopt);
  EXPECT_EQ(archives.find_entry(tar, "c.jpg"), 0);
  archives.end_search();
  EXPECT_EQ(archives.size_bytes(zip, 2), 5);
  EXPECT_EQ(testing::text_of(*archives.open(zip, 2)), "third");
  EXPECT_EQ(testing::text_of(*archives.open(tar, 0)), "fourth");
}

TEST(ImageMapArchives, OtherPathsAreNotArchives) {
  const auto files = files_with_archives();
  MapArchives archives(*files);
  EXPECT_EQ(archives.find("a.jpg", false), std::nullopt);
  EXPECT_EQ(archives.find("folder.zip", true), std::nullopt);
  EXPECT_NE(testing::error_of([&] {
              static_cast<void>(archives.find("gone.zip", false));
            }).find("gone.zip"),
            std::string::npos);
}

}  // namespace
}  // namespace sheaf::image_map
