#include "sheaf/extend/byte_sink.h"

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/test_folder.h"

namespace sheaf {
namespace {

void write(ByteSink& sink, std::string_view text) { sink.write(std::as_bytes(std::span(text))); }

TEST(CreateFile, TheFileExistsOnceItIsFinished) {
  const TestFolder folder;
  const std::unique_ptr<ByteSink> sink = create_file(folder.path("a"));
  EXPECT_EQ(sink->name(), folder.path("a"));
  write(*sink, "one ");
  write(*sink, "two");
  EXPECT_FALSE(folder.names().contains("a"));
  sink->finish();
  EXPECT_EQ(folder.read("a"), "one two");
  EXPECT_EQ(folder.names(), std::set<std::string>{"a"});
}

TEST(CreateFile, SyncDoesNotPublishTheFile) {
  const TestFolder folder;
  const std::unique_ptr<ByteSink> sink = create_file(folder.path("a"));
  write(*sink, "one");
  sink->sync();
  EXPECT_FALSE(folder.names().contains("a"));
  sink->finish();
  EXPECT_EQ(folder.read("a"), "one");
}

TEST(CreateFile, AnUnfinishedFileIsRemoved) {
  const TestFolder folder;
  write(*create_file(folder.path("a")), "one");
  EXPECT_TRUE(folder.names().empty());
}

TEST(CreateFile, AMissingFolderIsAnIoErrorThatNamesTheFile) {
  const TestFolder folder;
  try {
    static_cast<void>(create_file(folder.path("no/a")));
    FAIL() << "created";
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find(folder.path("no/a")), std::string::npos);
  }
}

TEST(MemorySink, AppendsToTheString) {
  std::string bytes = "0";
  const std::unique_ptr<ByteSink> sink = memory_sink(bytes, "memory");
  write(*sink, "12");
  write(*sink, "3");
  sink->finish();
  EXPECT_EQ(bytes, "0123");
  EXPECT_EQ(sink->name(), "memory");
}

TEST(MemorySink, CanOverwriteItsBytes) {
  std::string bytes = "before ";
  const std::unique_ptr<ByteSink> sink = memory_sink(bytes, "memory");
  write(*sink, "0123");
  sink->overwrite(1, std::as_bytes(std::span(std::string_view("ab"))));
  write(*sink, "4");
  EXPECT_EQ(bytes, "before 0ab34");
}

TEST(ByteSink, APipeReceivesEachByteOnce) {
  class Pipe final : public ByteSink {
   public:
    [[nodiscard]] std::string_view name() const noexcept override { return "pipe"; }
    void write(std::span<const std::byte> /*bytes*/) override {}
    void finish() override {}
  };
  Pipe pipe;
  try {
    pipe.overwrite(0, {});
    FAIL() << "written";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.what(),
              std::string("pipe: cannot be written: the format goes back to bytes written before, "
                          "which needs a file"));
  }
}

}  // namespace
}  // namespace sheaf
