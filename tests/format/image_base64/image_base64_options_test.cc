#include "format/image_base64/image_base64_options.h"

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/image_base64/image_base64_test_files.h"

namespace sheaf::image_base64 {
namespace {

std::string error(const FormatOptions& options) {
  return error_of<ConfigError>([&] { static_cast<void>(streams_of(options)); });
}

TEST(ImageBase64Options, StreamsAreImageAndLabelByDefault) {
  const internal::ImageStreams streams = streams_of({});
  ASSERT_EQ(streams.streams.size(), 2U);
  EXPECT_EQ(to_string(streams.streams[0]), "image: dense bytes [*]");
  EXPECT_EQ(to_string(streams.streams[1]), "label: dense i32 [1]");
}

TEST(ImageBase64Options, ViewsAddAStream) {
  const internal::ImageStreams streams = streams_of(with_extra({{"image_base64.views", "10"}}));
  EXPECT_EQ(streams.view_count, 10);
  ASSERT_EQ(streams.streams.size(), 3U);
  EXPECT_EQ(streams.streams[2].name, "view");
}

TEST(ImageBase64Options, LabelsMayBeOneHotOrLeftOut) {
  const internal::ImageStreams one_hot =
      streams_of(with_extra({{"image_base64.labels", "one_hot"}, {"image_base64.classes", "5"}}));
  EXPECT_EQ(to_string(one_hot.streams[1]), "label: sparse f32 [5]");
  EXPECT_EQ(streams_of(with_extra({{"image_base64.labels", "none"}})).streams.size(), 1U);
}

TEST(ImageBase64Options, UnsupportedStreamsAndOptionsAreRefused) {
  EXPECT_EQ(error({.skip_sequence_ids = true}),
            "skip_sequence_ids: each line of image_base64 is a sequence, and its key is the first "
            "of three columns");
  EXPECT_NE(error({.chunk_size_bytes = 0}), "");
  EXPECT_NE(error(with_extra({{"image_base64.headers", "all"}})), "");
  EXPECT_NE(error(with_extra({{"image_base64.views", "9"}})), "");
  EXPECT_NE(error(with_extra({{"image_base64.labels", "one_hot"}})), "") << "without classes";
}

}  // namespace
}  // namespace sheaf::image_base64
