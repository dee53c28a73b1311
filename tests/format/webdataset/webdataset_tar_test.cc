#include "format/webdataset/webdataset_tar.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "format/webdataset/webdataset_test_files.h"

namespace sheaf::webdataset {
namespace {

/// Writes one entry of zeros. Returns its name and size as the walker reads them.
std::string read_back(const std::string& name, std::int64_t size) {
  std::string archive;
  append_tar_header(name, size, archive);
  archive.append(static_cast<std::size_t>(size), '\0');
  append_tar_padding(size, archive);
  EXPECT_EQ(archive.size() % 512, 0U);
  const auto source = memory_source(archive + tar_end_mark(), "a.tar");
  internal::TarWalker walker(*source);
  const auto entry = walker.next();
  EXPECT_FALSE(walker.next());
  return entry->entry.name + " " + std::to_string(entry->entry.size_bytes);
}

TEST(WebdatasetTar, AHeaderMatchesThatOfOtherPrograms) {
  std::string archive;
  append_tar_header("a/1.jpg", 5, archive);
  std::string expected = tar_header({.name = "a/1.jpg", .size = 5});
  // The owner and the group, which the tests leave empty.
  expected.replace(108, 7, "0000000");
  expected.replace(116, 7, "0000000");
  EXPECT_EQ(archive.substr(0, 148), expected.substr(0, 148));
  EXPECT_EQ(archive.substr(156), expected.substr(156));
  EXPECT_EQ(archive.size(), 512U);
}

TEST(WebdatasetTar, LongNamesHaveAPaxHeader) {
  for (const std::size_t size : {1U, 99U, 100U, 101U, 255U, 988U, 989U, 990U, 10'000U}) {
    const std::string name(size, 'n');
    EXPECT_EQ(read_back(name, 3), name + " 3");
    std::string archive;
    append_tar_header(name, 3, archive);
    EXPECT_EQ(archive.size() > 512, size > 100) << size;
  }
}

TEST(WebdatasetTar, BytesArePaddedToWholeBlocks) {
  for (const std::int64_t size : {0, 1, 511, 512, 513}) {
    EXPECT_EQ(read_back("a.jpg", size), "a.jpg " + std::to_string(size));
  }
}

TEST(WebdatasetTar, VeryLargeFilesHaveAPaxHeader) {
  constexpr std::int64_t kMax = (std::int64_t{1} << 33) - 1;
  std::string archive;
  append_tar_header("a.jpg", kMax, archive);
  EXPECT_EQ(archive.size(), 512U);
  EXPECT_EQ(archive.substr(124, 11), "77777777777");
  archive.clear();
  append_tar_header("a.jpg", kMax + 1, archive);
  EXPECT_EQ(archive.size(), 1536U);
  EXPECT_EQ(archive.substr(512, 19), "19 size=8589934592\n");
}

}  // namespace
}  // namespace sheaf::webdataset
