#include "format/htk/htk_options.h"

#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"

namespace sheaf::htk {
namespace {

using sheaf::testing::error_of;

FormatOptions with(const std::string& name, const std::string& value) {
  FormatOptions options;
  options.extra[name] = value;
  return options;
}

std::string refused(const FormatOptions& options) {
  return error_of<ConfigError>(
      [&] { static_cast<void>(read_options_of(options, "data/feats.scp")); });
}

TEST(HtkOptions, AnUndeclaredStreamIsNamedAfterTheList) {
  EXPECT_EQ(stem_of("a/feats.scp"), "feats");
  EXPECT_EQ(stem_of("feats"), "feats");
  EXPECT_EQ(stem_of("a\\b.c.scp.gz"), "b.c");
  EXPECT_EQ(stem_of(".scp"), ".scp");
  EXPECT_EQ(stem_of("a/"), "features");
  const ReadOptions options = read_options_of({}, "a/feats.scp");
  EXPECT_EQ(options.stream.name, "feats");
  EXPECT_FALSE(options.dim);
  EXPECT_EQ(options.chunk_size_bytes, 0) << "chunks by frames";
}

TEST(HtkOptions, APrefixIsAFolder) {
  const auto prefix = [](const std::string& given) {
    return read_options_of(with("htk.prefix", given), "a.scp").prefix;
  };
  EXPECT_EQ(prefix(""), "");
  EXPECT_EQ(prefix("//"), "");
  EXPECT_EQ(prefix("a\\b"), "a/b/");
  EXPECT_EQ(prefix("/a/b//"), "/a/b/");
}

TEST(HtkOptions, FramesAreCountedOrUnlimited) {
  EXPECT_EQ(read_options_of(with("htk.max_frames", "7"), "a.scp").frames_max, 7);
  EXPECT_FALSE(read_options_of(with("htk.max_frames", "unlimited"), "a.scp").frames_max);
  for (const char* const wrong : {"0", "-1", "", "7 ", "7x", "99999999999999999999"}) {
    EXPECT_EQ(refused(with("htk.max_frames", wrong)),
              "htk.max_frames: expected unlimited or a number from 1 on, found \"" +
                  std::string(wrong) + "\"");
  }
}

TEST(HtkOptions, OneDenseStreamUnlessLabelsAreOneHot) {
  FormatOptions options;
  options.streams = {{.name = "x"}, {.name = "y"}};
  EXPECT_EQ(refused(options),
            "streams: a list of HTK files has one stream, not 2; join lists for more");
  options.streams = {{.name = "x", .storage = Storage::sparse, .sample_shape = Shape{3}}};
  EXPECT_EQ(refused(options),
            "stream \"x\": HTK files hold dense frames; htk.as=one_hot makes sparse samples of "
            "labels");
  options.extra["htk.as"] = "one_hot";
  EXPECT_EQ(read_options_of(options, "a.scp").dim, 1);
  options.streams.front().sample_shape.reset();
  EXPECT_EQ(refused(options),
            "stream \"x\": htk.as=one_hot needs the number of labels as the dim of the stream");
  options.streams.front().storage = Storage::dense;
  EXPECT_EQ(
      refused(options),
      "stream \"x\": htk.as=one_hot makes sparse samples: declare the stream sparse, with its "
      "dim");
}

TEST(HtkOptions, TypesThatCannotHoldTheValuesAreRefused) {
  FormatOptions options = with("htk.as", "ids");
  EXPECT_EQ(read_options_of(options, "a.scp").stream.element_type, ElementType::i32);
  options.streams = {{.name = "x", .dtype = ElementType::f32}};
  EXPECT_EQ(refused(options), "stream \"x\": label ids cannot be read as f32; i32 can");
  options = {};
  options.streams = {{.name = "x", .dtype = ElementType::i64}};
  EXPECT_EQ(refused(options),
            "stream \"x\": frames of HTK files cannot be read as i64; f32 and f64 can");
  options.streams = {{.name = "x", .alias = "y"}};
  EXPECT_EQ(refused(options),
            "stream \"x\": streams of HTK files have no names, so there is no alias \"y\"");
}

}  // namespace
}  // namespace sheaf::htk
