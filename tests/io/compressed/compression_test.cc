#include "io/compressed/compression.h"

#include <string>

#include <gtest/gtest.h>

#include "io/compressed/compress.h"
#include "io/compressed/compressed_checks.h"

namespace sheaf {
namespace {

TEST(Compression, IsDeterminedByTheExtension) {
  EXPECT_EQ(compression_of_name("a/train.ctf.gz"), Compression::gzip);
  EXPECT_EQ(compression_of_name("train.ctf.ZST"), Compression::zstd);
  EXPECT_EQ(compression_of_name("a.lz4"), Compression::lz4);
  EXPECT_EQ(compression_of_name("train.ctf"), Compression::none);
  EXPECT_EQ(compression_of_name("gz"), Compression::none);
  EXPECT_EQ(compression_of_name(".gz"), Compression::none);
  EXPECT_EQ(name_without_compression("a/train.ctf.gz"), "a/train.ctf");
  EXPECT_EQ(name_without_compression("train.ctf.Zst"), "train.ctf");
  EXPECT_EQ(name_without_compression("train.ctf"), "train.ctf");
}

TEST(Compression, NameAndFirstBytesMustAgree) {
  const std::string gzip = gzip_member("0 |x 1\n");
  const std::string zstd = zstd_frame("0 |x 1\n");
  const std::string lz4 = lz4_frame("0 |x 1\n");
  EXPECT_EQ(error_of(gzip, "a.gz") + error_of(zstd, "a.zst") + error_of(lz4, "a.lz4"), "");
  EXPECT_EQ(error_of("0 |x 1\n", "a.ctf.gz"),
            "a.ctf.gz: not a gzip file, as its name says: it begins with other bytes");
  EXPECT_EQ(error_of(zstd, "a.lz4"),
            "a.lz4: not an lz4 file, as its name says: it begins with other bytes");
  EXPECT_EQ(error_of("", "a.zst"), "a.zst: not a zstd file, as its name says: it is empty");
  EXPECT_EQ(error_of(gzip, "a.ctf"),
            "a.ctf: a gzip file, which its name does not say: name it a.ctf.gz");
  EXPECT_EQ(error_of(zstd, "a.ctf"),
            "a.ctf: a zstd file, which its name does not say: name it a.ctf.zst");
  EXPECT_EQ(error_of(lz4, "a"), "a: an lz4 file, which its name does not say: name it a.lz4");
}

std::string read_by_content(const std::string& bytes) {
  const auto source = decompressed(memory_source(bytes, "standard input"), {.by_content = true});
  std::string text(static_cast<std::size_t>(source->size()), '\0');
  source->read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

TEST(Compression, CanBeDeterminedByTheFirstBytes) {
  const std::string text = "0 |x 1\n";
  const std::string skipped("\x50\x2A\x4D\x18\x03\0\0\0abc", 11);
  EXPECT_EQ(read_by_content(gzip_member(text)), text);
  EXPECT_EQ(read_by_content(zstd_frame(text)), text);
  EXPECT_EQ(read_by_content(lz4_frame(text)), text);
  EXPECT_EQ(read_by_content(skipped + skipped + zstd_frame(text)), text);
  EXPECT_EQ(read_by_content(skipped + lz4_frame(text)), text);
  const auto behind = [&](int frames) {
    std::string bytes;
    for (int i = 0; i < frames; ++i) bytes += skipped;
    return bytes + zstd_frame(text);
  };
  EXPECT_EQ(read_by_content(behind(63)), text);
  EXPECT_EQ(read_by_content(behind(64)), text);
  EXPECT_EQ(read_by_content(behind(65)), behind(65)) << "a file of nothing but skipped frames";
  for (const std::string& other :
       {std::string(), text, skipped, skipped.substr(0, 3), skipped.substr(0, 4),
        skipped.substr(0, 7), skipped.substr(0, 8), skipped.substr(0, 9),
        gzip_member(text).substr(0, 2), skipped + text, std::string("\x1F\x8B")}) {
    EXPECT_EQ(read_by_content(other), other);
  }
  EXPECT_EQ(read_by_content("0 |x 1.gz\n"), "0 |x 1.gz\n");
}

TEST(Compression, UnsupportedCompressionsNameTheirDecompressor) {
  const std::string xz(
      "\xFD"
      "7zXZ\0\0",
      7);
  EXPECT_EQ(error_of(xz, "a.ctf"),
            "a.ctf: an xz file, which sheaf does not decompress: xzcat FILE | sheaf check -");
  EXPECT_EQ(error_of("BZh91AY&SY...", "a.ctf"),
            "a.ctf: a bzip2 file, which sheaf does not decompress: bzcat FILE | sheaf check -");
  EXPECT_EQ(error_of("BZh91 |x 1\n", "a.ctf"), "") << "a key that is a text";
}

TEST(Compression, OtherFilesAreUnchanged) {
  for (const std::string bytes : {"", "0", "0 |x 1\n", "\x1F", "\x1F\x8B"}) {
    const auto source = memory_source(bytes, "a.ctf");
    EXPECT_EQ(decompressed(source), source);
  }
}

}  // namespace
}  // namespace sheaf
