#include "io/output_path.h"

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_sink.h"

#include "support/test_folder.h"

namespace sheaf {
namespace {

template <typename Expected>
std::string error_of(const std::string& path, const std::vector<std::string>& sources = {}) {
  try {
    check_output_path(path, sources);
  } catch (const Expected& error) {
    return error.what();
  }
  return "no error";
}

TEST(CheckOutputPath, ReturnsWhetherAFileExists) {
  const TestFolder folder;
  folder.write("a", "");
  std::filesystem::create_symlink("a", folder.path("link"));
  std::filesystem::create_symlink("none", folder.path("to-none"));
  EXPECT_TRUE(check_output_path(folder.path("a")));
  EXPECT_TRUE(check_output_path(folder.path("link")));
  EXPECT_FALSE(check_output_path(folder.path("b")));
  EXPECT_FALSE(check_output_path(folder.path("to-none")));
}

TEST(CheckOutputPath, ASourceIsRefusedUnderAnyName) {
  const TestFolder folder;
  folder.write("data", "1");
  folder.write("other", "2");
  std::filesystem::create_symlink("data", folder.path("link"));
  std::filesystem::create_hard_link(folder.path("data"), folder.path("twin"));
  const std::vector<std::string> sources = {folder.path("not-there"), folder.path("data")};
  for (const char* const name : {"data", "link", "twin", "./data"}) {
    EXPECT_EQ(error_of<ConfigError>(folder.path(name), sources),
              folder.path(name) + ": is the file that is read; write another one");
  }
  EXPECT_TRUE(check_output_path(folder.path("other"), sources));
  EXPECT_FALSE(check_output_path(folder.path("new"), sources));
}

TEST(CheckOutputPath, TheFolderMustExist) {
  const TestFolder folder;
  folder.write("file", "");
  std::filesystem::create_symlink("none/a", folder.path("link"));
  for (const auto& [name, reason] : {std::pair{"none/a", "No such file or directory"},
                                     {"file/a", "Not a directory"},
                                     {"link", "No such file or directory"}}) {
    EXPECT_EQ(error_of<IoError>(folder.path(name)),
              folder.path(name) + ": cannot create: " + reason);
  }
}

TEST(CheckOutputPath, CircularLinksAreAnError) {
  const TestFolder folder;
  std::filesystem::create_symlink("b", folder.path("a"));
  std::filesystem::create_symlink("a", folder.path("b"));
  EXPECT_EQ(error_of<IoError>(folder.path("a")),
            folder.path("a") + ": cannot examine: Too many levels of symbolic links");
}

TEST(CheckOutputPath, AFileWithoutANameIsRefused) {
  const TestFolder folder;
  folder.write("gone", "1");
  const int file = ::open(folder.path("gone").c_str(), O_RDONLY | O_CLOEXEC);
  std::filesystem::remove(folder.path("gone"));
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  EXPECT_EQ(error_of<ConfigError>(path),
            path + ": cannot be written: it leads to a file that has no name");
  ::close(file);
}

TEST(FindOutputTarget, FollowsLinks) {
  const TestFolder folder;
  std::filesystem::create_directory(folder.path("far"));
  std::filesystem::create_symlink("far/second", folder.path("first"));
  std::filesystem::create_symlink(folder.path("target"), folder.path("far/second"));
  EXPECT_EQ(internal::find_output_target(folder.path("first")).path, folder.path("target"));
  EXPECT_EQ(internal::find_output_target(folder.path("plain")).path, folder.path("plain"));
  EXPECT_EQ(internal::find_output_target("plain").path, "plain");
}

}  // namespace
}  // namespace sheaf
