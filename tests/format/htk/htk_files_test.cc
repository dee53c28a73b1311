#include "format/htk/htk_files.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/file_system.h"

#include "format/htk/htk_test_file.h"
#include "support/write_file.h"

namespace sheaf::htk {
namespace {

using sheaf::testing::write_file;

TEST(HtkFiles, RelativePathsStartAtTheWorkingDirectoryThenAtTheList) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "u.htk", testing::file({1, 2}, 2));
  write_file(*files, "lists/u.htk", testing::file({1, 2, 3}, 3));
  write_file(*files, "lists/v.htk", testing::file({1}, 1));
  ParameterFiles opened(*files, "lists", 1 << 20);
  ASSERT_NE(opened.open("u.htk"), nullptr);
  EXPECT_EQ(opened.open("u.htk")->header()->dim, 2);
  EXPECT_EQ(opened.open("v.htk")->header()->dim, 1);
  EXPECT_EQ(opened.open("w.htk"), nullptr);
  EXPECT_EQ(opened.open_count(), 2U);
}

TEST(HtkFiles, OnlyRecentlyUsedFilesStayOpen) {
  const std::unique_ptr<FileSystem> files = memory_files();
  for (const char* const path : {"a", "b", "c"}) write_file(*files, path, testing::file({1}, 1));
  ParameterFiles opened(*files, ".", 1 << 20, 2);
  const auto a = opened.open("a");
  const auto b = opened.open("b");
  EXPECT_EQ(opened.open("a"), a);
  static_cast<void>(opened.open("c"));
  EXPECT_EQ(opened.open_count(), 2U);
  EXPECT_EQ(opened.open("a"), a) << "used after b";
  EXPECT_NE(opened.open("b"), b) << "opened again";
}

TEST(HtkFiles, AWrongHeaderIsNotCached) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a", "short");
  ParameterFiles opened(*files, ".", 1 << 20);
  EXPECT_EQ(opened.open("a")->header(), nullptr);
  write_file(*files, "a", testing::file({1, 2}, 1));
  ASSERT_NE(opened.open("a")->header(), nullptr);
  EXPECT_EQ(opened.open("a")->header()->frame_count, 2);
}

TEST(HtkFiles, ScalesOfCompressedFilesAreReadForSmallReadSizes) {
  using testing::append_float;
  const std::unique_ptr<FileSystem> files = memory_files();
  for (const bool is_big : {true, false}) {
    std::string bytes = testing::header(
        {.samples = 5, .frame_size = 4, .kind = 9 | 02000, .is_big_endian = is_big});
    for (const float value : {2.0F, 4.0F, -1.0F, 0.5F}) append_float(bytes, value, is_big);
    bytes += std::string(4, '\0');  // one frame
    write_file(*files, "c", bytes);
    ParameterFiles opened(*files, ".", 3);
    const auto file = opened.open("c");
    ASSERT_NE(file->header(), nullptr);
    EXPECT_EQ(file->header()->frame_count, 1);
    EXPECT_EQ(file->scales, (std::vector<float>{2, 4, -1, 0.5})) << is_big;
    EXPECT_EQ(file->decoding().offsets[0], -1) << is_big;
  }
}

TEST(HtkFiles, SeveralAreOpenedTogether) {
  const std::unique_ptr<FileSystem> files = memory_files();
  for (const char* const path : {"a", "b", "c"}) write_file(*files, path, testing::file({1}, 1));
  write_file(*files, "short", "x");
  ParameterFiles opened(*files, ".", 1 << 20, 2);
  const auto known = opened.open("b");
  const std::vector<std::string_view> paths = {"a", "a",     "none", "",    "b",
                                               "c", "short", "a",    "none"};
  const auto all = opened.open_all(paths);
  ASSERT_EQ(all.size(), paths.size());
  EXPECT_NE(all[0], nullptr);
  EXPECT_EQ(all[1], all[0]);
  EXPECT_EQ(all[7], all[0]);
  EXPECT_EQ(all[2], nullptr);
  EXPECT_EQ(all[3], nullptr);
  EXPECT_EQ(all[8], nullptr);
  EXPECT_EQ(all[4], known);
  EXPECT_EQ(all[6]->header(), nullptr);
  EXPECT_EQ(opened.open_count(), 2U) << "those used last stay open";
  EXPECT_TRUE(opened.open_all({}).empty());
}

// The headers of 64 files are read at once.
TEST(HtkFiles, AnyNumberIsOpenedTogether) {
  for (const std::size_t count : {63U, 64U, 65U, 128U, 129U}) {
    const std::unique_ptr<FileSystem> files = memory_files();
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) {
      names.push_back(std::to_string(i));
      write_file(*files, names.back(), testing::file({static_cast<float>(i)}, 1));
    }
    ParameterFiles opened(*files, ".", 1 << 20);
    const std::vector<std::string_view> paths(names.begin(), names.end());
    const auto all = opened.open_all(paths);
    ASSERT_EQ(all.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_NE(all[i], nullptr) << i;
      EXPECT_EQ(all[i]->source->name(), names[i]);
      EXPECT_EQ(opened.open(paths[i]), all[i]);
    }
  }
}

}  // namespace
}  // namespace sheaf::htk
