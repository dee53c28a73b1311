#include "io/file_source.h"

#include <chrono>
#include <cstddef>
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

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"

namespace sheaf {
namespace {

/// A folder for each test, removed at its end.
class FileSource : public ::testing::Test {
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

// Tests bytes in the page cache, and others.
TEST_F(FileSource, AStartedReadIsCompleteAfterWaiting) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += static_cast<char>('a' + i % 23);
  const auto source = open_file(write("a", text));
  for (const bool is_dropped : {false, true}) {
    if (is_dropped) {
      const int descriptor = ::open(path("a").c_str(), O_RDONLY | O_CLOEXEC);
      ASSERT_EQ(::fdatasync(descriptor), 0);
      static_cast<void>(::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED));
      ::close(descriptor);
    }
    std::string first(150'000, '?');
    std::string second(3, '?');
    std::string none;
    const ByteSource::Request requests[] = {
        {.offset = 50'000, .into = std::as_writable_bytes(std::span(first))},
        {.offset = 1, .into = std::as_writable_bytes(std::span(second))},
        {.offset = 200'000, .into = std::as_writable_bytes(std::span(none))}};
    const std::unique_ptr<ByteSource::Pending> pending = source->begin_read(requests);
    if (pending == nullptr) GTEST_SKIP() << "this file system does not say what is in memory";
    pending->wait();
    EXPECT_EQ(first, text.substr(50'000));
    EXPECT_EQ(second, text.substr(1, 3));
  }
}

TEST_F(FileSource, AStartedReadReportsATruncatedFile) {
  const auto source = open_file(write("a", std::string(100'000, 'x')));
  ASSERT_EQ(::truncate(path("a").c_str(), 5000), 0);
  std::string bytes(2000, '?');
  for (const std::int64_t offset : {4000, 5000, 90'000}) {
    const ByteSource::Request requests[] = {
        {.offset = offset, .into = std::as_writable_bytes(std::span(bytes))}};
    const std::unique_ptr<ByteSource::Pending> pending = source->begin_read(requests);
    if (pending == nullptr) GTEST_SKIP() << "this file system does not say what is in memory";
    const std::string text = io_error_of([&] { pending->wait(); });
    EXPECT_NE(text.find("ends at byte 5000, it had 100000 bytes"), std::string::npos) << text;
  }
}

TEST_F(FileSource, AMissingFileIsNamedWithTheReason) {
  const std::string text = io_error_of([&] { (void)open_file(path("missing.ctf")); });
  EXPECT_EQ(text, path("missing.ctf") + ": cannot open: No such file or directory");
}

TEST_F(FileSource, OnlyRegularFilesAreRead) {
  ASSERT_EQ(::mkdir(path("folder").c_str(), 0700), 0);
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(io_error_of([&] { (void)open_file(path("folder")); }),
            path("folder") + ": not a regular file but a directory");
  EXPECT_EQ(io_error_of([&] { (void)open_file(path("pipe")); }),
            path("pipe") + ": not a regular file but a pipe: cat FILE | sheaf check - reads it");
  EXPECT_EQ(io_error_of([&] { (void)open_file("/dev/null"); }),
            "/dev/null: not a regular file but a device");
}

TEST_F(FileSource, ATruncatedFileIsAnErrorNotASignal) {
  const auto source = open_file(write("a", std::string(100'000, 'x')));
  ASSERT_EQ(::truncate(path("a").c_str(), 5000), 0);
  EXPECT_EQ(read_source(*source, 0, 5000), std::string(5000, 'x'));
  for (const std::int64_t offset : {4000, 5000, 90'000}) {
    const std::string text = io_error_of([&] { (void)read_source(*source, offset, 2000); });
    EXPECT_NE(text.find("ends at byte 5000, it had 100000 bytes"), std::string::npos) << text;
  }
}

/// Closes all descriptors of the cache.
void close_descriptors(internal::DescriptorCache& cache) {
  while (cache.make_room()) {
  }
  ASSERT_EQ(cache.size(), 0U);
}

TEST_F(FileSource, AClosedFileIsReopened) {
  internal::DescriptorCache cache(1);
  const auto source = internal::open_file_source(write("a", "0123456789"), cache);
  close_descriptors(cache);
  EXPECT_EQ(read_source(*source, 7, 3), "789");
  EXPECT_EQ(cache.size(), 1U);
}

TEST_F(FileSource, ARelativePathKeepsItsWorkingDirectory) {
  internal::DescriptorCache cache(1);
  (void)write("a", "here");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(path(""));
  const auto source = internal::open_file_source("a", cache);
  std::filesystem::current_path(before);
  close_descriptors(cache);
  EXPECT_EQ(read_source(*source, 0, 4), "here");
  EXPECT_EQ(source->path(), "a");
}

TEST_F(FileSource, AReplacedFileIsNotReopened) {
  struct Case {
    const char* name;
    std::function<void(const std::string& path)> change;
    std::string expected;
  };
  using std::filesystem::rename;
  const auto rewrite = [](const std::string& path, const char* text) {
    std::ofstream(path, std::ios::binary) << text;
  };
  const auto set_time = [](const std::string& path, int seconds) {
    std::filesystem::last_write_time(
        path, std::filesystem::last_write_time(path) + std::chrono::seconds(seconds));
  };
  const Case cases[] = {
      {"cut short", [](const std::string& path) { (void)::truncate(path.c_str(), 4); },
       "replaced while it was read: expected 10 bytes, found 4"},
      {"longer", [&](const std::string& path) { rewrite(path, "0123456789ab"); },
       "replaced while it was read: expected 10 bytes, found 12"},
      {"another file",
       [&](const std::string& path) {
         rewrite(path + ".new", "abcdefghij");
         rename(path + ".new", path);
       },
       "replaced while it was read: expected the file that was opened (inode "},
      {"changed in place", [&](const std::string& path) { set_time(path, 5); },
       "replaced while it was read: expected a file last changed "},
      {"removed", [](const std::string& path) { std::filesystem::remove(path); },
       "cannot open again, to read on: No such file or directory"},
      {"a folder",
       [](const std::string& path) {
         std::filesystem::remove(path);
         std::filesystem::create_directory(path);
       },
       "not a regular file but a directory"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    internal::DescriptorCache cache(1);
    const std::string file = write(each.name, "0123456789");
    const auto source = internal::open_file_source(file, cache);
    close_descriptors(cache);
    each.change(file);
    const std::string text = io_error_of([&] { (void)read_source(*source, 0, 2); });
    EXPECT_TRUE(text.starts_with(file + ": " + each.expected)) << text;
    EXPECT_EQ(io_error_of([&] { (void)read_source(*source, 0, 2); }), text);
    EXPECT_EQ(cache.size(), 0U);  // a failed file does not stay open
  }
}

TEST_F(FileSource, AnOpenFileIsReadToItsEndAfterReplacement) {
  internal::DescriptorCache cache(1);
  const std::string file = write("a", "0123456789");
  const auto source = internal::open_file_source(file, cache);
  std::filesystem::rename(write("b", "abcdefghij"), file);
  EXPECT_EQ(read_source(*source, 0, 10), "0123456789");
}

}  // namespace
}  // namespace sheaf
