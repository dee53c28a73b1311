#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "reference/fbank_reference.h"
#include "support/error_of.h"
#include "transform/audio_signal.h"
#include "transform/run_transform.h"

namespace sheaf {
namespace {

using conformance::FbankReferenceOptions;
using Options = std::map<std::string, std::string>;
using testing::error_of;

std::vector<std::vector<double>> mels_of(const TestSequence& audio,
                                         const FbankReferenceOptions& options) {
  std::vector<std::vector<double>> all;
  for (const auto& frame : conformance::reference_frames(channel_of(audio, 0), options)) {
    all.push_back(frame.mels);
  }
  return all;
}

TEST(Fbank, MatchesTheFormula) {
  const TestSequence audio = voice(3000);
  const struct {
    Options options;
    FbankReferenceOptions reference;
  } cases[] = {
      {{}, {}},                                                                    // as Kaldi
      {{{"num_mel_bins", "80"}}, {.bins = 80}},                                    // usual today
      {{{"snip_edges", "false"}, {"high_freq", "-400"}},                           // as lhotse
       {.high = 7600, .snip_edges = false}},                                       //
      {{{"window", "hamming"}}, {.window = "hamming"}},                            //
      {{{"window", "hanning"}}, {.window = "hanning"}},                            //
      {{{"window", "rectangular"}}, {.window = "rectangular"}},                    //
      {{{"window", "blackman"}}, {.window = "blackman"}},                          //
      {{{"preemphasis", "0"}}, {.preemphasis = 0}},                                //
      {{{"remove_dc_offset", "false"}}, {.remove_dc_offset = false}},              //
      {{{"use_power", "false"}}, {.use_power = false}},                            // magnitudes
      {{{"use_log_fbank", "false"}}, {.use_log = false}},                          // no logarithm
      {{{"round_to_power_of_two", "false"}}, {.fft_size = 400}},                   // direct
      {{{"sample_rate", "8000"}, {"frame_length_ms", "20"}, {"low_freq", "100"}},  // telephone
       {.rate = 8000, .size = 160, .shift = 80, .fft_size = 256, .low = 100, .high = 4000}},
      {{{"frame_length_ms", "32"}}, {.size = 512}},  // no padding
      {{{"frame_shift_ms", "40"}}, {.shift = 640}},  // gaps
  };
  for (const auto& each : cases) {
    const std::shared_ptr<const Transform> fbank = make_type("fbank", each.options);
    SCOPED_TRACE(fbank->options());
    expect_frames(run_transform(*fbank, {audio})[0], mels_of(audio, each.reference));
  }
}

TEST(Fbank, PutsTheEnergyFirstOrLast) {
  const TestSequence audio = voice(1000);
  for (const bool is_raw : {true, false}) {
    for (const bool is_last : {true, false}) {
      std::vector<std::vector<double>> expected;
      for (const auto& frame :
           conformance::reference_frames(channel_of(audio, 0), {.raw_energy = is_raw})) {
        std::vector<double>& row = expected.emplace_back(frame.mels);
        row.insert(is_last ? row.end() : row.begin(), frame.energy);
      }
      const auto fbank = make_type("fbank", {{"use_energy", "true"},
                                             {"raw_energy", is_raw ? "true" : "false"},
                                             {"htk_compat", is_last ? "true" : "false"}});
      expect_frames(run_transform(*fbank, {audio})[0], expected);
    }
  }
}

TEST(Fbank, SilenceGivesTheMinimum) {
  const auto fbank = make_type("fbank", {{"use_energy", "true"}});
  const auto least = static_cast<double>(static_cast<float>(std::log(0x1p-23)));
  const TestSequence silence = run_transform(*fbank, {scalars(std::vector<double>(400, 7))})[0];
  EXPECT_EQ(silence.samples, (std::vector<std::vector<double>>{std::vector<double>(24, least)}));
  const auto floored = make_type("fbank", {{"use_energy", "true"}, {"energy_floor", "1"}});
  EXPECT_EQ(run_transform(*floored, {scalars(std::vector<double>(400, 7))})[0].samples[0][0], 0);
}

// A changed bit changes the data that sheaf delivers.
TEST(Fbank, MatchesTheGoldenValues) {
  std::vector<double> signal;
  for (int i = 0; i < 560; ++i) signal.push_back(i * i % 1009 - 504);
  const auto fbank = make_type("fbank", {{"num_mel_bins", "4"}, {"use_energy", "true"}});
  EXPECT_EQ(run_transform(*fbank, {scalars(signal)})[0].samples,
            (std::vector<std::vector<double>>{
                {0x1.1653dp+4, 0x1.04ad9p+4, 0x1.215cf6p+4, 0x1.413912p+4, 0x1.611bf2p+4},
                {0x1.16252cp+4, 0x1.fc45ap+3, 0x1.26ccfep+4, 0x1.47701ap+4, 0x1.60f526p+4}}));
}

TEST(Fbank, ListsItsOptions) {
  EXPECT_EQ(make_type("fbank")->options(),
            "sample_rate=16000,frame_length_ms=25,frame_shift_ms=10,num_mel_bins=23,low_freq=20,"
            "high_freq=0,preemphasis=0.97,window=povey,snip_edges=true,remove_dc_offset=true,"
            "round_to_power_of_two=true,use_energy=false,raw_energy=true,energy_floor=0,"
            "htk_compat=false,dither=0,scale=1,use_power=true,use_log_fbank=true");
}

TEST(Fbank, RefusesInvalidOptions) {
  EXPECT_EQ(error_of<ConfigError>([] {
              make_type("fbank", {{"window", "kaiser"}});
            }),
            "window must be one of povey, hamming, hanning, rectangular, blackman: got \"kaiser\"");
  EXPECT_EQ(error_of<ConfigError>([] {
              make_type("fbank", {{"num_mel_bins", "0"}});
            }),
            "num_mel_bins must be a whole number from 1 to 4096: got \"0\"");
  EXPECT_NE(error_of<ConfigError>([] {
              make_type("fbank", {{"num_ceps", "13"}});
            }).find("there is no option \"num_ceps\""),
            std::string::npos);
}

}  // namespace
}  // namespace sheaf
