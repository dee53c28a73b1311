#include "io/temporary_file.h"

#include <set>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "io/limits.h"
#include "support/test_folder.h"

namespace sheaf::internal {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(TemporaryFile, ReturnsWrittenBytes) {
  TemporaryFile file;
  file.write_at(5, bytes_of("world"));
  file.write_at(0, bytes_of("hello"));
  std::string text(8, '?');
  file.read_at(1, std::as_writable_bytes(std::span(text)));
  EXPECT_EQ(text, "elloworl");
}

TEST(TemporaryFile, HasNoName) {
  const TestFolder folder;
  const TemporaryFolder temporary(folder.path("."));
  TemporaryFile file;
  file.write_at(0, bytes_of("hello"));
  EXPECT_EQ(folder.names(), std::set<std::string>());
}

std::string reason_with_folder(const std::string& path) {
  const TemporaryFolder temporary(path);
  try {
    const TemporaryFile file;
  } catch (const IoError& error) {
    return error.what();
  }
  return "none";
}

TEST(TemporaryFile, AnUnusableFolderIsAnErrorWithTheReason) {
  const TestFolder folder;
  folder.write("text", "");
  EXPECT_EQ(reason_with_folder(folder.path("none")),
            "the folder of temporary files (TMPDIR): cannot use: No such file or directory");
  EXPECT_EQ(reason_with_folder(folder.path("text")),
            "the folder of temporary files (TMPDIR): cannot use: Not a directory");
}

TEST(TemporaryFile, AFullDiskIsAnError) {
  const TestFolder folder;
  const TemporaryFolder temporary(folder.path("."));
  TemporaryFile file;
  const FileSizeLimit limit(1000);
  try {
    file.write_at(900, bytes_of(std::string(200, 'x')));
    FAIL();
  } catch (const IoError& error) {
    EXPECT_EQ(std::string(error.what()),
              folder.path(".") + ": cannot write to a temporary file: File too large");
  }
}

TEST(TemporaryFile, UnwrittenBytesAreAnError) {
  TemporaryFile file;
  file.write_at(0, bytes_of("hello"));
  std::string text(8, '?');
  EXPECT_THROW(file.read_at(0, std::as_writable_bytes(std::span(text))), IoError);
}

}  // namespace
}  // namespace sheaf::internal
