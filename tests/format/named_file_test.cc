#include "format/named_file.h"

#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"

#include "support/write_file.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::write_file;

class NamedFileTest : public ::testing::Test {
 protected:
  /// Returns the name of the file at a path, or "none".
  [[nodiscard]] std::string opened(std::string_view path, const std::string& named_in) const {
    const auto source = open_named_file(path, folder_of(named_in), *files_);
    return source == nullptr ? "none" : std::string(source->name());
  }

  std::unique_ptr<FileSystem> files_ = memory_files();
};

TEST_F(NamedFileTest, APathStartsAtTheWorkingDirectoryOrAtTheReferringFile) {
  for (const char* const path : {"a.toc", "d/a.toc", "d/a.bin", "d/b.bin", "b.bin"}) {
    write_file(*files_, path, path);
  }
  EXPECT_EQ(opened("a.bin", "d/a.toc"), "d/a.bin");
  EXPECT_EQ(opened("b.bin", "d/a.toc"), "b.bin") << "the working directory comes first";
  EXPECT_EQ(opened("d/a.bin", "d/a.toc"), "d/a.bin");
  EXPECT_EQ(opened("a.bin", "a.toc"), "none");
  EXPECT_EQ(opened("", "d/a.toc"), "none");
}

TEST_F(NamedFileTest, ThePathIsThatOfTheOpenedFile) {
  for (const char* const path : {"d/a.bin", "d/b.bin", "b.bin", "d/c.tar", "e.zip"}) {
    write_file(*files_, path, path);
  }
  const auto path = [&](std::string_view named) { return named_file_path(named, "d", *files_); };
  EXPECT_EQ(path("a.bin"), "d/a.bin");
  EXPECT_EQ(path("b.bin"), "b.bin");
  EXPECT_EQ(path("c.tar/x.bin"), "d/c.tar");
  EXPECT_EQ(path("e.zip/x/y.bin"), "e.zip");
  EXPECT_EQ(path("none.bin"), "d/none.bin");
  EXPECT_EQ(path("/d/none.bin"), "/d/none.bin");
}

TEST(NamedFile, FindsTheFolderOfAPath) {
  EXPECT_EQ(folder_of("a/b/c.scp"), "a/b");
  EXPECT_EQ(folder_of("a\\c.scp"), "a");
  EXPECT_EQ(folder_of("/c.scp"), "");
  EXPECT_EQ(folder_of("c.scp"), ".");
  EXPECT_EQ(folder_of(*memory_source("", "d/c.scp")), "d");
}

TEST_F(NamedFileTest, AnAbsolutePathHasOneMeaning) {
  write_file(*files_, "/d/a.toc", "");
  write_file(*files_, "/d/e/a.bin", "");
  EXPECT_EQ(opened("/e/a.bin", "/d/a.toc"), "none");
  EXPECT_EQ(opened("/d/e/a.bin", "/d/a.toc"), "/d/e/a.bin");
}

}  // namespace
}  // namespace sheaf::internal
