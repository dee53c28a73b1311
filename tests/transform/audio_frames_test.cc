#include "transform/audio_frames.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reference/fbank_reference.h"

namespace sheaf::internal {
namespace {

TEST(FrameGrid, FrameCountsMatchKaldi) {
  const FrameGrid snipped = {.size = 400, .shift = 160};
  const FrameGrid mirrored_ends = {.size = 400, .shift = 160, .snip_edges = false};
  const struct {
    std::int64_t samples;
    std::int64_t snipped;
    std::int64_t mirrored_ends;
  } cases[] = {
      {0, 0, 0},             // no samples
      {1, 0, 0},             // less than half a shift
      {79, 0, 0},            // one below half a shift
      {80, 0, 1},            // half a shift
      {239, 0, 1},           // one below 1.5 shifts
      {240, 0, 2},           // 1.5 shifts
      {399, 0, 2},           // one below a frame
      {400, 1, 3},           // a frame
      {401, 1, 3},           // one above
      {559, 1, 3},           // one below a frame and a shift
      {560, 2, 4},           // a frame and a shift
      {256'640, 1602, 1604}  // 16.04 seconds
  };
  for (const auto& each : cases) {
    EXPECT_EQ(snipped.frame_count(each.samples), each.snipped) << each.samples;
    EXPECT_EQ(mirrored_ends.frame_count(each.samples), each.mirrored_ends) << each.samples;
  }
}

TEST(FrameGrid, CountsNeverFallAndNeverOverflow) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const bool snip : {false, true}) {
    const FrameGrid grid = {.size = 2, .shift = 1, .snip_edges = snip};
    EXPECT_EQ(grid.frame_count(kMost), snip ? kMost - 1 : kMost);
    EXPECT_EQ(grid.frame_count(kMost - 1), snip ? kMost - 2 : kMost - 1);
    const FrameGrid wide = {.size = kFrameSizeMax, .shift = kFrameSizeMax, .snip_edges = snip};
    EXPECT_EQ(wide.frame_count(kMost), kMost / kFrameSizeMax + (snip ? 0 : 1));
  }
}

TEST(FrameGrid, GivesExactlyTheSamplesThatFramesNeed) {
  for (const bool snip : {false, true}) {
    for (const std::int64_t size : {2, 3, 7, 8}) {
      for (const std::int64_t shift : {1, 2, 5, 11}) {
        const FrameGrid grid = {.size = size, .shift = shift, .snip_edges = snip};
        for (std::int64_t samples = 1; samples < 30; ++samples) {
          const std::int64_t count = grid.frame_count(samples);
          for (std::int64_t first = 0; first < count; ++first) {
            for (std::int64_t end = first + 1; end <= count; ++end) {
              std::int64_t least = samples;
              std::int64_t most = -1;
              for (std::int64_t f = first; f < end; ++f) {
                for (std::int64_t i = 0; i < size; ++i) {
                  const std::int64_t at = mirrored(grid.first_sample(f) + i, samples);
                  least = std::min(least, at);
                  most = std::max(most, at);
                }
              }
              const SampleRange range = grid.samples_of({first, end - first}, samples);
              EXPECT_LE(range.first, least) << size << shift << samples;
              EXPECT_GE(range.first + range.count, most + 1) << size << shift << samples;
              EXPECT_GE(range.first, 0);
              EXPECT_LE(range.first + range.count, samples);
              if (!snip || shift > size) continue;
              EXPECT_EQ(range, (SampleRange{least, most + 1 - least}));
            }
          }
        }
      }
    }
  }
}

TEST(FrameGrid, MirrorsAsOftenAsNeeded) {
  for (std::int64_t samples = 1; samples < 6; ++samples) {
    for (std::int64_t index = -40; index < 40; ++index) {
      std::int64_t expected = index;
      while (expected < 0 || expected >= samples) {
        expected = expected < 0 ? -expected - 1 : 2 * samples - 1 - expected;
      }
      EXPECT_EQ(mirrored(index, samples), expected) << samples << " " << index;
    }
  }
}

TEST(FrameWindow, MatchesKaldi) {
  for (std::size_t kind = 0; kind < kWindowNames.size(); ++kind) {
    for (const std::int64_t size : {2, 3, 4, 400, 401}) {
      const std::vector<double> factors = window_factors(static_cast<WindowKind>(kind), size);
      ASSERT_EQ(std::ssize(factors), size);
      for (std::int64_t i = 0; i < size; ++i) {
        const double expected =
            conformance::reference_window(std::string(kWindowNames[kind]),
                                          static_cast<double>(i) / static_cast<double>(size - 1));
        EXPECT_NEAR(factors[static_cast<std::size_t>(i)], expected, 1e-14)
            << kWindowNames[kind] << " " << size << " " << i;
      }
    }
  }
}

TEST(SampleNoise, DependsOnlyOnTheSample) {
  const KeyedGenerator generator(KeyedGenerator::Key{5, 6});
  SampleNoise forwards(generator);
  std::vector<double> values;
  for (std::int64_t i = 0; i < 50; ++i) values.push_back(forwards.at(i));
  SampleNoise backwards(generator);
  for (std::int64_t i = 50; i-- > 0;) {
    EXPECT_EQ(backwards.at(i), values[static_cast<std::size_t>(i)]) << i;
  }
  EXPECT_TRUE(std::isfinite(backwards.at(std::int64_t{1} << 60)));
}

TEST(SampleNoise, IsStandardNormal) {
  SampleNoise noise(KeyedGenerator(KeyedGenerator::Key{7, 8}));
  constexpr int kCount = 200'000;
  double sum = 0;
  double squares = 0;
  double fourths = 0;
  int beyond_2 = 0;
  for (int i = 0; i < kCount; ++i) {
    const double value = noise.at(i);
    sum += value;
    squares += value * value;
    fourths += value * value * value * value;
    beyond_2 += std::abs(value) > 2 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.01);
  EXPECT_NEAR(squares / kCount, 1, 0.015);
  EXPECT_NEAR(fourths / kCount, 3, 0.12);
  EXPECT_NEAR(static_cast<double>(beyond_2) / kCount, 0.0455, 0.002);
}

}  // namespace
}  // namespace sheaf::internal
