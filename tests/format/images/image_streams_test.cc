#include "format/images/image_streams.h"

#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"

namespace sheaf::internal {
namespace {

using testing::error_of;

constexpr FormatOption kLabels = image_labels_option("x.labels");
constexpr FormatOption kClasses = image_classes_option("x.classes");
constexpr FormatOption kViews = image_views_option("x.views");
constexpr ImageOptionNames kNames = {.labels = &kLabels, .classes = &kClasses, .views = &kViews};
constexpr ImageOptionNames kNoViews = {.labels = &kLabels, .classes = &kClasses};

std::string texts_of(const ImageStreams& streams) {
  std::string text;
  for (const Stream& each : streams.streams) text += to_string(each) + "; ";
  return text;
}

std::string refusal(const FormatOptions& options, const ImageOptionNames& names = kNames) {
  return error_of<ConfigError>([&] { static_cast<void>(image_streams_of(options, names)); });
}

TEST(ImageStreams, AreAnImageAndALabelByDefault) {
  EXPECT_EQ(texts_of(image_streams_of({}, kNames)),
            "image: dense bytes [*]; label: dense i32 [1]; ");
  EXPECT_EQ(texts_of(image_streams_of({.extra = {{"x.labels", "none"}}}, kNames)),
            "image: dense bytes [*]; ");
  EXPECT_EQ(
      texts_of(image_streams_of({.extra = {{"x.labels", "one_hot"}, {"x.classes", "4"}}}, kNames)),
      "image: dense bytes [*]; label: sparse f32 [4]; ");
  const ImageStreams views = image_streams_of({.extra = {{"x.views", "10"}}}, kNames);
  EXPECT_EQ(texts_of(views), "image: dense bytes [*]; label: dense i32 [1]; view: dense i32 [1]; ");
  EXPECT_EQ(views.view_count, 10);
  EXPECT_EQ(views.view, 2U);
}

TEST(ImageStreams, CanBeNamedAndSelected) {
  FormatOptions options;
  options.streams = {{.name = "y",
                      .alias = "label",
                      .storage = Storage::sparse,
                      .sample_shape = Shape{7},
                      .dtype = ElementType::f64},
                     {.name = "x", .alias = "image"}};
  const ImageStreams streams = image_streams_of(options, kNames);
  EXPECT_EQ(texts_of(streams), "y: sparse f64 [7]; x: dense bytes [*]; ");
  EXPECT_EQ(streams.labels, ImageLabels::one_hot);
  EXPECT_EQ(streams.class_count, 7);
  EXPECT_EQ(streams.image, 1U);
  EXPECT_EQ(streams.label, 0U);

  options.streams = {{.name = "image"}};
  EXPECT_EQ(image_streams_of(options, kNames).labels, ImageLabels::none);

  options.streams = {{.name = "label"}};
  options.extra = {{"x.labels", "one_hot"}, {"x.classes", "5"}};
  EXPECT_EQ(texts_of(image_streams_of(options, kNames)), "label: sparse f32 [5]; ");
  options.streams = {{.name = "label", .dtype = ElementType::i64}};
  EXPECT_EQ(texts_of(image_streams_of(options, kNames)), "label: dense i64 [1]; ");
}

TEST(ImageStreams, UnsupportedStreamsAreRefused) {
  const auto with = [](StreamOptions stream) {
    FormatOptions options;
    options.streams = {std::move(stream)};
    return options;
  };
  EXPECT_EQ(refusal(with({.name = "img"})),
            "stream \"img\": there is no stream \"img\": the streams are image, label and view; "
            "an alias gives one of them another name");
  EXPECT_EQ(refusal(with({.name = "view"}), kNoViews),
            "stream \"view\": the streams are image and label");
  EXPECT_EQ(refusal(with({.name = "image", .dtype = ElementType::f32})),
            "stream \"image\": the samples are dense bytes of shape [*]");
  EXPECT_EQ(refusal(with({.name = "label", .storage = Storage::sparse})),
            "stream \"label\": one-hot labels need the number of classes: set x.classes, or "
            "declare the shape [classes]");
  EXPECT_EQ(refusal(with({.name = "label", .sample_shape = Shape{2}})),
            "stream \"label\": the samples are dense i32 of shape [1]");
  FormatOptions options = with({.name = "label"});
  options.extra = {{"x.labels", "none"}};
  EXPECT_EQ(refusal(options), "stream \"label\": x.labels=none leaves the labels out");
  options = with({.name = "a", .alias = "image"});
  options.streams.push_back({.name = "b", .alias = "image"});
  EXPECT_EQ(refusal(options), "stream \"b\": stream \"a\" is the same stream of the files");
  options.streams.back() = {.name = "a", .alias = "label"};
  EXPECT_EQ(refusal(options), "stream \"a\": another stream has the same name");
  for (const std::string text : {"0", "-1", "x", "2147483649", "3 "}) {
    EXPECT_EQ(
        refusal({.extra = {{"x.classes", text}}}),
        "x.classes: expected a number of classes from 1 to 2147483648, found \"" + text + "\"");
  }
  options = with({.name = "label", .storage = Storage::sparse, .sample_shape = Shape{3}});
  options.extra = {{"x.classes", "4"}};
  EXPECT_EQ(refusal(options), "stream \"label\": the shape [3] is not that of 4 classes");
}

}  // namespace
}  // namespace sheaf::internal
