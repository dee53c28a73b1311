#include "io/system_files.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "io/limits.h"
#include "support/test_folder.h"
#include "support/text_data.h"
#include "support/write_file.h"

namespace sheaf {
namespace {

using testing::text_of;
using testing::write_file;
using Names = std::vector<std::string>;

TEST(SystemFiles, CanWriteReadListAndRemove) {
  const TestFolder folder;
  FileSystem& files = system_files();
  const std::string path = folder.path("a.ctf");
  EXPECT_FALSE(files.exists(path));
  EXPECT_FALSE(files.check_creatable(path));
  write_file(files, path, "text");
  EXPECT_TRUE(files.exists(path));
  EXPECT_TRUE(files.check_creatable(path));
  EXPECT_EQ(text_of(*files.open(path)), "text");
  EXPECT_EQ(files.list(folder.path("*.ctf")), Names{path});
  EXPECT_EQ(files.list(folder.path("*.cbf")), Names{});
  EXPECT_TRUE(files.is_same_file(path, folder.path("./a.ctf")));
  EXPECT_FALSE(files.is_same_file(path, folder.path("b.ctf")));
  files.remove(path);
  files.remove(path);
  EXPECT_FALSE(files.exists(path));
}

TEST(SystemFiles, AllPathsToAFileHaveTheSameCanonicalForm) {
  const TestFolder folder;
  FileSystem& files = system_files();
  std::filesystem::create_directory(folder.path("d"));
  std::filesystem::create_directory_symlink("d", folder.path("link"));
  write_file(files, folder.path("d/a"), "");
  std::filesystem::create_symlink("a", folder.path("d/b"));
  const std::string a = files.canonical(folder.path("d/a"));
  EXPECT_TRUE(a.ends_with("/d/a"));
  EXPECT_TRUE(a.starts_with('/'));
  for (const char* const path : {"d/b", "link/a", "link/b", "./d/../link/b"}) {
    EXPECT_EQ(files.canonical(folder.path(path)), a) << path;
  }
  EXPECT_EQ(files.canonical(folder.path("link/none")),
            std::filesystem::path(a).parent_path() / "none");
  EXPECT_EQ(files.canonical("none"),
            std::filesystem::canonical(std::filesystem::current_path()) / "none");
  EXPECT_EQ(memory_files()->canonical("d/./e/../a"), "d/a");
}

TEST(SystemFiles, AnUnreadableFolderIsAnError) {
  const TestFolder folder;
  std::filesystem::create_symlink("loop", folder.path("loop"));
  const std::string pattern = folder.path("loop/*");
  EXPECT_EQ(
      testing::error_of<IoError>([&] { (void)system_files().list(pattern); }),
      pattern + ": the files of such names cannot be listed: Too many levels of symbolic links");
}

TEST(SystemFiles, ReadsAThousandFilesWithFewDescriptors) {
  const TestFolder folder;
  for (int i = 0; i < 1000; ++i) folder.write(std::to_string(i), std::to_string(i));
  const DescriptorLimit limit(32);
  internal::DescriptorCache cache;
  const std::unique_ptr<FileSystem> files = internal::system_files_on(cache);
  std::vector<std::shared_ptr<const ByteSource>> sources;
  for (const std::string& path : files->list(folder.path("*"))) {
    sources.push_back(files->open(path));
  }
  ASSERT_EQ(sources.size(), 1000U);
  for (const auto& source : sources) {
    EXPECT_EQ(text_of(*source), std::filesystem::path(source->path()).filename());
  }
  EXPECT_EQ(cache.size(), 16U);
  write_file(*files, folder.path("out"), "written beside them");
}

}  // namespace
}  // namespace sheaf
