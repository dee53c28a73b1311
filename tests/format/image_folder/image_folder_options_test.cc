#include "format/image_folder/image_folder_options.h"

#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"

namespace sheaf::image_folder {
namespace {

std::string refusal_of_options(const FormatOptions& options) {
  return testing::error_of<ConfigError>([&] { static_cast<void>(read_options_of(options)); });
}

TEST(ImageFolderOptions, ChunksAreSmallUnlessTheOrderMixesThem) {
  EXPECT_EQ(read_options_of({}).chunk_size_bytes, 1 << 20);
  EXPECT_EQ(read_options_of({.chunk_size_bytes = (1 << 20) + 1}).chunk_size_bytes, 1 << 20);
  EXPECT_EQ(read_options_of({.chunk_size_bytes = (1 << 20) - 1}).chunk_size_bytes, (1 << 20) - 1);
  EXPECT_EQ(read_options_of({.groups_chunks = true}).chunk_size_bytes, 32 << 20);
}

TEST(ImageFolderOptions, UnsupportedOptionsAreRefused) {
  EXPECT_EQ(refusal_of_options({}), "");
  EXPECT_EQ(refusal_of_options({.chunk_size_bytes = 0}), "chunk_size_bytes must be positive");
  EXPECT_EQ(refusal_of_options({.read_size_bytes = 0}), "read_size_bytes must be positive");
  EXPECT_EQ(refusal_of_options({.compatibility = Compatibility::cntk}).substr(0, 14),
            "compatibility:");
  EXPECT_EQ(refusal_of_options({.skip_sequence_ids = true}).substr(0, 18), "skip_sequence_ids:");
  EXPECT_NE(
      refusal_of_options({.extra = {{"image_folder.label", "ids"}}}).find("image_folder.labels"),
      std::string::npos);
}

TEST(ImageFolderOptions, FoundClassesSetTheDimOfTheLabels) {
  const auto streams = [](const FormatOptions& options, std::int64_t count) {
    std::string text;
    for (const Stream& each : streams_of(options, count).streams) text += to_string(each) + "; ";
    return text;
  };
  const FormatOptions one_hot{.extra = {{"image_folder.labels", "one_hot"}}};
  EXPECT_EQ(streams({}, 0), "image: dense bytes [*]; label: dense i32 [1]; ");
  EXPECT_EQ(streams(one_hot, 7), "image: dense bytes [*]; label: sparse f32 [7]; ");
  EXPECT_EQ(streams({.extra = {{"image_folder.labels", "none"}}}, 7), "image: dense bytes [*]; ");
  FormatOptions given = one_hot;
  given.extra["image_folder.classes"] = "9";
  EXPECT_EQ(streams_of(given, 7).class_count, 9);
  FormatOptions declared;
  declared.streams = {{.name = "label", .storage = Storage::sparse, .sample_shape = Shape{8}}};
  EXPECT_THROW(static_cast<void>(streams_of(declared, 7)), ConfigError);
  EXPECT_EQ(streams(declared, 8), "label: sparse f32 [8]; ");
}

}  // namespace
}  // namespace sheaf::image_folder
