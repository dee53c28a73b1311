#include "io/file_tree.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"

#include "io/forwarding_files.h"
#include "io/limits.h"
#include "io/system_files.h"
#include "support/error_of.h"
#include "support/interrupting.h"
#include "support/test_folder.h"
#include "support/tree_of.h"

namespace sheaf {
namespace {

using testing::tree_of;
using Names = std::vector<std::string>;

/// A folder for each test.
class FileTree : public ::testing::Test {
 protected:
  void make_folder(const std::string& name) const {
    std::filesystem::create_directories(folder_.path(name));
  }
  void link_to(const std::string& target, const std::string& name) const {
    std::filesystem::create_symlink(target, folder_.path(name));
  }
  [[nodiscard]] Names tree() const { return tree_of(system_files(), folder_.path("")); }

  TestFolder folder_;
};

TEST_F(FileTree, FilesAndFoldersAreSortedByPath) {
  for (const char* folder : {"b", "a/x", "empty"}) make_folder(folder);
  for (const char* file : {"b/1", "a/x/2", "a.1", "a/1", "a0"}) folder_.write(file, file);
  const Names expected = {"a.1 3", "a/", "a/1 3", "a/x/",  "a/x/2 5",
                          "a0 2",  "b/", "b/1 3", "empty/"};
  EXPECT_EQ(tree(), expected);
  EXPECT_EQ(tree_of(system_files(), folder_.path("a/x")), Names{"2 5"});
  EXPECT_EQ(tree_of(system_files(), folder_.path("empty")), Names{});
  internal::ForwardingFiles forwarding(system_files());
  EXPECT_EQ(tree_of(forwarding, folder_.path("")), expected);
  EXPECT_TRUE(forwarding.is_folder(folder_.path("a")));
  EXPECT_FALSE(forwarding.is_folder(folder_.path("a0")));
  EXPECT_FALSE(forwarding.is_folder(folder_.path("none")));
}

TEST_F(FileTree, HiddenNamesAreSkipped) {
  for (const char* folder : {".git/a", "a/.h"}) make_folder(folder);
  for (const char* file : {".git/a/1", "a/.h/1", "a/.1", "a/1"}) folder_.write(file, "");
  EXPECT_EQ(tree(), (Names{"a/", "a/1 0"}));
}

TEST_F(FileTree, LinksAreFollowedExceptToFoldersAbove) {
  for (const char* folder : {"a/b", "c"}) make_folder(folder);
  folder_.write("c/1", "one");
  link_to("../..", "a/b/root");
  link_to("..", "a/b/up");
  link_to(".", "a/same");
  link_to("../../c", "a/b/beside");
  link_to("c/1", "link");
  EXPECT_EQ(tree(),
            (Names{"a/", "a/b/", "a/b/beside/", "a/b/beside/1 3", "c/", "c/1 3", "link 3"}));
  link_to("../a", "c/other");
  EXPECT_EQ(tree(), (Names{"a/", "a/b/", "a/b/beside/", "a/b/beside/1 3", "c/", "c/1 3", "c/other/",
                           "c/other/b/", "link 3"}))
      << "a link to the folder that the walk came from ends there";
}

TEST_F(FileTree, FilesHaveTheirModificationTime) {
  make_folder("a");
  folder_.write("a/1", "x");
  const std::string path = folder_.path("a/1");
  system_files().visit_tree(folder_.path(""), [&](const TreeEntry& entry) {
    EXPECT_EQ(entry.modified_ns, entry.is_folder ? 0 : open_file(path)->modified_ns());
  });
}

TEST_F(FileTree, PipesAreSkipped) {
  ASSERT_EQ(::mkfifo(folder_.path("pipe").c_str(), 0600), 0);
  folder_.write("a", "");
  EXPECT_EQ(tree(), Names{"a 0"});
}

TEST_F(FileTree, UnreadableFoldersAreAnErrorWithTheirPath) {
  const auto error = [&](const std::string& path) {
    return testing::error_of<IoError>([&] { (void)tree_of(system_files(), path); });
  };
  EXPECT_EQ(error(folder_.path("none")),
            folder_.path("none") + ": cannot list: No such file or directory");
  folder_.write("file", "");
  EXPECT_EQ(error(folder_.path("file")), folder_.path("file") + ": cannot list: Not a directory");
  EXPECT_EQ(error(""), ": cannot list: No such file or directory");
  make_folder("a");
  link_to("nowhere", "a/link");
  EXPECT_EQ(error(folder_.path("")),
            folder_.path("a/link") + ": cannot read: No such file or directory");
  std::filesystem::remove(folder_.path("a/link"));
  link_to("loop", "a/loop");
  EXPECT_EQ(error(folder_.path("")),
            folder_.path("a/loop") + ": cannot read: Too many levels of symbolic links");
}

TEST_F(FileTree, AnyDepthNeedsOneDescriptor) {
  std::string deep = "a";
  for (int i = 0; i < 100; ++i) deep += "/a";
  make_folder(deep);
  folder_.write(deep + "/1", "x");
  const DescriptorLimit limit(32);
  internal::DescriptorCache cache;
  const std::unique_ptr<FileSystem> files = internal::system_files_on(cache);
  EXPECT_EQ(tree_of(*files, folder_.path("")).size(), 102U);
  std::vector<std::shared_ptr<const ByteSource>> open;
  for (int i = 0; i < 40; ++i) {
    folder_.write(std::to_string(i), "");
    open.push_back(files->open(folder_.path(std::to_string(i))));
  }
  EXPECT_EQ(tree_of(*files, folder_.path("")).size(), 142U) << "the cache makes room";
}

TEST_F(FileTree, AnInterruptionEndsAWalk) {
  folder_.write("a", "");
  testing::Interrupting interruption(1);
  const InterruptionScope scope(interruption);
  EXPECT_THROW((void)tree(), testing::Interrupted);
}

/// A file system without information about folders.
class NoFolders final : public internal::ForwardingFiles {
 public:
  using internal::ForwardingFiles::ForwardingFiles;
  [[nodiscard]] bool is_folder(const std::string& path) override {
    return FileSystem::is_folder(path);
  }
  void visit_tree(const std::string& folder,
                  const std::function<void(const TreeEntry& entry)>& visit) override {
    FileSystem::visit_tree(folder, visit);
  }
};

TEST_F(FileTree, AFileSystemNeedNotListFolders) {
  NoFolders files(system_files());
  EXPECT_FALSE(files.is_folder(folder_.path("")));
  EXPECT_EQ(testing::error_of<IoError>([&] { (void)tree_of(files, "d"); }),
            "d: cannot list: this file system lists no folders");
}

}  // namespace
}  // namespace sheaf
