#include "format/image_map/image_map_range.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/read_all.h"
#include "format/image_map/image_map_test_files.h"
#include "io/archive/make_archive.h"
#include "support/error_of.h"

namespace sheaf::image_map {
namespace {

std::string_view image_in(const Chunk& chunk, std::int64_t sequence) {
  const SequenceView view = chunk.view(0, sequence);
  return {reinterpret_cast<const char*>(view.values), static_cast<std::size_t>(view.value_count)};
}

std::int32_t label_in(const Chunk& chunk, std::int64_t sequence) {
  return *reinterpret_cast<const std::int32_t*>(chunk.view(1, sequence).values);
}

std::vector<std::string> wrong_locations(const ImageMapDeserializer& data) {
  Diagnostics diagnostics;
  static_cast<void>(
      data.read({.count = data.index().chunk(ChunkIndex{})->sequence_count}, diagnostics));
  std::vector<std::string> texts;
  for (const Diagnostic& each : diagnostics.described()) texts.push_back(to_string(each));
  return texts;
}

TEST(ImageMapRange, ImagesAndLabelsMatchTheirLines) {
  ZipMaker zip;
  zip.add("x.png", "zipped", {.is_deflated = true});
  MapInMemory map("a.jpg\t3\nk\tz.zip@/x.png\t4\n.../b.jpg\t5\na.jpg\t6",
                  {{"a.jpg", "one"}, {"m/b.jpg", "three"}, {"z.zip", zip.finish()}});
  const auto data = map.open();
  Diagnostics diagnostics;
  const Chunk chunk = data->read({.count = 4}, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ(image_in(chunk, 0), "one");
  EXPECT_EQ(image_in(chunk, 1), "zipped");
  EXPECT_EQ(image_in(chunk, 2), "three");
  EXPECT_EQ(image_in(chunk, 3), "one");
  EXPECT_EQ(label_in(chunk, 1), 4);
  EXPECT_EQ(label_in(chunk, 3), 6);
  EXPECT_EQ(chunk.key_text(0), "0");
  EXPECT_EQ(chunk.key_text(1), "k");
  const Chunk part = data->read({.first = 1, .count = 2}, diagnostics);
  EXPECT_EQ(image_in(part, 0), "zipped");
  EXPECT_EQ(label_in(part, 1), 5);
}

TEST(ImageMapRange, ViewsShareTheBytesOfAnImage) {
  FormatOptions options;
  options.extra["image_map.views"] = "10";
  MapInMemory map("a.jpg\t3\nb.jpg\t4", {{"a.jpg", "one"}, {"b.jpg", "two"}});
  const auto data = map.open(options);
  Diagnostics diagnostics;
  const Chunk chunk = data->read({.first = 8, .count = 4}, diagnostics);
  EXPECT_EQ(image_in(chunk, 1), "one");
  EXPECT_EQ(image_in(chunk, 2), "two");
  EXPECT_EQ(image_in(chunk, 2).data(), image_in(chunk, 3).data());
  const auto view_in = [&](std::int64_t i) {
    return *reinterpret_cast<const std::int32_t*>(chunk.view(2, i).values);
  };
  EXPECT_EQ(view_in(0), 8);
  EXPECT_EQ(view_in(1), 9);
  EXPECT_EQ(view_in(2), 0);
  EXPECT_EQ(view_in(3), 1);
}

TEST(ImageMapRange, LinesWithErrorsAreHoles) {
  ZipMaker zip;
  zip.add("x.png", "1", {});
  MapInMemory map(
      "a.jpg\t3\nno tabs\nk\ta.jpg\tx\nk\ta.jpg\t9\nz.zip@/y.png\t1\nempty.png\t1\na.jpg\t4\n",
      {{"a.jpg", "one"}, {"empty.png", ""}, {"z.zip", zip.finish()}});
  FormatOptions options;
  options.extra["image_map.classes"] = "9";
  const auto data = map.open(options);
  EXPECT_EQ(wrong_locations(*data),
            (std::vector<std::string>{
                "m/t.map:2:1: error: expected two or three columns with a tab between them: a path "
                "and a class id, or a key before both, found \"no tabs\" [image_map-columns]\n"
                "  no tabs\n  ^~~~~~~",
                "m/t.map:3:9: error: expected a class id, a whole number from 0, found \"x\" "
                "[image_map-label]\n  k a.jpg x\n          ^",
                "m/t.map:4:1: error: expected a key that was not there yet, found \"k\" "
                "[image_map-repeated-key]\n  k a.jpg 9\n  ^",
                "m/t.map:4:9: error: expected a class id below the number of classes, found 9, "
                "where there are 9 classes [image_map-class]\n  k a.jpg 9\n          ^",
                "m/t.map:5:1: error: expected an entry of the archive, found \"z.zip@/y.png\" "
                "[image_map-entry]\n  z.zip@/y.png 1\n  ^~~~~~~~~~~~",
                "m/t.map:6:1: error: expected an image of at least one byte, found \"empty.png\", "
                "which is empty [image_map-no-bytes]\n  empty.png 1\n  ^~~~~~~~~"}));
  const auto all = conformance::read_all(*data);
  ASSERT_EQ(all.sequences.size(), 7U);
  EXPECT_FALSE(all.sequences[0].is_hole);
  EXPECT_TRUE(all.sequences[3].is_hole);
  EXPECT_FALSE(all.sequences[6].is_hole);
}

TEST(ImageMapRange, AMissingImageIsAHoleButFatalInCntkMode) {
  MapInMemory map("a.jpg\t0\nimages/gone.jpg\t0\n", {{"a.jpg", "1"}});
  const std::vector<std::string> locations = wrong_locations(*map.open());
  ASSERT_EQ(locations.size(), 1U);
  EXPECT_NE(locations[0].find("m/t.map:2:1: error: expected a file that can be opened, found "
                              "images/gone.jpg: "),
            std::string::npos)
      << locations[0];
  FormatOptions options;
  options.compatibility = Compatibility::cntk;
  const auto data = map.open(options);
  Diagnostics diagnostics;
  const Chunk chunk = data->read({.chunk = ChunkIndex{1}, .count = 1}, diagnostics);
  EXPECT_EQ(diagnostics.described()[0].severity, Severity::fatal);
  EXPECT_EQ(chunk.holes().size(), 1U);

  map.add("images/gone.jpg", "");
  Diagnostics of_empty;
  static_cast<void>(map.open(options)->read({.chunk = ChunkIndex{1}, .count = 1}, of_empty));
  ASSERT_EQ(of_empty.described().size(), 1U);
  EXPECT_EQ(of_empty.described()[0].severity, Severity::error) << "as of any damaged image";
}

TEST(ImageMapRange, AChunkTakesNoMoreMemoryThanTheIndexStates) {
  FormatOptions options;
  options.compatibility = Compatibility::cntk;
  options.keys = KeyType::text;
  options.extra = {{"image_map.labels", "one_hot"}, {"image_map.classes", "9"}};
  for (const char* const views : {"1", "10"}) {
    options.extra["image_map.views"] = views;
    for (const bool groups_chunks : {false, true}) {
      options.groups_chunks = groups_chunks;
      MapInMemory map("a.jpg\t3\nb.jpg\t4\n", {{"a.jpg", "1"}, {"b.jpg", "22"}});
      const auto data = map.open(options);
      const ChunkInfo info = *data->index().chunk(ChunkIndex{});
      Diagnostics diagnostics;
      const Chunk chunk = data->read({.count = info.sequence_count}, diagnostics);
      EXPECT_LE(chunk.memory_bytes(), info.decoded_size_bytes) << views << groups_chunks;
    }
  }
}

TEST(ImageMapRange, ReadingLabelsOpensNoImages) {
  FormatOptions options;
  options.streams = {{.name = "label"}};
  MapInMemory map("gone.jpg\t5\n");
  const auto data = map.open(options);
  Diagnostics diagnostics;
  const Chunk chunk = data->read({.count = 1}, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ(*reinterpret_cast<const std::int32_t*>(chunk.view(0, 0).values), 5);
}

TEST(ImageMapRange, ChangedFilesAreErrors) {
  const auto read_of = [](const ImageMapDeserializer& data) {
    return testing::error_of([&] {
      Diagnostics diagnostics;
      static_cast<void>(data.read({.count = 1}, diagnostics));
    });
  };
  MapInMemory map("a.jpg\t0\n", {{"a.jpg", "1"}});
  const auto data = map.open();
  map.add("a.jpg", "12");
  EXPECT_EQ(read_of(*data), "a.jpg: was changed after it was indexed");
}

}  // namespace
}  // namespace sheaf::image_map
