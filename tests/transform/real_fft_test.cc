#include "transform/real_fft.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/keyed_generator.h"

#include "reference/fbank_reference.h"

namespace sheaf::internal {
namespace {

std::vector<double> noise_of(std::int64_t size) {
  KeyedGenerator generator(KeyedGenerator::Key{static_cast<std::uint64_t>(size), 0});
  std::vector<double> values;
  for (std::int64_t i = 0; i < size; ++i) values.push_back(generator.uniform() - 0.5);
  return values;
}

std::vector<double> power_of(std::vector<double> values) {
  std::vector<double> power(values.size() / 2);
  RealFft(std::ssize(values)).power(values.data(), power.data());
  return power;
}

TEST(RealFft, MatchesTheFormula) {
  // Each power of two, the sizes just below and above, and a frame of 25 ms.
  for (const std::int64_t size : {2,  3,  4,   5,   7,   8,   9,   15,  16,  17,  31,  32,
                                  33, 64, 128, 255, 256, 257, 400, 511, 512, 513, 1024}) {
    const std::vector<double> values = noise_of(size);
    const std::vector<double> power = power_of(values);
    const std::vector<double> magnitudes = conformance::reference_magnitudes(values, size);
    ASSERT_EQ(power.size(), magnitudes.size());
    for (std::size_t k = 0; k < power.size(); ++k) {
      EXPECT_NEAR(power[k], magnitudes[k] * magnitudes[k], 1e-12 * static_cast<double>(size))
          << size << " " << k;
    }
  }
}

TEST(RealFft, OfACosineIsOneBin) {
  for (const std::int64_t size : {std::int64_t{8}, std::int64_t{1024}, kFftSizeMax}) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < size; ++i) {
      values.push_back(
          std::cos(2 * std::numbers::pi * 3 * static_cast<double>(i) / static_cast<double>(size)));
    }
    const std::vector<double> power = power_of(values);
    const double half = static_cast<double>(size) / 2;
    for (std::size_t k = 0; k < power.size(); ++k) {
      EXPECT_NEAR(power[k] / (half * half), k == 3 ? 1 : 0, 1e-12) << size << " " << k;
    }
  }
}

TEST(RealFft, SupportsTheLargestSizes) {
  EXPECT_EQ(RealFft(kFftSizeMax).tables().size, kFftSizeMax);
  EXPECT_FALSE(RealFft(kDirectFftSizeMax - 1).tables().is_fast);
  EXPECT_TRUE(RealFft(kDirectFftSizeMax).tables().is_fast);
}

}  // namespace
}  // namespace sheaf::internal
