#include "index/index_file_keeper.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "index/fake_chunks.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kLarge = IndexFileKeeper::kWriteMinBytes;

std::string no_fault(const IndexFile& /*file*/) { return {}; }

bool all_fit(const IndexRecord& /*record*/) { return true; }

/// Keepers of one data set with its index file in memory.
class IndexFileKeeperTest : public ::testing::Test {
 protected:
  std::unique_ptr<IndexFileKeeper> keeper(IndexMode mode, std::int64_t size_bytes = kLarge) {
    return std::make_unique<IndexFileKeeper>(
        fake_file(size_bytes, {.mode = mode, .directory = "folder"}, *files_));
  }

  /// Returns a keeper that has looked for the file.
  std::unique_ptr<IndexFileKeeper> opened(IndexMode mode, std::int64_t size_bytes = kLarge) {
    std::unique_ptr<IndexFileKeeper> keeper = this->keeper(mode, size_bytes);
    keeper->open(no_fault);
    return keeper;
  }

  void write(IndexFileKeeper& keeper, const std::string& notes) {
    keeper.begin_writing();
    keeper.add({.info = {.size_bytes = 10, .sequence_count = 1},
                .sequences = std::make_shared<const SequenceTable>(table_of({SequenceInfo{}})),
                .extra = {1, 2}});
    keeper.finish_writing(notes);
  }

  [[nodiscard]] bool is_there() { return files_->exists(path_); }

  std::unique_ptr<FileSystem> files_ = memory_files();
  const std::string path_ = index_file_path("data", "folder");
};

TEST_F(IndexFileKeeperTest, WritesAFileThatAnotherKeeperUses) {
  write(*opened(IndexMode::rebuild), "notes");
  for (const IndexMode mode : {IndexMode::automatic, IndexMode::require}) {
    const auto user = opened(mode);
    ASSERT_TRUE(user->file());
    EXPECT_EQ(user->file()->notes(), "notes");
    EXPECT_EQ(user->read(0, all_fit).extra, (std::vector<std::int64_t>{1, 2}));
    EXPECT_GT(user->memory_bytes(), 0);
    EXPECT_FALSE(user->use_warning());
  }
  EXPECT_FALSE(opened(IndexMode::off)->file());
  EXPECT_FALSE(opened(IndexMode::rebuild)->file());
}

TEST_F(IndexFileKeeperTest, SmallDataGetAFileOnlyOnRequest) {
  struct Case {
    IndexMode mode;
    std::int64_t size_bytes;
    bool is_written;
  };
  for (const Case& each :
       {Case{IndexMode::automatic, kLarge - 1, false}, Case{IndexMode::automatic, kLarge, true},
        Case{IndexMode::off, kLarge, false}, Case{IndexMode::rebuild, 1, true}}) {
    write(*opened(each.mode, each.size_bytes), "");
    EXPECT_EQ(is_there(), each.is_written);
    files_->remove(path_);
  }
}

TEST_F(IndexFileKeeperTest, ADamagedFileIsRefused) {
  write(*opened(IndexMode::rebuild), "");
  const auto fault = [](const IndexFile& /*file*/) { return std::string("its fault"); };
  const auto scans = keeper(IndexMode::automatic);
  scans->open(fault);
  EXPECT_FALSE(scans->file());
  ASSERT_TRUE(scans->use_warning());
  EXPECT_EQ(scans->use_warning()->found, path_ + ": damaged: its fault");
  EXPECT_EQ(scans->use_warning()->code, "fake-index-file");
  EXPECT_THROW(keeper(IndexMode::require)->open(fault), ConfigError);
  files_->remove(path_);
  EXPECT_THROW(opened(IndexMode::require), ConfigError);
  EXPECT_FALSE(opened(IndexMode::automatic)->use_warning()) << "no file is no warning";
}

TEST_F(IndexFileKeeperTest, AnInconsistentRecordRemovesTheFileUnlessRequired) {
  write(*opened(IndexMode::rebuild), "");
  const auto none_fits = [](const IndexRecord& /*record*/) { return false; };
  EXPECT_THROW(static_cast<void>(opened(IndexMode::require)->read(0, none_fits)), IoError);
  EXPECT_TRUE(is_there());
  EXPECT_THROW(static_cast<void>(opened(IndexMode::automatic)->read(0, none_fits)), IoError);
  EXPECT_FALSE(is_there());
}

TEST_F(IndexFileKeeperTest, NotesAreReplacedOnlyInAutomaticMode) {
  write(*opened(IndexMode::rebuild), "old");
  opened(IndexMode::require)->replace_notes("new");
  EXPECT_EQ(opened(IndexMode::require)->file()->notes(), "old");
  opened(IndexMode::automatic)->replace_notes("new");
  EXPECT_EQ(opened(IndexMode::require)->file()->notes(), "new");
  EXPECT_EQ(opened(IndexMode::require)->file()->chunk_count(), 1);
}

TEST_F(IndexFileKeeperTest, AnUnwritableFileIsAWarning) {
  {
    const auto sink = files_->create(path_);
    const std::string text = "somebody's text";
    sink->write(std::as_bytes(std::span(text)));
    sink->finish();
  }
  const auto writer = opened(IndexMode::rebuild);
  write(*writer, "");
  EXPECT_FALSE(writer->is_writing());
  ASSERT_TRUE(writer->write_warning());
  EXPECT_NE(writer->write_warning()->found.find("not an index file"), std::string::npos);
}

TEST_F(IndexFileKeeperTest, DataWithoutAPathNeedAFolderForTheFile) {
  const auto source = memory_source("x", "data");
  EXPECT_EQ(path_of_index_file(*source, {}), "");
  EXPECT_EQ(path_of_index_file(*source, {.directory = "folder"}), path_);
  IndexFileKeeper keeper(fake_file(1, {.mode = IndexMode::require}, *files_));
  EXPECT_THROW(keeper.open(no_fault), ConfigError);
}

}  // namespace
}  // namespace sheaf::internal
