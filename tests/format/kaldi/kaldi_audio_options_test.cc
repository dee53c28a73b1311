#include "format/kaldi/kaldi_audio_options.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"

namespace sheaf::kaldi {
namespace {

AudioOptions checked(const FormatOptions& options) {
  return audio_options_of(options, read_options_of(options, "data/wav.scp", false));
}

std::string audio_refusal(const FormatOptions& options) {
  return sheaf::testing::error_of<ConfigError>([&] { static_cast<void>(checked(options)); });
}

TEST(KaldiAudioOptions, ControlHowRecordingsAreRead) {
  FormatOptions options;
  EXPECT_FALSE(has_audio_options(options));
  const AudioOptions plain = checked(options);
  EXPECT_EQ(plain.common.name, "wav");
  EXPECT_EQ(plain.scale, internal::SampleScale::unit);
  EXPECT_FALSE(plain.rate);
  EXPECT_FALSE(plain.channel_count);
  options.extra = {
      {"kaldi.scale", "int16"}, {"kaldi.rate", "8000"}, {"kaldi.segments", "segments"}};
  options.streams = {{.name = "x", .sample_shape = Shape{2}}};
  EXPECT_TRUE(has_audio_options(options));
  const AudioOptions own = checked(options);
  EXPECT_EQ(own.scale, internal::SampleScale::int16);
  EXPECT_EQ(own.rate, 8000);
  EXPECT_EQ(own.channel_count, 2);
  EXPECT_EQ(own.segments_path, "segments");
}

TEST(KaldiAudioOptions, InvalidOptionsAreRefused) {
  const std::pair<const char*, const char*> rates[] = {
      {"0", "a number of samples a second"}, {"4294967296", "4294967295"}, {"16k", "\"16k\""}};
  for (const auto& [rate, message] : rates) {
    FormatOptions options;
    options.extra["kaldi.rate"] = rate;
    EXPECT_NE(audio_refusal(options).find(message), std::string::npos) << rate;
  }
  FormatOptions options;
  options.extra["kaldi.as"] = "frames";
  EXPECT_NE(audio_refusal(options).find("the objects are recordings"), std::string::npos);
  options.extra = {{"kaldi.lengths", "none"}};
  EXPECT_NE(audio_refusal(options).find("their own lengths"), std::string::npos);
  options.extra.clear();
  options.dtype = ElementType::f64;
  EXPECT_NE(audio_refusal(options).find("read as f32, not f64"), std::string::npos);
  options.dtype = {};
  options.streams = {{.name = "x", .storage = Storage::sparse, .sample_shape = Shape{2}}};
  EXPECT_NE(audio_refusal(options).find("dense"), std::string::npos);
}

}  // namespace
}  // namespace sheaf::kaldi
