#include "format/wav/wav_options.h"

#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"

namespace sheaf::wav {
namespace {

using testing::error_of;

std::string refused(const FormatOptions& options) {
  return error_of([&] { static_cast<void>(read_options_of(options)); });
}

TEST(WavOptions, HaveDefaults) {
  const ReadOptions options = read_options_of({});
  EXPECT_EQ(options.stream.name, "audio");
  EXPECT_EQ(options.stream.element_type, ElementType::f32);
  EXPECT_FALSE(options.channel_count);
  EXPECT_FALSE(options.rate);
  EXPECT_EQ(options.key_part, KeyPart::stem);
  EXPECT_EQ(options.scale, internal::SampleScale::unit);
  EXPECT_TRUE(options.has_text_keys);
}

TEST(WavOptions, ARateIsANumberOf32Bits) {
  const auto rate = [](const std::string& text) {
    return read_options_of({.extra = {{"wav.rate", text}}}).rate;
  };
  EXPECT_EQ(rate("1"), 1);
  EXPECT_EQ(rate("4294967295"), 4294967295);
  for (const std::string text : {"0", "4294967296", "-1", "16k", "", "16000 "}) {
    EXPECT_EQ(refused({.extra = {{"wav.rate", text}}}),
              "wav.rate: expected a number of samples a second from 1 to 4294967295, found \"" +
                  text + "\"");
  }
}

TEST(WavOptions, UnsupportedStreamsAreRefused) {
  const auto stream = [](StreamOptions declared) {
    FormatOptions options;
    options.streams = {std::move(declared)};
    return refused(options);
  };
  EXPECT_EQ(stream({.name = "x", .alias = "y"}),
            "stream \"x\": the stream of WAV files has no name in the files, so there is no alias "
            "\"y\"");
  EXPECT_EQ(stream({.name = "x", .storage = Storage::sparse}),
            "stream \"x\": samples of WAV files are dense");
  EXPECT_EQ(stream({.name = "x", .dtype = ElementType::f64}),
            "stream \"x\": samples of WAV files are read as f32, not f64; the transform cast gives "
            "other types");
  EXPECT_EQ(stream({.name = "x", .sample_shape = Shape{Shape::kVariable}}),
            "stream \"x\": a sample of a WAV file has a value for each channel, as in the shape "
            "[2]; the shape [*] is not fixed");
  FormatOptions two;
  two.streams = {{.name = "x"}, {.name = "y"}};
  EXPECT_EQ(refused(two), "streams: WAV files have one stream, not 2; join data for more");
  EXPECT_EQ(refused({.compatibility = Compatibility::cntk}),
            "compatibility: CNTK has no reader of WAV files to be compatible with");
  EXPECT_EQ(refused({.skip_sequence_ids = true}),
            "skip_sequence_ids: the key of a WAV file is in its path");
  EXPECT_EQ(refused({.chunk_size_bytes = 0}), "chunk_size_bytes must be positive");
  EXPECT_EQ(refused({.read_size_bytes = 0}), "read_size_bytes must be positive");
}

TEST(WavOptions, AKeyIsAPartOfThePath) {
  struct Case {
    std::string_view path;
    std::string_view stem;
    std::string_view name;
  };
  const Case cases[] = {
      {"a.wav", "a", "a.wav"},            // no folder
      {"d/e/a.b.wav", "a.b", "a.b.wav"},  // the last dot
      {"d.e/a", "a", "a"},                // no extension
      {"d/a.wav.gz", "a", "a.wav.gz"},    // compressed
      {"d.tar/x/a.wav", "a", "a.wav"},    // an entry of an archive
      {"d\\a.wav", "a", "a.wav"},         // the other slash
  };
  for (const Case& each : cases) {
    EXPECT_EQ(key_of_path(each.path, KeyPart::stem), each.stem) << each.path;
    EXPECT_EQ(key_of_path(each.path, KeyPart::name), each.name) << each.path;
    EXPECT_EQ(key_of_path(each.path, KeyPart::path), each.path);
  }
}

TEST(WavOptions, ExtensionsIdentifyRecordingsOfLibsndfile) {
  for (const char* const path : {"a.flac", "b/a.FLAC", "a.x.ogg", "a.oga", "a.opus", "a.mp3",
                                 "a.sph", ".mp3", "a.flac.gz"}) {
    EXPECT_TRUE(is_sound_path(path)) << path;
  }
  for (const char* const path : {"a.wav", "flac", "a.flac/b", "a.flacs", "a.fla", "a.", ""}) {
    EXPECT_FALSE(is_sound_path(path)) << path;
  }
}

}  // namespace
}  // namespace sheaf::wav
