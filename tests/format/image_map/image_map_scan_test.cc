#include "format/image_map/image_map_scan.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/executor.h"

#include "format/image_map/image_map_test_files.h"
#include "io/archive/make_archive.h"
#include "support/error_of.h"

namespace sheaf::image_map {
namespace {

using testing::error_of;

FormatOptions cntk_options() {
  FormatOptions options;
  options.compatibility = Compatibility::cntk;
  return options;
}

std::string error_of_map(const std::string& lines, const FormatOptions& options = {}) {
  return error_of([&] { static_cast<void>(MapInMemory(lines).open(options)); });
}

const MapImages& images_of(const ImageMapDeserializer& data) {
  return dynamic_cast<const ImageMapIndex&>(data.index()).images();
}

TEST(ImageMapScan, SizesMatchTheFiles) {
  MapInMemory map("a.jpg\t0\nk\tgone.jpg\t1\n.../c.jpg\t2", {{"a.jpg", "abc"}, {"m/c.jpg", "c"}});
  const auto data = map.open();
  const MapImages& images = images_of(*data);
  ASSERT_EQ(images.count(), 3);
  EXPECT_EQ(images.size_bytes(0), 3);
  EXPECT_EQ(images.size_bytes(1), 0);
  EXPECT_EQ(images.size_bytes(2), 1);
  EXPECT_EQ(images.line_offsets[2], 21);
  EXPECT_EQ(images.line_numbers[2], 3);
}

TEST(ImageMapScan, SizesOfArchiveEntriesComeFromTheDirectory) {
  ZipMaker zip;
  zip.add("d/a.jpg", "12345", {.is_deflated = true});
  MapInMemory map("z.zip@/d/a.jpg\t0\nz.zip@/d/b.jpg\t0\nz.zip/d/a.jpg\t0\nx.zip/a.jpg\t0",
                  {{"z.zip", zip.finish()}, {"x.zip/a.jpg", "12"}});
  const auto data = map.open();
  const MapImages& images = images_of(*data);
  EXPECT_EQ(images.size_bytes(0), 5);
  EXPECT_EQ(images.entries[0], 0);
  EXPECT_EQ(images.entries[1], MapImages::kNone);
  EXPECT_EQ(images.archives[2], 0);
  EXPECT_EQ(images.size_bytes(2), 5);
  EXPECT_EQ(images.archives[3], MapImages::kNone) << "x.zip is a folder";
  EXPECT_EQ(images.size_bytes(3), 2);
}

TEST(ImageMapScan, AnyNumberOfThreadsGivesTheSameResult) {
  std::string lines;
  std::map<std::string, std::string> files;
  for (int i = 0; i < 300; ++i) {
    const std::string path = std::to_string(i) + ".png";
    lines += path + "\t1\n";
    files[path] = std::string(static_cast<std::size_t>(i % 7), 'x');
  }
  MapInMemory map(lines, files);
  const auto alone = map.open();
  const std::unique_ptr<Executor> threads = thread_pool(3);
  const auto together = map.open({}, threads.get());
  EXPECT_EQ(images_of(*alone).sizes_hash, images_of(*together).sizes_hash);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(images_of(*together).size_bytes(i), i % 7);
}

// One thread opens 64 images, and takes 8192 lines together. Tests one below, at and above.
TEST(ImageMapScan, AnyNumberOfLinesIsScanned) {
  const std::unique_ptr<Executor> threads = thread_pool(2);
  for (const std::int64_t count : {1, 63, 64, 65, 8191, 8192, 8193}) {
    std::string lines;
    for (std::int64_t i = 1; i < count; ++i) lines += "short.png\t1\n";
    MapInMemory map(lines + "long.png\t2", {{"short.png", "x"}, {"long.png", "long"}});
    FormatOptions options;
    options.compatibility = Compatibility::cntk;
    const auto data = map.open(options, threads.get());
    const MapImages& images = images_of(*data);
    ASSERT_EQ(images.count(), count);
    EXPECT_EQ(images.size_bytes(count - 1), 4);
    EXPECT_EQ(images.image_begin(count - 1), count - 1) << "the others have a byte each";
    EXPECT_EQ(images.line_numbers[count - 1], count);
  }
}

TEST(ImageMapScan, AByteOrderMarkAndBlankLinesAreSkipped) {
  MapInMemory map(
      "\xEF\xBB\xBF"
      "a.jpg\t0\n\n \r\nb.jpg\t1\r\n",
      {{"a.jpg", "1"}});
  const auto data = map.open();
  const MapImages& images = images_of(*data);
  ASSERT_EQ(images.count(), 2);
  EXPECT_EQ(images.line_offsets[0], 3);
  EXPECT_EQ(images.line_numbers[1], 4);
  EXPECT_EQ(images.size_bytes(0), 1);
}

TEST(ImageMapScan, AMapWithoutLinesIsRefused) {
  EXPECT_EQ(error_of_map("\n \n"),
            "m/t.map:1:1: error: expected at least one line with an image, found none "
            "[image_map-empty]");
  EXPECT_EQ(error_of_map(""),
            "m/t.map:1:1: error: expected at least one line with an image, found "
            "none [image_map-empty]");
}

TEST(ImageMapScan, CntkRefusesAMapForAnyWrongLine) {
  EXPECT_EQ(error_of_map("a.jpg\t0\n\nb.jpg\t0", cntk_options()),
            "m/t.map:2:1: error: expected two or three columns with a tab between them: a path and "
            "a class id, or a key before both, found \"\" [image_map-columns]");
  EXPECT_EQ(error_of_map("a.jpg\tx\n", cntk_options()),
            "m/t.map:1:7: error: expected a class id, a whole number from 0, found \"x\" "
            "[image_map-label]\n  a.jpg x\n        ^");
  ZipMaker zip;
  zip.add("a.jpg", "1", {});
  MapInMemory map("z.zip@/b.jpg\t0", {{"z.zip", zip.finish()}});
  EXPECT_EQ(error_of([&] { static_cast<void>(map.open(cntk_options())); }),
            "m/t.map:1:1: error: expected an entry of the archive, found \"z.zip@/b.jpg\" "
            "[image_map-entry]\n  z.zip@/b.jpg 0\n  ^~~~~~~~~~~~");
  EXPECT_EQ(error_of_map("a.jpg\tx\n"), "none") << "by sheaf's own rules, the line is a hole";
}

TEST(ImageMapScan, NumericKeysAreChecked) {
  FormatOptions options;
  options.keys = KeyType::numeric;
  EXPECT_EQ(error_of_map("k\ta.jpg\t0", options),
            "m/t.map:1:1: error: expected a key that is a number from 0 to 2^64-1, found \"k\" "
            "[image_map-numeric-key]\n  k a.jpg 0\n  ^\n  keys=text (--keys text) takes any key");
}

TEST(ImageMapScan, AMissingArchiveIsAnError) {
  const std::string error = error_of_map("a.jpg\t0\ngone.zip@/a.jpg\t0");
  EXPECT_NE(error.find("gone.zip"), std::string::npos) << error;
}

TEST(ImageMapScan, RepeatedKeysAreRecorded) {
  MapInMemory map("k\ta.jpg\t0\nl\ta.jpg\t0\nk\tb.jpg\t0\nk\tb.jpg\t0");
  EXPECT_EQ(images_of(*map.open()).repeated, (std::vector<std::int64_t>{2, 3}));
  FormatOptions options = cntk_options();
  options.keys = KeyType::text;
  EXPECT_TRUE(images_of(*map.open(options)).repeated.empty());
}

}  // namespace
}  // namespace sheaf::image_map
