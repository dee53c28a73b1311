#include "io/output_file.h"

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "sheaf/error.h"
#include "sheaf/extend/executor.h"

#include "io/limits.h"
#include "support/test_folder.h"

namespace sheaf::internal {
namespace {

using Names = std::set<std::string>;

void write(OutputFile& file, std::string_view text) { file.write(std::as_bytes(std::span(text))); }

template <typename Expected>
std::string error_of(const auto& action) {
  try {
    action();
  } catch (const Expected& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

std::string io_error_of(const auto& action) { return error_of<IoError>(action); }
std::string config_error_of(const auto& action) { return error_of<ConfigError>(action); }

TEST(OutputFile, ExistsOnceItIsFinished) {
  const TestFolder folder;
  OutputFile file(folder.path("a"));
  write(file, "one ");
  write(file, "two");
  EXPECT_FALSE(std::filesystem::exists(folder.path("a")));
  file.finish();
  EXPECT_EQ(folder.read("a"), "one two");
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(OutputFile, ReplacesTheExistingFile) {
  const TestFolder folder;
  folder.write("a", "a longer text than that which follows");
  OutputFile file(folder.path("a"));
  write(file, "new");
  EXPECT_EQ(folder.read("a"), "a longer text than that which follows");
  file.finish();
  EXPECT_EQ(folder.read("a"), "new");
}

TEST(OutputFile, HasNoNameBeforeItIsPublished) {
  const TestFolder folder;
  folder.write("a", "before");
  {
    OutputFile file(folder.path("a"));
    write(file, "new");
    file.sync();
    EXPECT_EQ(folder.read("a"), "before");
    EXPECT_EQ(folder.names().size(), 2U);
  }
  EXPECT_EQ(folder.names(), Names{"a"});
  OutputFile file(folder.path("a"));
  write(file, "newer");
  file.sync();
  file.finish();
  EXPECT_EQ(folder.read("a"), "newer");
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(OutputFile, IsRemovedUnlessFinished) {
  const TestFolder folder;
  {
    OutputFile file(folder.path("a"));
    write(file, "half");
    EXPECT_EQ(folder.names().size(), 1U);
  }
  EXPECT_EQ(folder.names(), Names());
}

TEST(OutputFile, HasThePermissionsOfANewFile) {
  const TestFolder folder;
  folder.write("other", "");
  OutputFile file(folder.path("a"));
  file.finish();
  EXPECT_EQ(std::filesystem::status(folder.path("a")).permissions(),
            std::filesystem::status(folder.path("other")).permissions());
}

TEST(OutputFile, KeepsTemporaryFilesOfOthers) {
  const TestFolder folder;
  const auto first = std::make_unique<OutputFile>(folder.path("a"));
  const Names taken = folder.names();
  const std::string name = *taken.begin();
  OutputFile second(folder.path("a"));
  EXPECT_EQ(folder.names().size(), 2U);
  write(*first, "first");
  write(second, "second");
  first->finish();
  EXPECT_EQ(folder.read("a"), "first");
  second.finish();
  EXPECT_EQ(folder.read("a"), "second");
  EXPECT_EQ(folder.names(), Names{"a"});
}

// Replaces `path` from several writers at the same time. Returns the first error, if any.
std::string write_at_the_same_time(const std::string& path, std::size_t size) {
  std::mutex mutex;
  std::string error;
  {
    const std::unique_ptr<Executor> pool = thread_pool(4);
    for (char letter = 'a'; letter <= 'z'; ++letter) {
      pool->submit([&, letter] {
        try {
          OutputFile file(path, {.durability = Durability::process});
          for (int i = 0; i < 10; ++i) write(file, std::string(size / 10, letter));
          file.finish();
        } catch (const Error& thrown) {
          const std::scoped_lock lock(mutex);
          if (error.empty()) error = thrown.what();
        }
      });
    }
  }
  return error;
}

TEST(OutputFile, IsCompleteDespiteConcurrentWriters) {
  const TestFolder folder;
  constexpr std::size_t kSize = 100'000;
  ASSERT_EQ(write_at_the_same_time(folder.path("x"), kSize), "");
  const std::string text = folder.read("x");
  ASSERT_EQ(text.size(), kSize);
  EXPECT_EQ(text, std::string(kSize, text[0]));
  EXPECT_EQ(folder.names(), Names{"x"});
}

TEST(OutputFile, IsWrittenThroughALinkDuringReplacement) {
  const TestFolder folder;
  std::filesystem::create_symlink("x", folder.path("link"));
  for (int round = 0; round < 20; ++round) {
    ASSERT_EQ(write_at_the_same_time(folder.path("link"), 10), "");
  }
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(folder.names(), (Names{"link", "x"}));
}

TEST(OutputFile, AMissingFolderIsNamedWithTheReason) {
  const TestFolder folder;
  const std::string text = io_error_of([&] { OutputFile file(folder.path("none/a")); });
  EXPECT_TRUE(text.starts_with(folder.path("none/a"))) << text;
  EXPECT_TRUE(text.ends_with(": cannot create: No such file or directory")) << text;
}

TEST(OutputFile, ReplacesOnlyRegularFiles) {
  const TestFolder folder;
  std::filesystem::create_directory(folder.path("folder"));
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  const Names before = folder.names();
  for (const auto& [path, kind] : {std::pair{folder.path("folder"), "a directory"},
                                   {folder.path("pipe"), "a pipe"},
                                   {std::string("/dev/null"), "a device"}}) {
    for (const Existing existing : {Existing::replace, Existing::refuse}) {
      EXPECT_EQ(
          config_error_of([&, &target = path] { OutputFile file(target, {.existing = existing}); }),
          path + ": cannot be written: not a regular file but " + kind);
    }
  }
  EXPECT_EQ(folder.names(), before);
}

TEST(OutputFile, KeepsOtherFilesCreatedMeanwhile) {
  const TestFolder folder;
  for (const Existing existing : {Existing::replace, Existing::refuse}) {
    for (const bool is_folder : {false, true}) {
      OutputFile file(folder.path("a"), {.existing = existing});
      if (is_folder) {
        std::filesystem::create_directory(folder.path("a"));
      } else {
        ASSERT_EQ(::mkfifo(folder.path("a").c_str(), 0600), 0);
      }
      const bool is_told = is_folder && existing == Existing::replace;
      const std::string text = io_error_of([&] { file.finish(); });
      EXPECT_TRUE(text.ends_with(": cannot rename to " + folder.path("a") +
                                 (is_told ? ": Is a directory" : ": File exists")))
          << text;
      EXPECT_FALSE(std::filesystem::is_regular_file(folder.path("a")));
      std::filesystem::remove(folder.path("a"));
    }
  }
  EXPECT_EQ(folder.names(), Names());
}

TEST(OutputFile, KeepsAFileThatMayNotBeReplaced) {
  const TestFolder folder;
  const FileOptions refuse{.existing = Existing::refuse};
  {
    OutputFile file(folder.path("a"), refuse);
    write(file, "first");
    file.finish();
  }
  EXPECT_EQ(config_error_of([&] { OutputFile file(folder.path("a"), refuse); }),
            folder.path("a") + ": exists already, and is not to be replaced");
  OutputFile file(folder.path("b"), refuse);
  write(file, "mine");
  folder.write("b", "of somebody else, who was faster");
  const std::string text = io_error_of([&] { file.finish(); });
  EXPECT_TRUE(text.ends_with(": cannot rename to " + folder.path("b") + ": File exists")) << text;
  EXPECT_EQ(folder.read("a"), "first");
  EXPECT_EQ(folder.read("b"), "of somebody else, who was faster");
}

TEST(OutputFile, WritesThroughALink) {
  const TestFolder folder;
  std::filesystem::create_directory(folder.path("far"));
  std::filesystem::create_symlink("far/second", folder.path("first"));
  std::filesystem::create_symlink("../target", folder.path("far/second"));
  for (const char* const text : {"new", "newer"}) {  // first without an existing file, then with
                                                     // one
    OutputFile file(folder.path("first"));
    write(file, text);
    file.finish();
    EXPECT_TRUE(std::filesystem::is_symlink(folder.path("first")));
    EXPECT_TRUE(std::filesystem::is_symlink(folder.path("far/second")));
    EXPECT_EQ(folder.read("target"), text);
  }
  EXPECT_EQ(folder.names(), (Names{"far", "first", "target"}));
  EXPECT_EQ(config_error_of(
                [&] { OutputFile file(folder.path("first"), {.existing = Existing::refuse}); }),
            folder.path("first") + ": exists already, and is not to be replaced");
}

TEST(OutputFile, ExistsWithoutSync) {
  const TestFolder folder;
  OutputFile file(folder.path("a"), {.durability = Durability::process});
  write(file, "new");
  file.finish();
  EXPECT_EQ(folder.read("a"), "new");
}

TEST(OutputFile, AFullDiskIsAnErrorAndLeavesNoFile) {
  const TestFolder folder;
  const FileSizeLimit limit(1000);
  const std::string text = io_error_of([&] {
    OutputFile file(folder.path("a"));
    write(file, std::string(900, 'x'));
    write(file, std::string(900, 'x'));
  });
  EXPECT_TRUE(text.ends_with(": cannot write: File too large")) << text;
  EXPECT_EQ(folder.names(), Names());
}

}  // namespace
}  // namespace sheaf::internal
