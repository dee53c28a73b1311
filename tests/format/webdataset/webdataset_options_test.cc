#include "format/webdataset/webdataset_options.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/webdataset/webdataset_test_files.h"

namespace sheaf::webdataset {
namespace {

FormatOptions with_stream(StreamOptions stream) {
  FormatOptions options;
  options.streams = {std::move(stream)};
  return options;
}

std::string error_with(const FormatOptions& options) {
  return error_of([&] { static_cast<void>(read_options_of(options)); });
}

TEST(WebdatasetOptions, AnAliasMayNameSuffixes) {
  const auto suffixes_of = [](const std::string& alias) {
    return read_options_of(with_stream({.name = "x", .alias = alias})).declared[0].suffixes;
  };
  using Suffixes = std::vector<std::string>;
  EXPECT_EQ(suffixes_of(""), (Suffixes{"x"}));
  EXPECT_EQ(suffixes_of("jpg+PNG"), (Suffixes{"jpg", "png"}));
  EXPECT_EQ(suffixes_of("image"), (Suffixes{"jpg", "jpeg", "png", "webp"}));
  EXPECT_EQ(suffixes_of("seg.png"), (Suffixes{"seg.png"}));
  EXPECT_EQ(error_with(with_stream({.name = "x", .alias = "jpg+"})),
            "stream \"x\": \"jpg+\" names no suffix");
}

TEST(WebdatasetOptions, AnAliasMayBeTheStreamNameOfASuffix) {
  const EntryStream stream =
      read_options_of(with_stream({.name = "x", .alias = "a_b.png"})).declared[0];
  EXPECT_TRUE(takes(stream, "a.b.png"));
  EXPECT_TRUE(takes(stream, "a_b.png"));
  EXPECT_FALSE(takes(stream, "a.b_png"));
  EXPECT_FALSE(takes(stream, "a.b.pn"));
  EXPECT_FALSE(takes(stream, "a.b.pngs"));
}

TEST(WebdatasetOptions, TheStreamDeterminesTheContent) {
  const EntryStream bytes = read_options_of(with_stream({.name = "txt"})).declared[0];
  EXPECT_EQ(bytes.content, StreamContent::bytes);
  EXPECT_EQ(bytes.stream.sample_shape, Shape{Shape::kVariable});
  const EntryStream ids = read_options_of(with_stream({.name = "cls"})).declared[0];
  EXPECT_EQ(ids.content, StreamContent::ids);
  EXPECT_EQ(ids.stream.element_type, ElementType::i32);
  EXPECT_EQ(read_options_of(with_stream({.name = "cls", .dtype = ElementType::bytes}))
                .declared[0]
                .content,
            StreamContent::bytes);
  const EntryStream one_hot = read_options_of(with_stream({.name = "label",
                                                           .alias = "cls",
                                                           .storage = Storage::sparse,
                                                           .sample_shape = Shape{7}}))
                                  .declared[0];
  EXPECT_EQ(one_hot.content, StreamContent::one_hot);
  EXPECT_EQ(one_hot.class_count, 7);
}

TEST(WebdatasetOptions, UnsupportedStreamsAreRefused) {
  EXPECT_NE(error_with(with_stream({.name = "cls", .storage = Storage::sparse}))
                .find("needs its number of classes"),
            std::string::npos);
  EXPECT_NE(error_with(with_stream({.name = "jpg", .dtype = ElementType::f32})).find("not as f32"),
            std::string::npos);
  EXPECT_NE(error_with(with_stream({.name = "jpg", .sample_shape = Shape{3}})).find("not [3]"),
            std::string::npos);
  FormatOptions options;
  options.extra = {{"webdataset.labels", "one_hot"}};
  EXPECT_NE(error_with(options).find("webdataset.classes=1000"), std::string::npos);
  for (const std::string count : {"0", "-1", "x", "2147483648", ""}) {
    options.extra = {{"webdataset.classes", count}};
    EXPECT_NE(error_with(options).find("webdataset.classes: expected"), std::string::npos) << count;
  }
  options.extra = {{"webdataset.classes", "2147483647"}};
  EXPECT_EQ(error_with(options), "");
  options = with_stream({.name = "jpg"});
  options.streams.push_back({.name = "jpg"});
  EXPECT_EQ(error_with(options), "stream \"jpg\": is declared twice");
  options = with_stream({.name = "jpg"});
  options.extra = {{"webdataset.frames", "true"}};
  EXPECT_NE(error_with(options).find("the alias image"), std::string::npos);
}

TEST(WebdatasetOptions, ImagesFormOneStreamUnlessTheyOccurTogether) {
  const std::vector<std::string> suffixes = {"png", "cls", "jpg", "seg.png"};
  const auto names = [&](bool has_two_images) {
    std::string all;
    for (const EntryStream& each : found_streams(read_options_of({}), suffixes, has_two_images)) {
      all += each.stream.name + " ";
    }
    return all;
  };
  EXPECT_EQ(names(false), "image cls seg_png ");
  EXPECT_EQ(names(true), "png cls jpg seg_png ");
  const std::vector<std::string> same = {"seg.png", "seg_png"};
  EXPECT_NE(error_of([&] {
              static_cast<void>(found_streams(read_options_of({}), same, false));
            }).find("would both be the stream \"seg_png\""),
            std::string::npos);
}

}  // namespace
}  // namespace sheaf::webdataset
