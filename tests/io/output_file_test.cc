#include "io/output_file.h"

#include <atomic>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/executor.h"

#include "io/limits.h"
#include "io/test_folder.h"

namespace sheaf::internal {
namespace {

using Names = std::set<std::string>;

void write(OutputFile& file, std::string_view text) { file.write(std::as_bytes(std::span(text))); }

std::string io_error_of(const auto& action) {
  try {
    action();
  } catch (const IoError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no IoError";
  return {};
}

TEST(OutputFile, IsThereOnceItIsFinished) {
  const TestFolder folder;
  OutputFile file(folder.path("a"));
  write(file, "one ");
  write(file, "two");
  EXPECT_FALSE(std::filesystem::exists(folder.path("a")));
  file.finish();
  EXPECT_EQ(folder.read("a"), "one two");
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(OutputFile, TakesThePlaceOfTheOneBefore) {
  const TestFolder folder;
  folder.write("a", "a longer text than that which follows");
  OutputFile file(folder.path("a"));
  write(file, "new");
  EXPECT_EQ(folder.read("a"), "a longer text than that which follows");
  file.finish();
  EXPECT_EQ(folder.read("a"), "new");
}

TEST(OutputFile, HasNoNameWhileItIsOnlyOnTheDisk) {
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

TEST(OutputFile, IsRemovedWhereItIsNotFinished) {
  const TestFolder folder;
  {
    OutputFile file(folder.path("a"));
    write(file, "half");
    EXPECT_EQ(folder.names().size(), 1U);
  }
  EXPECT_EQ(folder.names(), Names());
}

TEST(OutputFile, HasTheRightsOfAnyNewFile) {
  const TestFolder folder;
  folder.write("other", "");
  OutputFile file(folder.path("a"));
  file.finish();
  EXPECT_EQ(std::filesystem::status(folder.path("a")).permissions(),
            std::filesystem::status(folder.path("other")).permissions());
}

TEST(OutputFile, LeavesTemporaryFilesOfOthersAlone) {
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

TEST(OutputFile, IsWholeWhoeverWritesItAtTheSameTime) {
  const TestFolder folder;
  constexpr std::size_t kSize = 100'000;
  {
    const std::unique_ptr<Executor> pool = thread_pool(4);
    for (char letter = 'a'; letter <= 'p'; ++letter) {
      pool->submit([&folder, letter] {
        OutputFile file(folder.path("x"));
        for (int i = 0; i < 10; ++i) write(file, std::string(kSize / 10, letter));
        file.finish();
      });
    }
  }
  const std::string text = folder.read("x");
  ASSERT_EQ(text.size(), kSize);
  EXPECT_EQ(text, std::string(kSize, text[0]));
  EXPECT_EQ(folder.names(), Names{"x"});
}

TEST(OutputFile, AFolderThatIsNotThereIsNamedWithTheReason) {
  const TestFolder folder;
  const std::string text = io_error_of([&] { OutputFile file(folder.path("none/a")); });
  EXPECT_TRUE(text.starts_with(folder.path("none/a"))) << text;
  EXPECT_TRUE(text.ends_with(": cannot create: No such file or directory")) << text;
}

TEST(OutputFile, ANameThatIsAFolderIsAnErrorAndLeavesNothing) {
  const TestFolder folder;
  std::filesystem::create_directory(folder.path("a"));
  const std::string text = io_error_of([&] {
    OutputFile file(folder.path("a"));
    file.finish();
  });
  EXPECT_TRUE(text.ends_with(": cannot rename to " + folder.path("a") + ": Is a directory"))
      << text;
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(OutputFile, AFullDiskIsAnErrorAndLeavesNothing) {
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
