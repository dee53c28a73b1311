#include "format/image_folder/image_folder_scan.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/image_folder/image_folder_test_files.h"
#include "support/error_of.h"

namespace sheaf::image_folder {
namespace {

using Names = std::vector<std::string>;
using testing::error_of;

/// Returns "0 cats/1.jpg" for each image.
Names images_of(const FolderScan& scan) {
  Names found;
  for (std::int64_t i = 0; i < scan.paths.count(); ++i) {
    found.push_back(std::to_string(scan.class_id(i)) + " " + scan.key_text(i));
  }
  return found;
}

TEST(ImageName, HasAKnownExtensionInAnyCase) {
  for (const char* name : {"a.jpg", "a.JPEG", "x/b.c.Png", "1.webP"}) {
    EXPECT_TRUE(is_image_name(name)) << name;
  }
  for (const char* name : {"", "jpg", ".jpg", "a.jpgx", "a.gif", "a.jp", "ajpg", "a.jpg/b"}) {
    EXPECT_FALSE(is_image_name(name)) << name;
  }
}

TEST(FolderScan, ClassesAreSortedByNameNotByPath) {
  FoldersInMemory folders = {{"d/cat/1.jpg", "1"}, {"d/cat-fish/2.jpg", "22"}, {"d/ape/3.PNG", ""}};
  const FolderScan scan = folders.scan({"d"});
  EXPECT_EQ(scan.class_names, (Names{"ape", "cat", "cat-fish"}));
  EXPECT_EQ(images_of(scan), (Names{"0 ape/3.PNG", "2 cat-fish/2.jpg", "1 cat/1.jpg"}));
  EXPECT_EQ(scan.paths.size_bytes(1), 2);
  EXPECT_EQ(scan.file_path(1), "d/cat-fish/2.jpg");
  EXPECT_FALSE(scan.class_fault);
}

TEST(FolderScan, TheTopFolderIsTheClassAtAnyDepth) {
  FoldersInMemory folders = {{"d/a/x/y/1.jpg", ""}, {"d/a/2.jpg", ""}, {"d/b/x/3.jpg", ""}};
  EXPECT_EQ(images_of(folders.scan({"d"})), (Names{"0 a/2.jpg", "0 a/x/y/1.jpg", "1 b/x/3.jpg"}));
}

TEST(FolderScan, OtherFilesAreCountedAndHiddenOnesAreNot) {
  FoldersInMemory folders = {{"d/a/1.jpg", ""},     {"d/a/notes.txt", ""}, {"d/README", ""},
                             {"d/.h/1.jpg", ""},    {"d/a/.1.jpg", ""},    {"d/b/x.gif", ""},
                             {"d/c/d/e/f.txt", ""}, {"d/0.png", ""}};
  const FolderScan scan = folders.scan({"d/"});
  EXPECT_EQ(images_of(scan), (Names{"-1 0.png", "0 a/1.jpg"}));
  EXPECT_EQ(scan.other_files.count, 4);
  EXPECT_EQ(scan.other_files.first, "d/README");
  EXPECT_EQ(scan.without_class.count, 1);
  EXPECT_EQ(scan.without_class.first, "d/0.png");
  EXPECT_EQ(scan.class_names, (Names{"a", "b", "c"}));
  EXPECT_EQ(scan.empty_classes.count, 2);
  EXPECT_EQ(scan.empty_classes.first, "d/b");
}

TEST(FolderScan, AClassFileDefinesTheIds) {
  FoldersInMemory folders = {{"d/cats/1.jpg", ""}, {"d/dogs/1.jpg", ""}};
  const FolderScan scan = folders.scan({"d"}, {"dogs", "none", "cats"});
  EXPECT_EQ(images_of(scan), (Names{"2 cats/1.jpg", "0 dogs/1.jpg"}));
  EXPECT_EQ(scan.class_names.size(), 3U);
  EXPECT_FALSE(scan.class_fault);
  const FolderScan other = folders.scan({"d"}, {"cats"});
  ASSERT_TRUE(other.class_fault);
  EXPECT_EQ(to_string(*other.class_fault),
            "d/dogs: error: expected a name of the file image_folder.class_names, found \"dogs\" "
            "[image_folder-unknown-class]");
}

TEST(FolderScan, SeveralRootsHaveTheSameClasses) {
  FoldersInMemory folders = {{"d/a/1.jpg", ""},  {"d/b/1.jpg", ""}, {"e/a/1.jpg", ""},
                             {"e/b/1.jpg", ""},  {"f/a/1.jpg", ""}, {"g/a/1.jpg", ""},
                             {"g/aa/1.jpg", ""}, {"g/b/1.jpg", ""}};
  const FolderScan scan = folders.scan({"e/", "./d"});
  EXPECT_EQ(images_of(scan),
            (Names{"0 e/a/1.jpg", "1 e/b/1.jpg", "0 ./d/a/1.jpg", "1 ./d/b/1.jpg"}));
  EXPECT_EQ(scan.key_size(2), 11);
  EXPECT_FALSE(scan.class_fault);
  const auto fault = [&](const Names& roots) {
    return to_string(folders.scan(roots).class_fault.value());
  };
  EXPECT_EQ(fault({"d", "f"}),
            "f: error: expected the folders of classes that the first folder has, found no folder "
            "\"b\", which d has [image_folder-other-classes]\n"
            "  image_folder.class_names=FILE gives all folders the same classes");
  EXPECT_EQ(fault({"d", "g"}).substr(0, 101),
            "g: error: expected the folders of classes that the first folder has, found a folder "
            "\"aa\", which d lac");
  EXPECT_FALSE(folders.scan({"d", "f", "g"}, {"a", "aa", "b"}).class_fault);
}

TEST(FolderScan, RepeatedAndEmptyRootsAreRefused) {
  FoldersInMemory folders = {{"d/a/1.jpg", ""}, {"e/a/1.txt", ""}, {"e/2.txt", ""}};
  EXPECT_EQ(error_of<ConfigError>([&] {
              (void)folders.scan({"d", "d/"});
            }),
            "d: named twice; a data set has each folder once");
  EXPECT_EQ(error_of<DataError>([&] {
              (void)folders.scan({"d", "e"});
            }),
            "e: error: expected images such as CLASS/001.jpg, with the extension .jpg, .jpeg, .png "
            "or .webp, found other files alone: 2 [image_folder-empty]");
  EXPECT_EQ(error_of<IoError>([&] { (void)folders.scan({"none"}); }),
            "none: cannot list: No such file or directory");
}

TEST(FolderScan, TheIdentityDependsOnPathsSizesAndClasses) {
  FoldersInMemory folders = {{"d/a/1.jpg", "1"},
                             {"e/a/1.jpg", "2"},
                             {"f/a/1.jpg", "11"},
                             {"g/a/2.jpg", "1"},
                             {"h/b/1.jpg", "1"}};
  const auto identity = [&](const Names& roots, const Names& names = {}) {
    return folders.scan(roots, names).identity;
  };
  EXPECT_EQ(identity({"d"}), identity({"e"})) << "bytes are not read";
  EXPECT_EQ(identity({"d"}), identity({"./d/"}));
  EXPECT_NE(identity({"d"}), identity({"f"}));
  EXPECT_NE(identity({"d"}), identity({"g"}));
  EXPECT_NE(identity({"d"}), identity({"h"}));
  EXPECT_NE(identity({"d"}), identity({"d", "e"}));
  EXPECT_NE(identity({"d", "e"}), identity({"e", "d"})) << "keys begin with the root";
  EXPECT_NE(identity({"d"}), identity({"d"}, {"x", "a"}));
}

}  // namespace
}  // namespace sheaf::image_folder
