#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/archive.h"

#include "io/archive/make_archive.h"
#include "io/compressed/compress.h"
#include "io/compressed/compressed_checks.h"

namespace sheaf {
namespace {

using ZipContents = std::map<std::string, std::string>;

ZipContents zip_contents(const std::string& bytes) {
  const auto archive = open_archive(memory_source(bytes, "a.zip"));
  ZipContents contents;
  for (const ArchiveEntry& entry : archive->entries()) {
    const std::string text = read_all(*archive->open_entry(entry.name));
    EXPECT_EQ(std::ssize(text), entry.size_bytes);
    contents.emplace(entry.name, text);
  }
  return contents;
}

std::string error_of_zip(const std::string& bytes) {
  try {
    (void)zip_contents(bytes);
  } catch (const IoError& error) {
    return error.what();
  }
  return {};
}

TEST(ZipEntries, AreStoredOrDeflatedWithNumbersOfAnyWidth) {
  const ZipContents expected = {
      {"a.ctf", compressible_text(100'000)}, {"folder/b.ctf", ""}, {"c", "1"}};
  for (const bool is_deflated : {false, true}) {
    for (const bool is_zip64 : {false, true}) {
      for (const std::string& comment : {std::string(), std::string("PK\5\6 a comment")}) {
        ZipMaker zip;
        zip.add("folder/", "", {});
        for (const auto& [name, bytes] : expected) {
          zip.add("./" + name, bytes, {.is_deflated = is_deflated, .is_zip64 = is_zip64});
        }
        EXPECT_EQ(zip_contents(zip.finish(is_zip64, comment)), expected);
      }
    }
  }
  EXPECT_EQ(zip_contents(ZipMaker().finish()), ZipContents{});
}

TEST(ZipEntries, LinksAreLeftOut) {
  ZipMaker zip;
  zip.add("a", "1", {});
  zip.add("link", "a", {});
  const std::string bytes = zip.finish();
  const std::size_t entry = bytes.rfind("PK\1\2");
  const auto with_mode = [&](char system, int mode) {
    std::string marked = bytes;
    marked[entry + 5] = system;
    marked.replace(entry + 40, 2, little_endian(static_cast<std::uint64_t>(mode), 2));
    return zip_contents(marked);
  };
  constexpr char kUnix = 3;
  constexpr char kDos = 0;
  EXPECT_EQ(with_mode(kUnix, 0120777), (ZipContents{{"a", "1"}}));
  EXPECT_EQ(with_mode(kUnix, 0100644).size(), 2U);
  EXPECT_EQ(with_mode(kUnix, 0).size(), 2U) << "writers leave the mode out";
  EXPECT_EQ(with_mode(kDos, 0120777).size(), 2U) << "other systems have other attributes";
}

TEST(ZipEntries, AreReadAtAnyOffset) {
  const std::string text = compressible_text(300'000);
  ZipMaker zip;
  zip.add("stored", text, {});
  zip.add("deflated", text, {.is_deflated = true});
  const auto archive = open_archive(memory_source(zip.finish(), "a.zip"));
  for (const std::string name : {"stored", "deflated"}) {
    const auto entry = archive->open_entry(name);
    EXPECT_EQ(entry->name(), "a.zip/" + name);
    for (const std::int64_t begin : {299'999, 0, 150'000, 1}) {
      EXPECT_EQ(read_text(*entry, begin, 1), text.substr(static_cast<std::size_t>(begin), 1));
    }
    EXPECT_THROW((void)read_text(*entry, 300'000, 1), IoError);
    EXPECT_THROW((void)read_text(*entry, -1, 1), IoError);
  }
}

TEST(ZipEntries, UnsupportedArchivesAreNamed) {
  ZipMaker encrypted;
  encrypted.add("x", "1", {.is_encrypted = true});
  EXPECT_EQ(error_of_zip(encrypted.finish()), "a.zip/x: encrypted");
  ZipMaker other;
  other.add("x", "1", {.method = 14});
  EXPECT_EQ(error_of_zip(other.finish()),
            "a.zip/x: compressed by method 14 of zip; what can be read: 0 (stored), 8 (deflate)");
  EXPECT_EQ(error_of_zip("no zip"),
            "a.zip: damaged at byte 6: no zip archive ends here: cut short?");
}

// Damage may change names and times, but not the bytes of entries.
TEST(ZipEntries, DamageIsAnErrorOrChangesNoData) {
  for (const bool is_zip64 : {false, true}) {
    ZipMaker zip;
    zip.add("a", "0 |x 1 2 3\n", {.is_zip64 = is_zip64});
    zip.add("b", std::string(100, 'b'), {.is_deflated = true, .is_zip64 = is_zip64});
    const std::string bytes = zip.finish(is_zip64);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_NE(error_of_zip(bytes.substr(0, size)), "") << size;
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      for (const unsigned change : {0x01U, 0x10U, 0x80U, 0xFFU}) {
        std::string changed = bytes;
        changed[i] = static_cast<char>(static_cast<unsigned char>(changed[i]) ^ change);
        try {
          for (const auto& [name, text] : zip_contents(changed)) {
            EXPECT_TRUE(text == "0 |x 1 2 3\n" || text == std::string(100, 'b'))
                << i << ' ' << name << ' ' << text;
          }
        } catch (const IoError& error) {
          EXPECT_TRUE(std::string(error.what()).starts_with("a.zip")) << error.what();
        }
      }
    }
  }
}

}  // namespace
}  // namespace sheaf
