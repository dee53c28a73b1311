// Tests common to fbank and mfcc. fbank_test.cc and mfcc_test.cc test their numbers.

#include "transform/audio_features.h"

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "base/each_simd_level.h"
#include "support/error_of.h"
#include "transform/audio_signal.h"
#include "transform/run_transform.h"

namespace sheaf {
namespace {

using internal::EachSimdLevel;
using testing::error_of;
using Options = std::map<std::string, std::string>;

// Returns options for frames of 8 samples, 5 samples apart.
Options small_frames(Options more = {}) {
  more.insert({{"sample_rate", "1000"},
               {"frame_length_ms", "8"},
               {"frame_shift_ms", "5"},
               {"num_mel_bins", "2"}});
  return more;
}

TEST(AudioFeatures, SlicesEqualPartsOfTheWhole) {
  for (const std::string snip : {"true", "false"}) {
    for (const std::string dither : {"0", "0.5"}) {
      const auto fbank =
          make_type("fbank", small_frames({{"snip_edges", snip}, {"dither", dither}}));
      for (const std::int64_t count : {7, 8, 9, 12, 13, 14, 90}) {
        if (fbank->sample_count(count) > 0) expect_slices(*fbank, {random_values(count, 1)});
      }
      const auto mfcc = make_type(
          "mfcc",
          small_frames(
              {{"snip_edges", snip}, {"dither", dither}, {"num_ceps", "2"}, {"channel", "1"}}));
      expect_slices(*mfcc, {random_values(61, 3, 1, ElementType::f64)});
    }
  }
}

TEST(AudioFeatures, MirrorsSignalsShorterThanAFrame) {
  const auto fbank = make_type("fbank", {{"snip_edges", "false"},
                                         {"sample_rate", "1000"},
                                         {"frame_length_ms", "64"},
                                         {"frame_shift_ms", "2"},
                                         {"num_mel_bins", "2"}});
  for (const std::int64_t count : {1, 2, 3, 5}) {
    const TestSequence audio = random_values(count, 1);
    EXPECT_EQ(std::ssize(run_transform(*fbank, {audio})[0].samples), (count + 1) / 2);
    expect_slices(*fbank, {audio});
  }
}

TEST(AudioFeatures, MakesNoFramesOfASignalThatIsTooShort) {
  const auto fbank = make_type("fbank");
  EXPECT_EQ(fbank->sample_count(0), 0);
  EXPECT_EQ(fbank->sample_count(399), 0);
  EXPECT_EQ(fbank->sample_count(400), 1);
  EXPECT_FALSE(fbank->keeps_counts());
}

class AudioFeaturesAtEachLevel : public EachSimdLevel {};

TEST_P(AudioFeaturesAtEachLevel, MatchesTheBaseline) {
  const TestSequence audio = voice(16'000);
  for (const Options& options :
       {Options{}, Options{{"num_mel_bins", "80"}, {"use_energy", "true"}, {"dither", "1"}},
        Options{{"round_to_power_of_two", "false"}, {"snip_edges", "false"}}}) {
    const auto fbank = make_type("fbank", options);
    const TestSequence found = run_transform(*fbank, {audio})[0];
    const SimdLevel level = simd_level();
    ASSERT_TRUE(set_simd_level(SimdLevel::baseline));
    EXPECT_EQ(run_transform(*fbank, {audio})[0], found);
    ASSERT_TRUE(set_simd_level(level));
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, AudioFeaturesAtEachLevel,
                         ::testing::Values(SimdLevel::avx2, SimdLevel::avx512),
                         [](const auto& level) { return std::string(to_string(level.param)); });

TEST(AudioFeatures, UsesTheGivenChannel) {
  const TestSequence both = voice(800, 2);
  TestSequence second = voice(800, 1);
  for (std::size_t i = 0; i < second.samples.size(); ++i) second.samples[i] = {both.samples[i][1]};
  EXPECT_EQ(run_transform(*make_type("fbank", {{"channel", "1"}}), {both})[0].samples,
            run_transform(*make_type("fbank"), {second})[0].samples);
}

TEST(AudioFeatures, ScalesSamplesFirst) {
  const TestSequence audio = voice(800);
  TestSequence small = audio;
  for (std::vector<double>& sample : small.samples) sample[0] /= 32'768;
  EXPECT_EQ(run_transform(*make_type("fbank", {{"scale", "32768"}}), {small})[0],
            run_transform(*make_type("fbank"), {audio})[0]);
}

TEST(AudioFeatures, DitherDependsOnSeedSweepAndKey) {
  const auto fbank = make_type("fbank", {{"dither", "1"}});
  EXPECT_TRUE(fbank->is_random());
  EXPECT_FALSE(make_type("fbank")->is_random());
  const TestSequence audio = voice(800);
  const TestSequence base = run_transform(*fbank, {audio}, {.seed = 1})[0];
  EXPECT_EQ(run_transform(*fbank, {audio}, {.seed = 1})[0], base);
  EXPECT_NE(run_transform(*fbank, {audio}, {.seed = 2})[0], base);
  EXPECT_NE(run_transform(*fbank, {audio}, {.seed = 1, .sweep = 1})[0], base);
  EXPECT_NE(run_transform(*fbank, {audio}, {.seed = 1, .key = 1})[0], base);
}

TEST(AudioFeatures, RefusesSamplesOutOfRange) {
  const auto fbank = make_type("fbank", small_frames({{"scale", "2"}}));
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity(), 5.1e12, -5.1e12}) {
    TestSequence audio = random_values(20, 1, 0, ElementType::f64);
    audio.samples[9][0] = bad;
    EXPECT_NE(error_of<ConfigError>([&] {
                run_transform(*fbank, {audio});
              }).find("stream \"x\": sample 9 is "),
              std::string::npos)
        << bad;
    // Frame 0 ends before the error.
    EXPECT_EQ(std::ssize(run_transform(*fbank, {audio}, SampleRange{0, 1})[0].samples), 1);
  }
}

TEST(AudioFeatures, HasFiniteValuesForTheLargestSamples) {
  const auto fbank = make_type("fbank", {{"use_log_fbank", "false"},
                                         {"frame_length_ms", "4096"},
                                         {"remove_dc_offset", "false"},
                                         {"preemphasis", "0"},
                                         {"window", "rectangular"},
                                         {"num_mel_bins", "1"},
                                         {"sample_rate", "16000"}});
  std::vector<double> signal;
  for (int i = 0; i < 65'536; ++i) signal.push_back(i % 4 < 2 ? 1e13 : -1e13);
  const TestSequence found = run_transform(*fbank, {scalars(signal)})[0];
  EXPECT_GT(found.samples.at(0).at(0), 1e34);
  EXPECT_TRUE(std::isfinite(found.samples[0][0]));
}

TEST(AudioFeatures, RefusesOtherStreams) {
  const auto refusal = [](const Stream& stream, const Options& options = {}) {
    return error_of<ConfigError>([&] {
      static_cast<void>(make_type("fbank", options)->outputs({&stream, 1}));
    });
  };
  EXPECT_EQ(refusal({.name = "s", .sample_shape = Shape{9}, .storage = Storage::sparse}),
            "stream \"s\" must be dense, with samples of a fixed shape: got sparse f32 [9]");
  EXPECT_EQ(refusal({.name = "i", .element_type = ElementType::i32, .sample_shape = Shape{1}}),
            "stream \"i\" must have values of type f32 or f64: got dense i32 [1]");
  EXPECT_EQ(refusal({.name = "x", .sample_shape = Shape{1, 1}}),
            "stream \"x\" must have one number a sample, or one for each channel: got dense f32 "
            "[1, 1]");
  EXPECT_EQ(refusal({.name = "x", .sample_shape = Shape{2}}),
            "stream \"x\" has 2 channels: channel is needed, from 0 to 1");
  EXPECT_EQ(refusal({.name = "x", .sample_shape = Shape{2}}, {{"channel", "2"}}),
            "stream \"x\": channel must be from 0 to 1: got 2");
  const Stream scalar = {.name = "x", .element_type = ElementType::f64};
  const std::vector<Stream> made = make_type("fbank")->outputs({&scalar, 1});
  EXPECT_EQ(made.at(0).sample_shape, Shape{23});
  EXPECT_EQ(made[0].element_type, ElementType::f32);
}

TEST(AudioFeatures, AcceptsFramesUpToTheLargestSize) {
  const auto refusal = [](const Options& options) {
    return error_of<ConfigError>([&] { make_type("fbank", options); });
  };
  const Options kilohertz = {{"sample_rate", "1000"}, {"num_mel_bins", "1"}};
  const auto with = [&](Options more) {
    more.insert(kilohertz.begin(), kilohertz.end());
    return more;
  };
  EXPECT_EQ(refusal(with({{"frame_length_ms", "1.9"}})),
            "frame_length_ms must make frames of 2 to 65536 samples: got 1");
  EXPECT_EQ(refusal(with({{"frame_length_ms", "65537"}})),
            "frame_length_ms must make frames of 2 to 65536 samples: got 65537");
  EXPECT_EQ(refusal(with({{"frame_shift_ms", "0.9"}})),
            "frame_shift_ms must be from 1 to 65536 samples: got 0");
  EXPECT_EQ(refusal(with({{"frame_shift_ms", "65537"}})),
            "frame_shift_ms must be from 1 to 65536 samples: got 65537");
  EXPECT_EQ(refusal(with({{"frame_length_ms", "4097"}, {"round_to_power_of_two", "false"}})),
            "round_to_power_of_two=false takes frames of at most 4096 samples: got 4097");
  for (const std::string size : {"3", "4096", "65535", "65536"}) {
    const auto fbank = make_type("fbank", with({{"frame_length_ms", size}}));
    EXPECT_EQ(fbank->sample_count(std::stoll(size)), 1);
  }
  EXPECT_EQ(
      make_type("fbank", with({{"frame_length_ms", "4095"}, {"round_to_power_of_two", "false"}}))
          ->sample_count(4095),
      1);
}

}  // namespace
}  // namespace sheaf
