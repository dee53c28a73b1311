#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sheaf/byte_source.h"
#include "sheaf/error.h"

namespace sheaf {
namespace {

/// A folder of this test's own, removed at its end.
class FileSource : public testing::Test {
 protected:
  FileSource() {
    std::string name = (std::filesystem::temp_directory_path() / "sheaf-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~FileSource() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

 private:
  std::string folder_;
};

std::string read_source(const ByteSource& source, std::int64_t offset, std::size_t size) {
  std::string bytes(size, '?');
  source.read_at(offset, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

std::string io_error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const IoError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no IoError";
  return {};
}

TEST_F(FileSource, ReadsAnyPart) {
  const auto source = open_file(write("a", "0123456789"));
  EXPECT_EQ(source->size(), 10);
  EXPECT_EQ(source->name(), path("a"));
  EXPECT_EQ(read_source(*source, 0, 10), "0123456789");
  EXPECT_EQ(read_source(*source, 7, 3), "789");
  EXPECT_EQ(read_source(*source, 10, 0), "");
}

TEST_F(FileSource, ReadsSeveralParts) {
  const auto source = open_file(write("a", "0123456789"));
  std::string first(2, '?');
  std::string second(3, '?');
  const ByteSource::Request requests[] = {
      {.offset = 8, .into = std::as_writable_bytes(std::span(first))},
      {.offset = 1, .into = std::as_writable_bytes(std::span(second))}};
  source->read_many(requests);
  EXPECT_EQ(first, "89");
  EXPECT_EQ(second, "123");
}

TEST_F(FileSource, AFileThatIsNotThereIsNamedWithTheReason) {
  const std::string text = io_error_of([&] { (void)open_file(path("missing.ctf")); });
  EXPECT_EQ(text, path("missing.ctf") + ": cannot open: No such file or directory");
}

TEST_F(FileSource, OnlyRegularFilesAreRead) {
  ASSERT_EQ(::mkdir(path("folder").c_str(), 0700), 0);
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(io_error_of([&] { (void)open_file(path("folder")); }),
            path("folder") + ": not a regular file but a directory");
  EXPECT_EQ(io_error_of([&] { (void)open_file(path("pipe")); }),
            path("pipe") + ": not a regular file but a pipe");
  EXPECT_EQ(io_error_of([&] { (void)open_file("/dev/null"); }),
            "/dev/null: not a regular file but a device");
}

TEST_F(FileSource, AFileCutShortIsAnErrorNotASignal) {
  const auto source = open_file(write("a", std::string(100'000, 'x')));
  ASSERT_EQ(::truncate(path("a").c_str(), 5000), 0);
  EXPECT_EQ(read_source(*source, 0, 5000), std::string(5000, 'x'));
  for (const std::int64_t offset : {4000, 5000, 90'000}) {
    const std::string text = io_error_of([&] { (void)read_source(*source, offset, 2000); });
    EXPECT_NE(text.find("ends at byte 5000, it had 100000 bytes"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace sheaf
