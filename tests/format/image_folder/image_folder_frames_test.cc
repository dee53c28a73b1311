#include "format/image_folder/image_folder_frames.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/checked.h"

#include "conformance/read_all.h"
#include "format/image_folder/image_folder_test_files.h"
#include "image/made_images.h"
#include "support/error_of.h"

namespace sheaf::image_folder {
namespace {

FormatOptions with_frames() { return {.extra = {{"image_folder.frames", "true"}}}; }

FormatOptions frames_without_labels() {
  FormatOptions options = with_frames();
  options.extra["image_folder.labels"] = "none";
  return options;
}

TEST(FrameNumber, IsTheTrailingNumberOfTheName) {
  struct Case {
    std::string name;
    std::optional<std::int64_t> number;
  };
  const Case cases[] = {
      {"000.jpg", 0},          // only digits
      {"frame_0012.jpg", 12},  // a prefix
      {"clip.007.png", 7},     // a dot belongs to the prefix
      {"-5.jpg", 5},           // so does a sign
      {"2b3.jpg", 3},          // the number begins after the last other character
      {"123456789012345678.jpg", 123456789012345678},  // 18 digits
      {"a0000000000000000007.jpg", {}},                // 19 digits: 18 zeros and a 7
      {"1234567890123456789.jpg", {}},                 // 19 digits
      {"a00000000000000007.jpg", 7},                   // 17 digits
      {"cover.jpg", {}},                               // no digits
      {"1a.jpg", {}},                                  // digits not at the end
      {".jpg", {}},                                    // an empty name
  };
  for (const Case& each : cases) EXPECT_EQ(frame_number(each.name), each.number) << each.name;
}

TEST(FrameGatherer, CompletesFoldersWhenTheWalkLeavesThem) {
  std::string taken;
  FrameGatherer gatherer([&](std::string_view folder, const std::vector<Frame>& frames) {
    taken += std::string(folder) + ":";
    for (const Frame& each : frames) taken += " " + each.name;
    taken += "\n";
  });
  for (const char* path : {"9.jpg", "a/10.jpg", "a/2.jpg", "a/b/1.jpg", "a/x.jpg", "aa/1.jpg"}) {
    gatherer.add(path, 1);
  }
  EXPECT_EQ(taken, "a/b/: 1.jpg\na/: x.jpg 2.jpg 10.jpg\n");
  gatherer.finish();
  EXPECT_EQ(taken, "a/b/: 1.jpg\na/: x.jpg 2.jpg 10.jpg\naa/: 1.jpg\n: 9.jpg\n");
}

TEST(ImageFolderFrames, TheImagesOfAFolderFormASequence) {
  FoldersInMemory folders = {{"d/cats/one/10.jpg", "ten"},  {"d/cats/one/9.jpg", "nine"},
                             {"d/cats/one/f0.png", "zero"}, {"d/cats/two/5.jpg", "5"},
                             {"d/dogs/a/b/1.jpg", "woof"},  {"d/dogs/a/b/2.jpg", "w"},
                             {"d/dogs/a/notes.txt", "text"}};
  const std::string all =
      "cats/one=0 zeronineten of 4+4+3\ncats/two=0 5\ndogs/a/b=1 woofw of 4+1\n";
  for (const std::int64_t chunk_size : {1, 300, 1 << 20}) {
    for (const std::int64_t read_size : {1, 3, 1 << 20}) {
      FormatOptions options = with_frames();
      options.chunk_size_bytes = chunk_size;
      options.read_size_bytes = read_size;
      const auto data = checked(folders.open(options));
      EXPECT_EQ(told(*data), all);
    }
  }
  EXPECT_EQ(told(*folders.open(frames_without_labels(), {"d/dogs"})), "a/b woofw of 4+1\n");
  EXPECT_EQ(told(*folders.open(with_frames(), {"d"}, nullptr)).substr(0, 8), "cats/one");
}

TEST(ImageFolderFrames, KeysMayHaveRootsAndNumbers) {
  FoldersInMemory folders = {{"d/a/x/1.jpg", "1"}, {"e/a/x/1.jpg", "2"}};
  EXPECT_EQ(told(*folders.open(with_frames(), {"d", "e"})), "d/a/x=0 1\ne/a/x=0 2\n");
  FormatOptions numbers = with_frames();
  numbers.keys = KeyType::numeric;
  const auto data = folders.open(numbers, {"d", "e"});
  EXPECT_EQ(data->index().sequences(ChunkIndex{})->key(1), (SequenceKey{.low = 1}));
}

TEST(ImageFolderFrames, AnyRangeEqualsThatPartOfTheChunk) {
  FoldersInMemory folders = {{"d/a/1/1.jpg", "one"},   {"d/a/1/2.jpg", "two"},
                             {"d/a/2/1.jpg", "x"},     {"d/a/2/01.jpg", "y"},
                             {"d/a/3/1.jpg", ""},      {"d/a/3/2.jpg", "2"},
                             {"d/b/4/1.webp", "four"}, {"d/b/5/1.jpeg", "five"}};
  const auto data = folders.open(with_frames());
  const auto whole = conformance::read_range(*data, {ChunkIndex{}, 0, 5});
  ASSERT_EQ(whole.sequences.size(), 5U);
  EXPECT_EQ(whole.diagnostics.size(), 2U);
  for (std::int64_t first = 0; first < 5; ++first) {
    for (std::int64_t count = 1; count <= 5 - first; ++count) {
      const auto part = conformance::read_range(*data, {ChunkIndex{}, first, count});
      EXPECT_TRUE(std::equal(part.sequences.begin(), part.sequences.end(),
                             whole.sequences.begin() + first,
                             whole.sequences.begin() + first + count));
    }
  }
}

TEST(ImageFolderFrames, EachFrameWithAnErrorIsNamed) {
  FoldersInMemory folders = {{"d/a/x/1.jpg", "1"},    {"d/a/x/01.jpg", "2"},
                             {"d/a/x/f001.png", "3"}, {"d/a/x/cover.jpg", "4"},
                             {"d/a/x/2.jpg", ""},     {"d/a/y/3.jpg", "y"}};
  const std::string stream = ": sequence a/x: error: stream \"image\": expected ";
  const std::string repeated = stream + "a number that no other frame of the folder has, found ";
  EXPECT_EQ(told(*folders.open(with_frames())),
            "a/x hole\na/y=0 y\n"
            "d/a/x/cover.jpg" +
                stream +
                "a number of up to 18 digits at the end of the name, found \"cover.jpg\" "
                "[image_folder-frame-number]\n"
                "d/a/x/1.jpg" +
                repeated +
                "\"1.jpg\", beside \"01.jpg\" [image_folder-repeated-frame]\n"
                "d/a/x/f001.png" +
                repeated +
                "\"f001.png\", beside \"01.jpg\" [image_folder-repeated-frame]\n"
                "d/a/x/2.jpg: byte 0: error: stream \"image\": expected an image of at least one "
                "byte, found an empty file [image_folder-no-bytes]\n");
  FormatOptions labels = with_frames();
  labels.streams = {{.name = "label"}};
  Diagnostics diagnostics;
  const auto data = folders.open(labels);
  EXPECT_TRUE(data->read({ChunkIndex{}, 0, 2}, diagnostics).holes().empty());
  EXPECT_EQ(data->index().chunk(ChunkIndex{})->sample_count, 2) << "where no image is read";
}

TEST(ImageFolderFrames, EachImageMustLieInAClipFolder) {
  const auto error = [](FoldersInMemory folders, const FormatOptions& options) {
    return testing::error_of<DataError>([&] { (void)folders.open(options); });
  };
  EXPECT_EQ(error({{"d/a/1.jpg", "1"}, {"d/a/x/1.jpg", "1"}, {"d/b/2.jpg", "1"}}, with_frames()),
            "d/a/1.jpg: error: expected each image in the folder of a clip, such as "
            "CLASS/CLIP/001.jpg, or CLIP/001.jpg where there are no labels, found 2 images beside "
            "the folders; this is the first one [image_folder-no-clip]\n"
            "  image_folder.labels=none reads clips that lie directly in the root");
  EXPECT_NE(error({{"d/1.jpg", "1"}}, frames_without_labels()).find("image_folder-no-clip"),
            std::string::npos);
  EXPECT_NE(error({{"d/1.jpg", "1"}}, with_frames()).find("image_folder-no-class"),
            std::string::npos);
}

TEST(ImageFolderFrames, TheDefiningStreamGivesTheLength) {
  FoldersInMemory folders = {{"d/a/x/1.jpg", "1"}, {"d/a/x/2.jpg", "2"}, {"d/a/y/1.jpg", "3"}};
  const auto samples = [&](bool image, bool label) {
    FormatOptions options = with_frames();
    options.streams = {{.name = "image", .defines_minibatch_size = image},
                       {.name = "label", .defines_minibatch_size = label}};
    const auto data = checked(folders.open(options));
    (void)told(*data);
    EXPECT_EQ(data->index().sequences(ChunkIndex{})->sample_count(0), label ? 1 : 2);
    return data->index().chunk(ChunkIndex{})->sample_count;
  };
  EXPECT_EQ(samples(false, false), 3);
  EXPECT_EQ(samples(true, false), 3);
  EXPECT_EQ(samples(false, true), 2);
}

TEST(ImageFolderFrames, ASequenceCostsThePixelsOfAllFrames) {
  const std::string image =
      "\xff\xd8" + internal::jpeg_segment('\xc0', internal::jpeg_frame(3, 5, 3));
  FoldersInMemory folders = {
      {"d/a/x/1.jpg", image}, {"d/a/x/2.jpg", image}, {"d/a/x/3.jpg", "?"}, {"d/a/y/1.jpg", image}};
  FormatOptions options = with_frames();
  options.extra["image_folder.headers"] = "read";
  const auto data = folders.open(options);
  EXPECT_EQ((*data->index().costs(ChunkIndex{}))[0], 30);
  EXPECT_EQ((*data->index().costs(ChunkIndex{}))[1], 15);
}

TEST(ImageFolderFrames, TheLocationOfASequenceIsItsFolder) {
  FoldersInMemory folders = {{"d/a/x/1.jpg", "1"}, {"d/a/x/2.jpg", "2"}};
  const auto data = folders.open(with_frames());
  const Diagnostic location = data->location_of(ChunkIndex{}, 0, 0);
  EXPECT_EQ(location.path, "d/a/x");
  EXPECT_EQ(location.byte_offset, Diagnostic::kNoOffset);
  EXPECT_EQ(location.sequence_key, "a/x");
  EXPECT_NE(data->fingerprint(), folders.open()->fingerprint());
}

TEST(ImageFolderFrames, AChunkTakesNoMoreMemoryThanTheIndexStates) {
  for (const int count : {1, 2, 63, 64, 65, 200}) {
    FoldersInMemory folders = {{"d/b/y/1.jpg", ""}};
    for (int i = 0; i < count; ++i) {
      testing::write_file(folders.files(), "d/a/x/" + std::to_string(i) + ".jpg", "x");
    }
    for (const char* const labels : {"ids", "one_hot", "none"}) {
      FormatOptions options = with_frames();
      options.extra["image_folder.labels"] = labels;
      const auto data = folders.open(options);
      Diagnostics diagnostics;
      const Chunk chunk = data->read({ChunkIndex{}, 0, 2}, diagnostics);
      EXPECT_EQ(chunk.view(0, 0).sample_count, count);
      EXPECT_LE(chunk.memory_bytes(), data->index().chunk(ChunkIndex{})->decoded_size_bytes)
          << labels << ' ' << count;
    }
  }
}

}  // namespace
}  // namespace sheaf::image_folder
