/// \file
/// Signals that resemble voices, and the frames that the reference makes of the signals.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/keyed_generator.h"

#include "transform/run_transform.h"

namespace sheaf {

/// Returns a stream "x": harmonics of a gliding voice with noise, in the range of 16 bits.
inline TestSequence voice(std::int64_t sample_count, std::int64_t channel_count = 1,
                          ElementType type = ElementType::f32) {
  TestSequence sequence{
      .stream = {.name = "x", .element_type = type, .sample_shape = Shape{channel_count}}};
  KeyedGenerator generator(KeyedGenerator::Key{static_cast<std::uint64_t>(channel_count), 0});
  for (std::int64_t i = 0; i < sample_count; ++i) {
    std::vector<double>& sample = sequence.samples.emplace_back();
    const double seconds = static_cast<double>(i) / 16'000;
    for (std::int64_t channel = 0; channel < channel_count; ++channel) {
      double value = 400 * (generator.uniform() - 0.5);
      for (int harmonic = 1; harmonic <= 20; ++harmonic) {
        const double turns = harmonic * (110 * seconds + 40 * seconds * seconds);
        value += 3000.0 / harmonic * std::cos(2 * std::numbers::pi * turns);
      }
      sample.push_back(std::round(value));
    }
  }
  return sequence;
}

/// Returns one channel of a sequence.
inline std::vector<double> channel_of(const TestSequence& sequence, std::size_t channel) {
  std::vector<double> values;
  for (const std::vector<double>& sample : sequence.samples) values.push_back(sample[channel]);
  return values;
}

inline void expect_frames(const TestSequence& found,
                          const std::vector<std::vector<double>>& expected) {
  ASSERT_EQ(found.samples.size(), expected.size());
  for (std::size_t t = 0; t < expected.size(); ++t) {
    ASSERT_EQ(found.samples[t].size(), expected[t].size());
    for (std::size_t i = 0; i < expected[t].size(); ++i) {
      // Allows for rounding to f32 once.
      const double tolerance = 1e-6 + 1.2e-7 * std::abs(expected[t][i]);
      EXPECT_NEAR(found.samples[t][i], expected[t][i], tolerance) << t << " " << i;
    }
  }
}

}  // namespace sheaf
