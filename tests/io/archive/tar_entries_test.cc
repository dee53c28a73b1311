#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/archive.h"

#include "io/archive/make_archive.h"
#include "io/compressed/compressed_checks.h"

namespace sheaf {
namespace {

using Contents = std::map<std::string, std::string>;

Contents contents_of(const std::string& bytes) {
  const auto archive = open_archive(memory_source(bytes, "a.tar"));
  Contents contents;
  for (std::int64_t i = 0; i < std::ssize(archive->entries()); ++i) {
    const ArchiveEntry& entry = archive->entries()[static_cast<std::size_t>(i)];
    const std::string text = read_all(*archive->open_entry(i));
    EXPECT_EQ(std::ssize(text), entry.size_bytes);
    EXPECT_EQ(bytes.substr(static_cast<std::size_t>(entry.offset_bytes), text.size()), text);
    contents.emplace(entry.name, text);
  }
  return contents;
}

std::string error_of_tar(const std::string& bytes) {
  try {
    (void)contents_of(bytes);
  } catch (const IoError& error) {
    return error.what();
  }
  return {};
}

TEST(TarEntries, MayHaveAnySize) {
  std::string bytes;
  Contents expected;
  for (const std::size_t size : {0U, 1U, 511U, 512U, 513U, 100'000U}) {
    const std::string name = "part-" + std::to_string(size);
    expected[name] = std::string(size, 'x');
    bytes += tar_entry(name, expected[name]);
  }
  EXPECT_EQ(contents_of(bytes + tar_end()), expected);
  EXPECT_EQ(contents_of(bytes + tar_end() + std::string(9 * 512, '\0')), expected);
  EXPECT_EQ(contents_of(tar_end()), Contents{});
}

TEST(TarEntries, MayHaveLongNames) {
  const std::string name(300, 'n');
  const std::string pax = "310 path=" + name + "\n";
  ASSERT_EQ(pax.size(), 310U);
  const std::string gnu =
      tar_header({.name = "././@LongLink", .size = 301, .type = 'L', .is_gnu = true}) +
      padded(name + '\0');
  const std::string prefixed =
      tar_header({.name = "file", .size = 1, .prefix = "a/folder"}) + padded("3");
  const std::string not_prefixed =
      tar_header({.name = "gnu", .size = 1, .prefix = "other", .is_gnu = true}) + padded("4");
  EXPECT_EQ(contents_of(pax_header(pax) + tar_entry("short", "1") + tar_entry("next", "2") +
                        prefixed + not_prefixed + tar_end()),
            (Contents{{name, "1"}, {"next", "2"}, {"a/folder/file", "3"}, {"gnu", "4"}}));
  EXPECT_EQ(contents_of(gnu + tar_entry("short", "1") + tar_entry("next", "2") + tar_end()),
            (Contents{{name, "1"}, {"next", "2"}}));
  const std::string full(100, 'f');  // without a zero after it
  EXPECT_EQ(contents_of(tar_entry(full, "1") + tar_end()), (Contents{{full, "1"}}));
}

TEST(TarEntries, MayEncodeTheirSizeInAnyForm) {
  const std::string base256 = std::string("\x80\0\0\0\0\0\0\0\0\0\0\x03", 12);
  EXPECT_EQ(contents_of(tar_header({.name = "a", .size_field = base256}) + padded("123") +
                        pax_header("9 size=3\n12 comment=\n") + tar_header({.name = "b"}) +
                        padded("456") + tar_header({.name = "c", .size_field = "          3 "}) +
                        padded("789") + tar_end()),
            (Contents{{"a", "123"}, {"b", "456"}, {"c", "789"}}));
}

TEST(TarEntries, EntriesOtherThanFilesAreSkipped) {
  const std::string link = tar_header({.name = "link", .size = 5, .type = '2'});  // has no bytes
  EXPECT_EQ(contents_of(tar_header({.name = "folder/", .type = '5'}) + link +
                        tar_header({.name = "old-folder/", .type = '0'}) +
                        tar_header({.name = "g", .size = 3, .type = 'g'}) + padded("any") +
                        tar_entry("./a", "1") + tar_end()),
            (Contents{{"a", "1"}}));
}

TEST(TarEntries, DamageIsReportedWithItsOffset) {
  const std::string entry = tar_entry("a", std::string(600, 'x'));  // 1536 bytes
  const std::string large(12, '\xFF');
  const std::string negative = "\x80" + std::string(11, '\xFF');
  const struct {
    std::string bytes;
    const char* error;
  } cases[] = {
      {"", "a.tar: damaged at byte 0: the archive ends without its end mark"},
      {std::string(600, 'x'), "a.tar: damaged at byte 0: a number of its header is not octal"},
      {entry, "a.tar: damaged at byte 1536: the archive ends without its end mark"},
      {entry.substr(0, 1100), "a.tar: damaged at byte 0: the archive ends inside an entry"},
      {entry + tar_end() + entry,
       "a.tar: damaged at byte 1536: data follow the end mark: were archives put one behind the "
       "other?"},
      {tar_header({.name = "a", .size_field = large}) + tar_end(),
       "a.tar: damaged at byte 0: a number of its header is negative or too large"},
      {tar_header({.name = "a", .size_field = negative}) + tar_end(),
       "a.tar: damaged at byte 0: a number of its header is too large"},
      {tar_header({.name = "a", .type = 'S'}) + tar_end(),
       "a.tar: damaged at byte 0: a sparse file, which is not supported"},
      {pax_header("22 GNU.sparse.major=1\n") + entry + tar_end(),
       "a.tar: damaged at byte 0: a sparse file, which is not supported"},
      {pax_header("9 size=x\n") + entry + tar_end(),
       "a.tar: damaged at byte 0: a pax header with a size that is no number"},
      {pax_header("99 path=a\n") + entry + tar_end(),
       "a.tar: damaged at byte 0: a pax header that makes no sense"},
      {tar_header({.name = "a", .size = (1 << 20) + 1, .type = 'L'}) +
           std::string((1 << 20) + 4096, '\0'),
       "a.tar: damaged at byte 0: a name or a description of more than a megabyte"},
  };
  for (const auto& each : cases) EXPECT_EQ(error_of_tar(each.bytes), each.error);
}

TEST(TarEntries, AChangedHeaderOrATruncationIsAnError) {
  const std::string bytes = tar_entry("a", "12345") + tar_entry("b", "67") + tar_end();
  for (std::size_t size = 0; size < 2 * 1024 + 512; ++size) {
    EXPECT_NE(error_of_tar(bytes.substr(0, size)), "") << size;
  }
  for (std::size_t i = 0; i < 512; ++i) {
    std::string changed = bytes;
    changed[1024 + i] = static_cast<char>(changed[1024 + i] ^ 1);
    const bool is_end_of_checksum = i == 154 || i == 155;  // a zero and a blank, or others
    if (is_end_of_checksum) continue;
    EXPECT_NE(error_of_tar(changed), "") << i;
  }
}

}  // namespace
}  // namespace sheaf
