#include "format/audio/audio_options.h"

#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"

namespace sheaf::internal {
namespace {

using testing::error_of;

constexpr FormatOption kRate = {"x.rate", kSampleRateValues, "", true};
constexpr FormatOption kScale = {"x.scale", kSampleScaleValues, ""};

TEST(AudioOptions, TheRateIsGivenOrThatOfTheFirstRecording) {
  EXPECT_EQ(sample_rate_of(kRate, {}), std::nullopt);
  EXPECT_EQ(sample_rate_of(kRate, {{"x.rate", "first"}}), std::nullopt);
  EXPECT_EQ(sample_rate_of(kRate, {{"x.rate", "1"}}), 1);
  EXPECT_EQ(sample_rate_of(kRate, {{"x.rate", "4294967295"}}), 4294967295);
  for (const std::string text : {"", "0", "-1", "8k", " 1", "1.5", "4294967296"}) {
    EXPECT_EQ(error_of<ConfigError>([&] {
                static_cast<void>(sample_rate_of(kRate, {{"x.rate", text}}));
              }),
              "x.rate: expected a number of samples a second from 1 to 4294967295, found \"" +
                  text + "\"");
  }
}

TEST(AudioOptions, TheScaleIsOneOfTwoNames) {
  EXPECT_EQ(sample_scale_of(kScale, {}), SampleScale::unit);
  EXPECT_EQ(sample_scale_of(kScale, {{"x.scale", "int16"}}), SampleScale::int16);
  EXPECT_THROW(static_cast<void>(sample_scale_of(kScale, {{"x.scale", "int32"}})), ConfigError);
}

}  // namespace
}  // namespace sheaf::internal
