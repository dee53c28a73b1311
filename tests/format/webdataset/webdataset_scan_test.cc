#include "format/webdataset/webdataset_scan.h"

#include <string>

#include <gtest/gtest.h>

#include "format/webdataset/webdataset_test_files.h"
#include "image/made_images.h"

namespace sheaf::webdataset {
namespace {

constexpr ScanRules kRules = {.read_size_bytes = 4096};

TEST(WebdatasetScan, ConsecutiveEntriesOfOneKeyFormASequence) {
  const auto source =
      shard_source(tar_entry("a/1.JPG", "xyz") + tar_entry("a/1.cls", "0") +
                   tar_header({.name = "a/", .type = '5'}) + tar_entry("README", "") +
                   tar_entry("a/1.txt", "t") + tar_entry("a/2.jpg", ""));
  const ShardScan scan = scan_shard(*source, kRules);
  EXPECT_EQ(scan.suffixes, (std::vector<std::string>{"jpg", "cls", "txt"}));
  ASSERT_EQ(scan.sequences.size(), 2U);
  EXPECT_EQ(scan.sequences[0].key, key_of_text("a/1"));
  EXPECT_EQ(scan.sequences[0].begin_bytes, 0);
  EXPECT_EQ(scan.sequences[0].end_bytes, 1024 + 1024 + 512 + 512 + 513);
  EXPECT_EQ(scan.patterns[0], (Pattern{0, 1, 2}));
  EXPECT_EQ(scan.sequences[1].begin_bytes, 1024 + 1024 + 512 + 512 + 1024);
  EXPECT_EQ(scan.patterns[1], (Pattern{0}));
  EXPECT_EQ(scan.no_suffix_count, 1);
  EXPECT_EQ(scan.first_without_suffix, "README");
}

TEST(WebdatasetScan, ALongNameBeginsTheSequence) {
  const auto source =
      shard_source(tar_entry("a.jpg", "x") + pax_header("14 path=b.cls\n") + tar_entry("s", "1"));
  const ShardScan scan = scan_shard(*source, kRules);
  ASSERT_EQ(scan.sequences.size(), 2U);
  EXPECT_EQ(scan.sequences[1].key, key_of_text("b"));
  EXPECT_EQ(scan.sequences[1].begin_bytes, 1024) << "at the header with the name";
}

TEST(WebdatasetScan, FramesAreCountedAsImages) {
  ScanRules rules = kRules;
  rules.joins_frames = true;
  const auto source = shard_source(tar_entry("a.000.jpg", "x") + tar_entry("a.001.png", "x") +
                                   tar_entry("a.1.txt", "x"));
  const ShardScan scan = scan_shard(*source, rules);
  EXPECT_EQ(scan.suffixes, (std::vector<std::string>{"jpg", "png", "1.txt"}));
  EXPECT_EQ(scan.sequences[0].image_count, 2);
  EXPECT_EQ(scan_shard(*source, kRules).suffixes.front(), "000.jpg");
}

/// Returns the beginning of a PNG image, as far as its header needs.
std::string png_of(char width, char height) {
  using std::string_literals::operator""s;
  return "\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0"s + width + "\0\0\0"s + height +
         "\x08\x02\0\0\0\0\0\0\0\0\0\0\0IDAT"s;
}

TEST(WebdatasetScan, PixelsAreCountedOnRequest) {
  ScanRules rules = kRules;
  const auto source = shard_source(tar_entry("a.jpg", png_of(3, 5)) +
                                   tar_entry("a.png", png_of(2, 2)) + tar_entry("b.jpg", "x"));
  EXPECT_EQ(scan_shard(*source, rules).sequences[0].pixel_count, 0);
  rules.reads_images = true;
  for (const std::int64_t read_size : {1, 7, 1 << 20}) {
    rules.read_size_bytes = read_size;
    const ShardScan scan = scan_shard(*source, rules);
    EXPECT_EQ(scan.sequences[0].pixel_count, 3 * 5 + 2 * 2);
    EXPECT_EQ(scan.sequences[1].pixel_count, 0) << "no image";
  }
}

// Returns a JPEG whose extents end after `end` bytes, with other segments before them.
std::string jpeg_with_frame_end(std::size_t end) {
  using internal::jpeg_segment;
  constexpr std::size_t kSegmentMax = 65'000;  // bytes of content
  const std::string frame = jpeg_segment('\xc0', internal::jpeg_frame(7, 6, 3));
  std::string bytes = "\xff\xd8";
  while (bytes.size() + frame.size() < end) {
    const std::size_t left = end - frame.size() - bytes.size();
    // Marker and length take four bytes, and a segment cannot be smaller.
    const std::size_t size = left > kSegmentMax ? kSegmentMax / 2 : left - 4;
    bytes += jpeg_segment('\xe2', std::string(size, 'a'));
  }
  return bytes + frame + jpeg_segment('\xda', "") + std::string(300'000, 'x');
}

// The scan reads 4 KiB of an image, then 64 KiB, then 16 MiB.
TEST(WebdatasetScan, ExtentsMayLieAnywhereInTheHeaderOfAnImage) {
  ScanRules rules = kRules;
  rules.reads_images = true;
  for (const std::size_t border : {std::size_t{4} << 10, std::size_t{64} << 10}) {
    for (const std::size_t end : {border - 1, border, border + 1}) {
      const auto source = shard_source(tar_entry("a.jpg", jpeg_with_frame_end(end)));
      EXPECT_EQ(scan_shard(*source, rules).sequences[0].pixel_count, 42) << end;
    }
  }
}

TEST(WebdatasetScan, DamageHasALocation) {
  std::string entries = tar_entry("a.jpg", "x") + tar_entry("b.jpg", "x");
  entries[1024 + 3] = 'q';
  EXPECT_EQ(error_of([&] { static_cast<void>(scan_shard(*shard_source(entries), kRules)); }),
            "a.tar: byte 1024: error: expected a tar archive, found a header has a wrong checksum "
            "[webdataset-damaged]");
}

TEST(WebdatasetScan, NumericKeysAreChecked) {
  ScanRules rules = kRules;
  rules.has_text_keys = false;
  EXPECT_EQ(scan_shard(*shard_source(tar_entry("0012.jpg", "")), rules).sequences[0].key.low, 12U);
  const auto source = shard_source(tar_entry("a/12.jpg", ""));
  EXPECT_EQ(error_of([&] { static_cast<void>(scan_shard(*source, rules)); }),
            "a.tar: byte 0: error: expected a key that is a number from 0 to 2^64-1, found "
            "\"a/12\" [webdataset-numeric-key]\n  keys=text (--keys text) takes any key");
}

TEST(WebdatasetScan, AtMostAThousandSuffixesAreAllowed) {
  std::string entries;
  for (int i = 0; i < 1000; ++i) entries += tar_entry("a." + std::to_string(i), "");
  EXPECT_EQ(scan_shard(*shard_source(entries), kRules).suffixes.size(), 1000U);
  const auto one_more = shard_source(entries + tar_entry("a.1000", ""));
  EXPECT_NE(error_of([&] {
              static_cast<void>(scan_shard(*one_more, kRules));
            }).find("[webdataset-suffix-count]"),
            std::string::npos);
}

TEST(WebdatasetScan, SuffixesMustBePrintable) {
  for (const std::string name : {"a.j g", "a.j\x7F", "a.\xC3\xA9"}) {
    const auto source = shard_source(tar_entry(name, ""));
    EXPECT_NE(error_of([&] {
                static_cast<void>(scan_shard(*source, kRules));
              }).find("[webdataset-suffix]"),
              std::string::npos)
        << name;
  }
}

}  // namespace
}  // namespace sheaf::webdataset
