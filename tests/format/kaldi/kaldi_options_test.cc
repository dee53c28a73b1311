#include "format/kaldi/kaldi_options.h"

#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"

namespace sheaf::kaldi {
namespace {

using sheaf::testing::error_of;

TEST(KaldiOptions, StreamsAreNamedAfterFiles) {
  struct Case {
    const char* path;
    bool is_one_of_several;
    const char* name;
  };
  const Case cases[] = {
      {"data/feats.scp", false, "feats"},       //
      {"feats.ark.gz", false, "feats"},         //
      {"raw_mfcc.3.ark", false, "raw_mfcc.3"},  //
      {"raw_mfcc.3.ark", true, "raw_mfcc"},     //
      {"exp/ali.1.gz", true, "ali"},            //
      {"feats12.scp", true, "feats"},           //
      {"feats_12.scp", true, "feats"},          //
      {"12.ark", true, "12"},                   // at least a name must be left
      {"", false, "features"},                  //
  };
  for (const Case& c : cases)
    EXPECT_EQ(stream_name_of(c.path, c.is_one_of_several), c.name) << c.path;
}

std::string refusal(const FormatOptions& options) {
  return error_of<ConfigError>(
      [&] { static_cast<void>(read_options_of(options, "x.ark", false)); });
}

TEST(KaldiOptions, InvalidDeclarationsAreRefused) {
  struct Case {
    const char* as;
    StreamOptions stream;
    const char* message;
  };
  const Case cases[] = {
      {"one_hot", {.name = "x"}, "declare the stream sparse"},
      {"one_hot", {.name = "x", .storage = Storage::sparse}, "needs the number of classes"},
      {"posteriors", {.name = "x", .storage = Storage::sparse}, "needs the number of classes"},
      {"pairs", {.name = "x", .storage = Storage::sparse}, "declare the stream dense"},
      {"pairs", {.name = "x", .sample_shape = Shape{3}}, "samples of shape [2], not [3]"},
      {"frames", {.name = "x", .sample_shape = Shape{3}}, "samples of shape [1], not [3]"},
      {"frames", {.name = "x", .dtype = ElementType::i32}, "cannot give i32; f32 and f64 can"},
      {"lists", {.name = "x", .dtype = ElementType::f32}, "cannot give f32; i32 can"},
      {"values", {.name = "x", .sample_shape = Shape{Shape::kVariable}}, "one fixed shape"},
      {"values", {.name = "x", .alias = "y"}, "no alias"},
      {"values", {.name = "x", .dtype = ElementType::bytes}, "f32, f64 and i32 can"},
  };
  for (const Case& c : cases) {
    FormatOptions options;
    options.extra["kaldi.as"] = c.as;
    options.streams = {c.stream};
    const std::string error = refusal(options);
    EXPECT_NE(error.find(c.message), std::string::npos) << c.as << ": " << error;
  }
}

TEST(KaldiOptions, OptionsOfOtherFormatsAreRefused) {
  FormatOptions options;
  options.streams.resize(2);
  EXPECT_NE(refusal(options).find("one stream"), std::string::npos);
  options.streams.clear();
  options.skip_sequence_ids = true;
  EXPECT_NE(refusal(options).find("skip_sequence_ids"), std::string::npos);
  options.skip_sequence_ids = false;
  options.compatibility = Compatibility::cntk;
  EXPECT_NE(refusal(options).find("compatibility"), std::string::npos);
  options.compatibility = Compatibility::strict;
  options.extra["kaldi.as"] = "other";
  EXPECT_NE(refusal(options).find("kaldi.as"), std::string::npos);
}

TEST(KaldiOptions, KindsDetermineTypesAndShapes) {
  FormatOptions options;
  options.extra["kaldi.as"] = "pairs";
  const ReadOptions pairs = read_options_of(options, "x.ark", false);
  EXPECT_EQ(pairs.type, ElementType::i32);
  EXPECT_EQ(pairs.shape, Shape{2});
  options.extra["kaldi.as"] = "scalars";
  options.dtype = ElementType::f64;
  EXPECT_EQ(read_options_of(options, "x.ark", false).type, ElementType::f64);
  options.extra.clear();
  options.dtype.reset();
  EXPECT_FALSE(read_options_of(options, "x.ark", false).type) << "the data tell";
}

}  // namespace
}  // namespace sheaf::kaldi
