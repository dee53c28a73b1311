#include "transform/mel_bank.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"

namespace sheaf::internal {
namespace {

using testing::error_of;

TEST(MelBank, WeighsEachBinOnTheMelScale) {
  for (const std::int64_t bin_count : {1, 2, 23, 80}) {
    const MelBankOptions options = {.bin_count = bin_count, .high_freq = -400};
    const MelBank bank(options);
    ASSERT_EQ(std::ssize(bank.triangles()), bin_count);
    const double low = 1127 * std::log(1 + 20.0 / 700);
    const double step =
        (1127 * std::log(1 + 7600.0 / 700) - low) / static_cast<double>(bin_count + 1);
    std::size_t at = 0;
    for (std::int64_t b = 0; b < bin_count; ++b) {
      const MelTriangle& triangle = bank.triangles()[static_cast<std::size_t>(b)];
      for (std::int64_t k = 0; k < options.fft_size / 2; ++k) {
        const double mel = 1127 * std::log(1 + 31.25 * static_cast<double>(k) / 700);
        const double distance = (mel - low) / step - static_cast<double>(b);
        const double expected = std::max(0.0, std::min(distance, 2 - distance));
        const bool has = k >= triangle.first && k < triangle.first + triangle.count;
        EXPECT_NEAR(has ? bank.weights()[at++] : 0, expected, 1e-12) << b << " " << k;
      }
    }
    EXPECT_EQ(at, bank.weights().size());
  }
}

TEST(MelBank, RefusesTrianglesWithoutABin) {
  EXPECT_EQ(error_of<ConfigError>([] { MelBank({.bin_count = 128}); }),
            "num_mel_bins=128 is too many: no frequency of a spectrum of 512 samples lies in bin "
            "3");
  EXPECT_EQ(std::ssize(MelBank({.fft_size = 1024, .bin_count = 128}).triangles()), 128);
}

TEST(MelBank, RefusesFrequenciesBeyondHalfTheRate) {
  const auto refusal = [](double low, double high) {
    return error_of<ConfigError>([&] { MelBank({.low_freq = low, .high_freq = high}); });
  };
  const std::string start =
      "low_freq must lie below high_freq, and both from 0 to 8000, half the sample rate: got ";
  EXPECT_EQ(refusal(20, 8001), start + "20 and 8001");
  EXPECT_EQ(refusal(20, -7980), start + "20 and 20");
  EXPECT_EQ(refusal(300, 200), start + "300 and 200");
  EXPECT_EQ(std::ssize(MelBank({.bin_count = 1, .low_freq = 0, .high_freq = 8000}).triangles()), 1);
}

TEST(MelBank, MatchesTheMelScale) {
  EXPECT_EQ(mel_of(0), 0);
  EXPECT_NEAR(mel_of(1000), 999.98, 0.02);
}

}  // namespace
}  // namespace sheaf::internal
