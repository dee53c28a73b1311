#include "io/staged_files.h"

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"
#include "support/test_folder.h"

namespace sheaf::internal {
namespace {

void write_whole(StagedFiles& files, const std::string& path, std::string_view text,
                 Existing existing = Existing::replace) {
  const std::unique_ptr<ByteSink> sink = files.create(path, {.existing = existing});
  sink->write(std::as_bytes(std::span(text)));
  sink->finish();
}

/// Records the order in which files get their names. One name may be impossible.
class NotingFiles final : public FileSystem {
 public:
  using FileSystem::create;

  explicit NotingFiles(std::string impossible = {}) : impossible_(std::move(impossible)) {}

  [[nodiscard]] std::shared_ptr<const ByteSource> open(const std::string& path) override {
    return memory_->open(path);
  }
  [[nodiscard]] bool exists(const std::string& path) override { return memory_->exists(path); }
  [[nodiscard]] std::vector<std::string> list(const std::string& pattern) override {
    return memory_->list(pattern);
  }
  [[nodiscard]] std::unique_ptr<ByteSink> create(const std::string& path,
                                                 const FileOptions& options) override {
    return std::make_unique<Sink>(*this, path, memory_->create(path, options));
  }
  bool check_creatable(const std::string& path) override { return memory_->check_creatable(path); }
  [[nodiscard]] bool is_same_file(const std::string& a, const std::string& b) override {
    return memory_->is_same_file(a, b);
  }
  void remove(const std::string& path) override { memory_->remove(path); }

  std::vector<std::string> named;
  std::vector<std::string> synced;

 private:
  class Sink final : public ByteSink {
   public:
    Sink(NotingFiles& files, std::string path, std::unique_ptr<ByteSink> sink)
        : files_(files), path_(std::move(path)), sink_(std::move(sink)) {}
    [[nodiscard]] std::string_view name() const noexcept override { return path_; }
    void write(std::span<const std::byte> bytes) override { sink_->write(bytes); }
    void sync() override { files_.synced.push_back(path_); }
    void finish() override {
      if (path_ == files_.impossible_) throw IoError("no name");
      files_.named.push_back(path_);
      sink_->finish();
    }

   private:
    NotingFiles& files_;
    std::string path_;
    std::unique_ptr<ByteSink> sink_;
  };

  std::unique_ptr<FileSystem> memory_ = memory_files();
  std::string impossible_;
};

TEST(StagedFiles, ArePublishedTogether) {
  const std::unique_ptr<FileSystem> memory = memory_files();
  StagedFiles files(*memory);
  for (const char* const path : {"a", "b"}) {
    write_whole(files, path, "text");
    EXPECT_FALSE(memory->exists(path));
  }
  EXPECT_EQ(files.bytes(), 8);
  files.publish();
  EXPECT_EQ(memory->open("a")->size(), 4);
  EXPECT_EQ(memory->open("b")->size(), 4);
}

TEST(StagedFiles, ArePublishedInTheOrderOfFinishing) {
  NotingFiles noting;
  StagedFiles files(noting);
  const std::unique_ptr<ByteSink> list = files.create("list");
  write_whole(files, "one", "1");
  write_whole(files, "two", "2");
  list->finish();
  EXPECT_EQ(noting.synced, (std::vector<std::string>{"one", "two", "list"}));
  EXPECT_EQ(noting.named, std::vector<std::string>{});
  files.publish();
  EXPECT_EQ(noting.named, (std::vector<std::string>{"one", "two", "list"}));
  EXPECT_EQ(noting.synced.size(), 3U);  // each file once
}

TEST(StagedFiles, NestedStagesWaitForBoth) {
  NotingFiles noting;
  StagedFiles outer(noting);
  {
    StagedFiles inner(static_cast<FileSystem&>(outer));
    write_whole(inner, "a", "1");
    inner.publish();
    EXPECT_EQ(outer.bytes(), 1);
  }
  EXPECT_FALSE(noting.exists("a"));
  outer.publish();
  EXPECT_EQ(noting.named, std::vector<std::string>{"a"});
  EXPECT_EQ(noting.synced, std::vector<std::string>{"a"});
}

TEST(StagedFiles, LeaveNoFilesUnlessPublished) {
  const TestFolder folder;
  {
    StagedFiles files(system_files());
    write_whole(files, folder.path("a"), "1");
    const std::unique_ptr<ByteSink> begun = files.create(folder.path("b"));
    EXPECT_EQ(folder.names().size(), 2U);  // under temporary names
  }
  EXPECT_EQ(folder.names(), std::set<std::string>{});
}

TEST(StagedFiles, AreRemovedIfALaterOneCannotBePublished) {
  NotingFiles noting("list");
  {
    StagedFiles files(noting);
    write_whole(files, "old", "old");
    files.publish();
  }
  StagedFiles files(noting);
  write_whole(files, "new", "1");
  write_whole(files, "old", "replaced");
  write_whole(files, "list", "3");
  EXPECT_THROW(files.publish(), IoError);
  EXPECT_FALSE(noting.exists("new"));
  EXPECT_EQ(noting.open("old")->size(), 8);  // the old bytes are gone, so this file stays
  EXPECT_FALSE(noting.exists("list"));
}

TEST(StagedFiles, TwoFilesOfOnePathAreRefused) {
  const std::unique_ptr<FileSystem> memory = memory_files();
  StagedFiles files(*memory);
  write_whole(files, "a/b", "1");
  EXPECT_EQ(testing::error_of([&] { write_whole(files, "a/./b", "2"); }),
            "a/./b: two files of the output have this name");
}

TEST(StagedFiles, KeepAFileThatMayNotBeReplaced) {
  const std::unique_ptr<FileSystem> memory = memory_files();
  for (const bool is_first : {true, false}) {
    StagedFiles files(*memory);
    const auto write = [&] { write_whole(files, "a", "1", Existing::refuse); };
    if (is_first) {
      write();
      files.publish();
    } else {
      EXPECT_THROW(write(), ConfigError);
    }
  }
}

TEST(StagedFiles, CanOverwriteTheirBytes) {
  const std::unique_ptr<FileSystem> memory = memory_files();
  const TestFolder folder;
  for (FileSystem* const system : {memory.get(), &system_files()}) {
    StagedFiles files(*system);
    const std::string path = folder.path("a");
    const std::unique_ptr<ByteSink> sink = files.create(path);
    const std::string text = "0123456789";
    sink->write(std::as_bytes(std::span(text)));
    sink->overwrite(3, std::as_bytes(std::span(text).first(2)));
    sink->write(std::as_bytes(std::span(text).first(1)));
    sink->finish();
    files.publish();
    EXPECT_EQ(files.bytes(), 11);
    std::string found(11, ' ');
    system->open(path)->read_at(0, std::as_writable_bytes(std::span(found)));
    EXPECT_EQ(found, "01201567890");
  }
}

TEST(StagedFiles, AdoptFilesStartedElsewhere) {
  NotingFiles noting;
  StagedFiles files(noting);
  const std::unique_ptr<ByteSink> sink = files.add(noting.create("a"));
  EXPECT_EQ(sink->name(), "a");
  sink->finish();
  EXPECT_EQ(noting.named, std::vector<std::string>{});
  files.publish();
  EXPECT_EQ(noting.named, std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace sheaf::internal
