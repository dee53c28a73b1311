#include <string>

#include <gtest/gtest.h>

#include "sheaf/extend/format.h"
#include "sheaf/open.h"

#include "format/image_folder/image_folder_test_files.h"
#include "support/error_of.h"
#include "support/test_folder.h"

namespace sheaf::image_folder {
namespace {

TEST(ImageFolderFormat, AppliesToEveryFolder) {
  FoldersInMemory folders = {{"d.ctf/a/1.jpg", "one"}, {"p1/a/2.jpg", ""}, {"p2/a/3.jpg", ""}};
  const OpenContext context{.files = &folders.files()};
  EXPECT_EQ(find_format("d.ctf", folders.files(), {}).name, "image_folder");
  EXPECT_EQ(told(*open_path("d.ctf", {}, context).data), "a/1.jpg=0 one\n");
  EXPECT_EQ(told(*open_path("d.ctf/", {.format = "image_folder"}, context).data),
            "a/1.jpg=0 one\n");
  EXPECT_EQ(
      testing::error_of([&] { static_cast<void>(open_path("d.ctf", {.format = "ctf"}, context)); }),
      "d.ctf: cannot open: No such file or directory");
  EXPECT_EQ(testing::error_of([&] {
              static_cast<void>(open_path("d.ctf/a/1.jpg", {.format = "image_folder"}, context));
            }),
            "d.ctf/a/1.jpg: cannot list: Not a directory");
}

TEST(ImageFolderFormat, APatternMayMatchFolders) {
  const TestFolder folder;
  for (const char* name : {"p2/a", "p1/a"}) std::filesystem::create_directories(folder.path(name));
  folder.write("p1/a/2.jpg", "2");
  folder.write("p2/a/1.jpg", "1");
  const OpenedData opened = open_path(folder.path("p*"), {});
  EXPECT_EQ(told(*opened.data),
            folder.path("p1/a/2.jpg") + "=0 2\n" + folder.path("p2/a/1.jpg") + "=0 1\n");
  folder.write("p3", "");
  EXPECT_EQ(testing::error_of([&] { static_cast<void>(open_path(folder.path("p*"), {})); }),
            folder.path("p3") + ": cannot list: Not a directory");
}

}  // namespace
}  // namespace sheaf::image_folder
