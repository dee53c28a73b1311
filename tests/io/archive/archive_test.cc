#include "sheaf/extend/archive.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "io/archive/make_archive.h"
#include "io/compressed/compress.h"
#include "io/compressed/compressed_checks.h"
#include "io/forwarding_files.h"
#include "support/test_folder.h"
#include "support/write_file.h"

namespace sheaf {
namespace {

/// Files in memory, and the paths that were opened.
class OpenedFiles final : public internal::ForwardingFiles {
 public:
  using ForwardingFiles::ForwardingFiles;

  [[nodiscard]] std::shared_ptr<const ByteSource> open(const std::string& path) override {
    opened.push_back(path);
    return ForwardingFiles::open(path);
  }

  std::vector<std::string> opened;
};

TEST(SplitArchivePath, FindsTheArchiveInAPath) {
  const auto split = [](std::string_view path) {
    const std::optional<ArchivePath> parts = split_archive_path(path);
    return parts ? parts->archive + "|" + parts->entry : "";
  };
  EXPECT_EQ(split("a/data.tar/part-0.ctf"), "a/data.tar|part-0.ctf");
  EXPECT_EQ(split("data.zip/b/part-0.ctf.gz"), "data.zip|b/part-0.ctf.gz");
  EXPECT_EQ(split("/a/data.tar.zst/p"), "/a/data.tar.zst|p");
  EXPECT_EQ(split("a.tar/b.zip/c"), "a.tar|b.zip/c");
  EXPECT_EQ(split("data.tar"), "");
  EXPECT_EQ(split("data.tar/"), "");
  EXPECT_EQ(split("data.tarx/part-0.ctf"), "");
  EXPECT_EQ(split(".tar/part-0.ctf"), "");
  EXPECT_EQ(split("a/b/c.ctf"), "");
}

TEST(OpenFileOrEntry, OpensFilesAndArchiveEntries) {
  const TestFolder folder;
  folder.write("plain", "12");
  folder.write("a.tar", tar_entry("./b/c.ctf", "345") + tar_end());
  folder.write("a.tar.gz", gzip_member(tar_entry("c", "6") + tar_end()));
  EXPECT_EQ(read_all(*open_file_or_entry(folder.path("plain"))), "12");
  const auto entry = open_file_or_entry(folder.path("a.tar/b/c.ctf"));
  EXPECT_EQ(read_all(*entry), "345");
  EXPECT_EQ(entry->name(), folder.path("a.tar/b/c.ctf"));
  EXPECT_EQ(entry->path(), "");
  EXPECT_EQ(read_all(*open_file_or_entry(folder.path("a.tar.gz/c"))), "6");
  EXPECT_THROW((void)open_file_or_entry(folder.path("a.tar/none")), IoError);
  EXPECT_THROW((void)open_file_or_entry(folder.path("b.tar/none")), IoError);
  std::filesystem::create_directory(folder.path("c.tar"));
  folder.write("c.tar/file", "7");
  EXPECT_EQ(read_all(*open_file_or_entry(folder.path("c.tar/file"))), "7");
}

TEST(StoredSize, HandlesFilesEntriesAndFolders) {
  const TestFolder folder;
  std::filesystem::create_directories(folder.path("d/e"));
  folder.write("d/a", "123");
  folder.write("d/e/b", "45");
  folder.write("a.tar", tar_entry("c", "6789") + tar_end());
  EXPECT_EQ(stored_size(folder.path("d/a")), 3);
  EXPECT_EQ(stored_size(folder.path("a.tar/c")), 4);
  EXPECT_EQ(stored_size(folder.path("d")), 5);
  EXPECT_THROW((void)stored_size(folder.path("none")), IoError);
}

TEST(StoredSize, OpensAnArchiveOnceAndReadsNoEntry) {
  const std::unique_ptr<FileSystem> memory = memory_files();
  OpenedFiles files(*memory);
  testing::write_file(files, "a.tar", tar_entry("c", "6789") + tar_entry("d", "1") + tar_end());
  testing::write_file(files, "b.tar", tar_entry("c", "12") + tar_end());
  testing::write_file(files, "e", "123");
  const std::vector<std::string> paths = {"a.tar/c", "e", "a.tar/d", "b.tar/c"};
  EXPECT_EQ(stored_sizes(paths, files), (std::vector<std::int64_t>{4, 3, 1, 2}));
  EXPECT_EQ(files.opened, (std::vector<std::string>{"a.tar", "e", "b.tar"}));
  const std::vector<std::string> missing = {"a.tar/none"};
  EXPECT_THROW((void)stored_sizes(missing, files), IoError);
}

TEST(OpenArchive, NamesMissingAndRepeatedEntries) {
  const auto archive = open_archive(memory_source(
      tar_entry("a", "1") + tar_entry("b", "2") + tar_entry("a", "3") + tar_end(), "x.tar"));
  const auto error_of_entry = [&archive](std::string_view name) -> std::string {
    try {
      (void)archive->open_entry(name);
    } catch (const IoError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(error_of_entry("a"), "x.tar: has more than one entry a");
  EXPECT_EQ(error_of_entry("c"), "x.tar: has no entry c");
  EXPECT_EQ(error_of_entry("b"), "");
  EXPECT_EQ(read_all(*archive->open_entry(0)) + read_all(*archive->open_entry(2)), "13");
  EXPECT_THROW((void)open_archive(memory_source("", "x")), IoError);
}

}  // namespace
}  // namespace sheaf
