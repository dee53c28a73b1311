#include "format/image_map/image_map_deserializer.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/checked.h"
#include "sheaf/open.h"

#include "conformance/read_all.h"
#include "format/image_map/image_map_test_files.h"
#include "io/archive/make_archive.h"

namespace sheaf::image_map {
namespace {

TEST(ImageMapDeserializer, TheExtensionOpensAMap) {
  MapInMemory map("a.jpg\t3\nb.jpg\t4", {{"a.jpg", "one"}, {"b.jpg", "two"}});
  const OpenedData opened = open_path("m/t.map", {}, {.files = &map.files()});
  ASSERT_EQ(opened.data->streams().size(), 2U);
  EXPECT_EQ(opened.data->streams()[0].name, "image");
  EXPECT_EQ(opened.data->streams()[0].element_type, ElementType::bytes);
  EXPECT_EQ(opened.data->streams()[1].name, "label");
  EXPECT_EQ(conformance::read_all(*checked(opened.data)).sequences.size(), 2U);
}

TEST(ImageMapDeserializer, SeveralMapsAreConcatenated) {
  MapInMemory map("x\ta.jpg\t3\n", {{"a.jpg", "one"}, {"n/u.map", "y\ta.jpg\t4\n"}});
  const OpenedData opened = open(DataSpec{FilesSpec{.files = {"m/t.map", "n/u.map"}, .format = {}}},
                                 {.files = &map.files()});
  const auto all = conformance::read_all(*opened.data);
  ASSERT_EQ(all.sequences.size(), 2U);
  EXPECT_EQ(all.sequences[1].key_text, "y");
}

TEST(ImageMapDeserializer, LocationsOfImagesAreTheirPaths) {
  ZipMaker zip;
  zip.add("x.png", "zipped", {});
  MapInMemory map("a.jpg\t3\nk\tz.zip@/x.png\t4", {{"a.jpg", "one"}, {"z.zip", zip.finish()}});
  const auto data = map.open();
  const Diagnostic image = data->location_of(ChunkIndex{}, 0, 0);
  EXPECT_EQ(image.path, "a.jpg");
  EXPECT_EQ(image.byte_offset, 0);
  EXPECT_EQ(image.sequence_key, "0");
  const Diagnostic entry = data->location_of(ChunkIndex{}, 1, 0);
  EXPECT_EQ(entry.path, "z.zip@/x.png");
  EXPECT_EQ(entry.byte_offset, Diagnostic::kNoOffset);
  const Diagnostic label = data->location_of(ChunkIndex{}, 1, 1);
  EXPECT_EQ(label.path, "m/t.map");
  EXPECT_EQ(label.line, 2);
  EXPECT_EQ(label.byte_offset, 8);
  EXPECT_EQ(label.sequence_key, "k");
}

TEST(ImageMapDeserializer, TheFilesOfAMapAreVisited) {
  MapInMemory map("a.jpg\t3\nwrong\nz.zip@/x.png\t4", {{"z.zip", ZipMaker().finish()}});
  std::vector<std::string> paths;
  map.open()->visit_named_files([&](const std::string& path) { paths.push_back(path); });
  EXPECT_EQ(paths, (std::vector<std::string>{"a.jpg", "z.zip@/x.png", "z.zip"}));
}

// 4096 lines are read together. Tests one below, at and above.
TEST(ImageMapDeserializer, TheFilesOfALongMapAreVisited) {
  for (const int count : {4095, 4096, 4097}) {
    std::string lines;
    for (int i = 0; i < count; ++i) lines += std::to_string(i) + ".jpg\t1\n";
    std::vector<std::string> paths;
    MapInMemory(lines).open()->visit_named_files(
        [&](const std::string& path) { paths.push_back(path); });
    ASSERT_EQ(std::ssize(paths), count);
    EXPECT_EQ(paths.back(), std::to_string(count - 1) + ".jpg");
  }
}

TEST(ImageMapDeserializer, TheFingerprintDependsOnDataAndOptions) {
  const std::string lines = "1\ta.jpg\t0\n";
  const auto print = [&](const FormatOptions& options, const std::string& image = "one") {
    return MapInMemory(lines, {{"a.jpg", image}}).open(options)->fingerprint();
  };
  std::vector<FormatOptions> all(9);
  all[1].chunk_size_bytes = 7;
  all[2].keys = KeyType::numeric;
  all[3].extra = {{"image_map.views", "10"}};
  all[4].extra = {{"image_map.headers", "read"}};
  all[5].extra = {{"image_map.labels", "none"}};
  all[6].extra = {{"image_map.classes", "4"}};
  all[7].extra = {{"image_map.prefix", "./"}};
  all[8].compatibility = Compatibility::cntk;
  std::vector<std::string> prints;
  for (const FormatOptions& options : all) prints.push_back(print(options));
  std::ranges::sort(prints);
  EXPECT_EQ(std::ranges::adjacent_find(prints), prints.end());
  EXPECT_EQ(print({}), print({}));
  EXPECT_NE(print({}), print({}, "other")) << "chunks are cut by sizes";
  EXPECT_EQ(print(all[8]), print(all[8], "other")) << "chunks are images";
}

}  // namespace
}  // namespace sheaf::image_map
