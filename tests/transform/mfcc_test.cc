#include <cmath>
#include <numbers>
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

using testing::error_of;

std::vector<std::vector<double>> cepstra_of(const TestSequence& audio, std::int64_t ceps,
                                            double lifter, bool use_energy) {
  std::vector<std::vector<double>> all;
  for (auto& frame :
       conformance::reference_frames(channel_of(audio, 0), {.ceps = ceps, .lifter = lifter})) {
    if (use_energy) frame.ceps[0] = frame.energy;
    all.push_back(frame.ceps);
  }
  return all;
}

TEST(Mfcc, MatchesTheFormula) {
  const TestSequence audio = voice(3000);
  for (const bool use_energy : {true, false}) {
    for (const std::int64_t ceps : {1, 2, 13, 23}) {
      for (const double lifter : {0.0, 22.0, 7.5}) {
        const auto mfcc = make_type("mfcc", {{"use_energy", use_energy ? "true" : "false"},
                                             {"num_ceps", std::to_string(ceps)},
                                             {"cepstral_lifter", std::to_string(lifter)}});
        SCOPED_TRACE(mfcc->options());
        expect_frames(run_transform(*mfcc, {audio})[0],
                      cepstra_of(audio, ceps, lifter, use_energy));
      }
    }
  }
}

TEST(Mfcc, PutsTheFirstCepstrumLastForHtk) {
  const TestSequence audio = voice(1000);
  for (const bool use_energy : {true, false}) {
    std::vector<std::vector<double>> expected = cepstra_of(audio, 13, 22, use_energy);
    for (std::vector<double>& row : expected) {
      row.push_back(row[0] * (use_energy ? 1 : std::numbers::sqrt2));
      row.erase(row.begin());
    }
    const auto mfcc =
        make_type("mfcc", {{"use_energy", use_energy ? "true" : "false"}, {"htk_compat", "true"}});
    expect_frames(run_transform(*mfcc, {audio})[0], expected);
  }
}

// A changed bit changes the data that sheaf delivers.
TEST(Mfcc, MatchesTheGoldenValues) {
  std::vector<double> signal;
  for (int i = 0; i < 560; ++i) signal.push_back(i * i % 1009 - 504);
  const auto mfcc = make_type("mfcc", {{"num_ceps", "4"}});
  EXPECT_EQ(run_transform(*mfcc, {scalars(signal)})[0].samples,
            (std::vector<std::vector<double>>{
                {0x1.1653dp+4, -0x1.30d32cp+5, -0x1.cae4eep+2, -0x1.22dfa8p+4},
                {0x1.16252cp+4, -0x1.2ce78ep+5, -0x1.1e2bb4p+3, -0x1.1ffc98p+3}}));
}

TEST(Mfcc, ListsItsOptions) {
  EXPECT_EQ(make_type("mfcc")->options(),
            "sample_rate=16000,frame_length_ms=25,frame_shift_ms=10,num_mel_bins=23,low_freq=20,"
            "high_freq=0,preemphasis=0.97,window=povey,snip_edges=true,remove_dc_offset=true,"
            "round_to_power_of_two=true,use_energy=true,raw_energy=true,energy_floor=0,"
            "htk_compat=false,dither=0,scale=1,num_ceps=13,cepstral_lifter=22");
}

TEST(Mfcc, RefusesMoreCepstraThanMelBins) {
  EXPECT_EQ(error_of<ConfigError>([] {
              make_type("mfcc", {{"num_ceps", "24"}});
            }),
            "num_ceps must be a whole number from 1 to 23: got \"24\"");
}

}  // namespace
}  // namespace sheaf
