#include "format/image_map/image_map_options.h"

#include <string>

#include <gtest/gtest.h>

#include "support/error_of.h"

namespace sheaf::image_map {
namespace {

using testing::error_of;

std::string options_error(const FormatOptions& options) {
  return error_of([&] { static_cast<void>(read_options_of(options)); });
}

TEST(ImageMapOptions, APrefixEndsWithASlash) {
  FormatOptions options;
  EXPECT_EQ(read_options_of(options).prefix, "");
  options.extra["image_map.prefix"] = "images";
  EXPECT_EQ(read_options_of(options).prefix, "images/");
  options.extra["image_map.prefix"] = "/";
  EXPECT_EQ(read_options_of(options).prefix, "/");
}

TEST(ImageMapOptions, CntkHasNumericKeysAndAChunkForEachImage) {
  FormatOptions options;
  EXPECT_TRUE(read_options_of(options).has_text_keys);
  EXPECT_FALSE(read_options_of(options).has_chunk_each);
  options.compatibility = Compatibility::cntk;
  EXPECT_FALSE(read_options_of(options).has_text_keys);
  EXPECT_TRUE(read_options_of(options).has_chunk_each);
  options.keys = KeyType::text;
  options.groups_chunks = true;
  EXPECT_TRUE(read_options_of(options).has_text_keys);
  EXPECT_FALSE(read_options_of(options).has_chunk_each);
}

TEST(ImageMapOptions, ImpossibleOptionsAreRefused) {
  FormatOptions options;
  options.skip_sequence_ids = true;
  EXPECT_EQ(options_error(options),
            "skip_sequence_ids: each line of a map of images is a sequence anyway");
  options = {.chunk_size_bytes = 0};
  EXPECT_EQ(options_error(options), "chunk_size_bytes must be positive");
  options = {.read_size_bytes = 0};
  EXPECT_EQ(options_error(options), "read_size_bytes must be positive");
  options = {.extra = {{"image_map.labels", "one_hot"}}};
  EXPECT_EQ(options_error(options),
            "stream \"label\": one-hot labels need the number of classes: set image_map.classes, "
            "or declare the shape [classes]");
}

}  // namespace
}  // namespace sheaf::image_map
