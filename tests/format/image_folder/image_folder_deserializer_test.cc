#include "format/image_folder/image_folder_deserializer.h"

#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/concatenate.h"

#include "format/image_folder/image_folder_test_files.h"
#include "image/made_images.h"
#include "support/error_of.h"

namespace sheaf::image_folder {
namespace {

using testing::error_of;

std::string refusal(FoldersInMemory& folders, const FormatOptions& options = {},
                    const std::vector<std::string>& roots = {"d"}) {
  return error_of([&] { (void)folders.open(options, roots); });
}

TEST(ImageFolderDeserializer, EachImageIsASequenceWithTheClassOfItsFolder) {
  FoldersInMemory folders = {
      {"d/dogs/1.jpg", "one"}, {"d/cats/2.jpg", "two"}, {"d/dogs/0.png", "0"}};
  const auto data = folders.open();
  EXPECT_EQ(told(*data), "cats/2.jpg=0 two\ndogs/0.png=1 0\ndogs/1.jpg=1 one\n");
  EXPECT_TRUE(data->warnings().empty());
  EXPECT_TRUE(data->has_fast_random_access());
}

TEST(ImageFolderDeserializer, ImagesWithoutLabelsMayLieAnywhere) {
  FoldersInMemory folders = {{"d/1.jpg", "1"}, {"d/cats/2.jpg", "2"}, {"d/3.jpg", "3"}};
  EXPECT_EQ(refusal(folders),
            "d/1.jpg: error: expected each image in the folder of a class, such as CLASS/001.jpg, "
            "found 2 images beside the folders; this is the first one [image_folder-no-class]\n"
            "  image_folder.labels=none reads the images of all folders without classes");
  EXPECT_EQ(told(*folders.open({.extra = {{"image_folder.labels", "none"}}})),
            "1.jpg 1\n3.jpg 3\ncats/2.jpg 2\n");
  FormatOptions images;
  images.streams = {{.name = "picture", .alias = "image"}};
  EXPECT_EQ(told(*folders.open(images)), "1.jpg 1\n3.jpg 3\ncats/2.jpg 2\n");
}

TEST(ImageFolderDeserializer, TheNumberOfClassesIsChecked) {
  FoldersInMemory folders = {{"d/a/1.jpg", ""}, {"d/b/2.jpg", ""}};
  const auto with_count = [&](const char* count) {
    return refusal(folders, {.extra = {{"image_folder.classes", count}}});
  };
  EXPECT_EQ(with_count("2"), "none");
  for (const char* const count : {"1", "3"}) {
    EXPECT_EQ(with_count(count),
              std::string("d: error: expected as many folders of classes as image_folder.classes "
                          "says, found 2 classes, where there are to be ") +
                  count + " [image_folder-class-count]");
  }
}

TEST(ImageFolderDeserializer, AClassFileDefinesTheIds) {
  FoldersInMemory folders = {{"d/a/1.jpg", "1"}, {"d/b/2.jpg", "2"}, {"names", "b\nc\na\n"}};
  const FormatOptions options{.extra = {{"image_folder.class_names", "names"}}};
  EXPECT_EQ(told(*folders.open(options)), "a/1.jpg=2 1\nb/2.jpg=0 2\n");
  FormatOptions one_hot = options;
  one_hot.extra["image_folder.labels"] = "one_hot";
  EXPECT_EQ(folders.open(one_hot)->streams()[1].sample_shape, Shape{3});
  testing::write_file(folders.files(), "names", "b\n");
  EXPECT_NE(refusal(folders, options).find("image_folder-unknown-class"), std::string::npos);
  folders.files().remove("names");
  EXPECT_EQ(refusal(folders, options), "names: cannot open: No such file or directory");
}

TEST(ImageFolderDeserializer, TheStreamOfLabelsNamesTheClasses) {
  FoldersInMemory folders = {{"d/b/1.jpg", "1"}, {"d/a/2.jpg", "2"}, {"names", "z\nb\na\n"}};
  const auto names = [&](const FormatOptions& options) {
    const auto data = folders.open(options);
    const std::span<const Stream> streams = data->streams();
    EXPECT_EQ(streams[0].class_names, nullptr) << "images have no classes";
    return *streams[1].class_names;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(names({}), (Texts{"a", "b"}));
  EXPECT_EQ(names({.extra = {{"image_folder.class_names", "names"}}}), (Texts{"z", "b", "a"}));
  EXPECT_EQ(names({.extra = {{"image_folder.labels", "one_hot"}}}), (Texts{"a", "b"}));
}

TEST(ImageFolderDeserializer, DataWithDifferentClassesAreNotConcatenated) {
  FoldersInMemory folders = {{"d/a/1.jpg", "1"}, {"d/b/2.jpg", "2"}, {"e/a/1.jpg", "1"},
                             {"e/c/1.jpg", "1"}, {"f/a/1.jpg", "1"}, {"g/a/3.jpg", "3"},
                             {"g/b/3.jpg", "3"}};
  const auto join = [&](const std::string& first, const std::string& second) {
    return concatenate({{.data = folders.open({}, {first}), .name = first},
                        {.data = folders.open({}, {second}), .name = second}});
  };
  const std::string rest = "; data that are read one after the other have the same classes";
  EXPECT_EQ(error_of<ConfigError>([&] { (void)join("d", "e"); }),
            "stream \"label\": the class 1 is \"b\" in d, and \"c\" in e" + rest);
  EXPECT_EQ(error_of<ConfigError>([&] { (void)join("f", "d"); }),
            "stream \"label\": the class 1 is missing in f, and \"b\" in d" + rest);
  EXPECT_EQ(*join("d", "g")->streams()[1].class_names, (std::vector<std::string>{"a", "b"}));
}

TEST(ImageFolderDeserializer, KeysOfSeveralRootsBeginWithTheRoot) {
  FoldersInMemory folders = {{"d/a/1.jpg", "1"}, {"e/a/1.jpg", "2"}, {"f/b/1.jpg", ""}};
  EXPECT_EQ(told(*folders.open({}, {"e", "d"})), "e/a/1.jpg=0 2\nd/a/1.jpg=0 1\n");
  EXPECT_NE(refusal(folders, {}, {"d", "f"}).find("image_folder-other-classes"), std::string::npos);
  EXPECT_EQ(refusal(folders, {.extra = {{"image_folder.labels", "none"}}}, {"d", "f"}), "none");
}

TEST(ImageFolderDeserializer, WarningsCountSkippedFiles) {
  FoldersInMemory folders = {{"d/a/1.jpg", ""}, {"d/a/x.txt", ""}, {"d/b/y.gif", ""}};
  const auto data = folders.open();
  const std::vector<Diagnostic> warnings = data->warnings();
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_EQ(to_string(warnings[0]),
            "d/a/x.txt: warning: expected files with the extension .jpg, .jpeg, .png or .webp, "
            "found other files, which are passed over: 2; the first is here "
            "[image_folder-other-files]");
  EXPECT_EQ(to_string(warnings[1]),
            "d/b: warning: expected images in each folder of a class, found folders of classes "
            "without images: 1; the first is here [image_folder-empty-class]");
}

TEST(ImageFolderDeserializer, TheLocationOfASequenceIsItsFile) {
  FoldersInMemory folders = {{"d/a/1.jpg", "1"}, {"d/a/2.jpg", "2"}};
  const auto data = folders.open();
  const Diagnostic image = data->location_of(ChunkIndex{}, 1, 0);
  EXPECT_EQ(image.path, "d/a/2.jpg");
  EXPECT_EQ(image.byte_offset, 0);
  EXPECT_EQ(image.sequence_key, "a/2.jpg");
  EXPECT_EQ(data->location_of(ChunkIndex{}, 0, 1).byte_offset, Diagnostic::kNoOffset);
  EXPECT_EQ(folders.open({.keys = KeyType::numeric})->location_of(ChunkIndex{}, 1, 0).sequence_key,
            "1");
}

TEST(ImageFolderDeserializer, InputFilesOfAConversionAreListed) {
  FoldersInMemory folders = {{"d/a/1.jpg", "1"}, {"d/a/2.jpg", "2"}};
  std::set<std::string> named;
  folders.open()->visit_named_files([&](const std::string& path) { named.insert(path); });
  EXPECT_EQ(named, (std::set<std::string>{"d/a/1.jpg", "d/a/2.jpg"}));
}

TEST(ImageFolderDeserializer, HeadersAreReadForCosts) {
  const std::string image =
      "\xff\xd8" + internal::jpeg_segment('\xc0', internal::jpeg_frame(3, 5, 3));
  FoldersInMemory folders = {{"d/a/1.jpg", image}, {"d/a/2.jpg", "?"}};
  const auto data = folders.open({.extra = {{"image_folder.headers", "read"}}});
  EXPECT_EQ(data->index().cost_measure().name, "pixels");
  EXPECT_EQ((*data->index().costs(ChunkIndex{}))[0], 15);
  EXPECT_EQ((*data->index().costs(ChunkIndex{}))[1], 0);
}

TEST(ImageFolderDeserializer, TheFingerprintDependsOnTheDeliveredData) {
  FoldersInMemory folders = {{"d/a/1.jpg", "1"}, {"e/a/1.jpg", "2"}, {"f/a/1.jpg", "33"}};
  const std::string own = folders.open()->fingerprint();
  EXPECT_EQ(folders.open({}, {"e"})->fingerprint(), own);
  FormatOptions minibatches;
  minibatches.streams = {{.name = "image", .defines_minibatch_size = true}, {.name = "label"}};
  FormatOptions types;
  types.streams = {{.name = "image"}, {.name = "label", .dtype = ElementType::i64}};
  std::set<std::string> all = {own, folders.open({}, {"f"})->fingerprint()};
  const std::vector<FormatOptions> others = {minibatches,
                                             types,
                                             {.chunk_size_bytes = 1},
                                             {.keys = KeyType::numeric},
                                             {.extra = {{"image_folder.labels", "none"}}},
                                             {.extra = {{"image_folder.labels", "one_hot"}}},
                                             {.extra = {{"image_folder.headers", "read"}}}};
  for (const FormatOptions& each : others) all.insert(folders.open(each)->fingerprint());
  EXPECT_EQ(all.size(), others.size() + 2);
}

}  // namespace
}  // namespace sheaf::image_folder
