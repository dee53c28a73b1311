// The golden numbers come from CNTK: 32-bit Mersenne Twister, seed 0.

#include "transform/image_draws.h"

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf::internal {
namespace {

constexpr KeyedGenerator::Name kName = {.seed = 7, .sweep = 1, .key = {42, 0}, .transform = "crop"};

TEST(TwisterDraws, RealNumbersMatchCntk) {
  TwisterDraws draws(0);
  EXPECT_NEAR(draws.real(-0.2, 0.2), 0.0195254, 1e-7);
  EXPECT_NEAR(draws.real(-0.2, 0.2), 0.0371378, 1e-7);
  EXPECT_EQ(draws.count(), 2);
}

TEST(TwisterDraws, WholeNumbersMatchCntk) {
  // 2357136044 and 2546248239 are the first outputs for seed 0.
  TwisterDraws draws(0);
  EXPECT_EQ(draws.whole(9), 5);
  EXPECT_EQ(draws.whole(1), 1);
}

TEST(TwisterDraws, DrawsCoinsByTheUpperHalf) {
  TwisterDraws draws(0);
  TwisterDraws same(0);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(draws.coin(), same.real(0, 1) < 0.5);
}

TEST(TwisterDraws, DrawsNothingIfThereIsNoChoice) {
  TwisterDraws draws(3);
  EXPECT_EQ(draws.whole(0), 0);
  EXPECT_EQ(draws.real(0.5, 0.5), 0.5);
  EXPECT_EQ(draws.count(), 0);
}

TEST(TwisterDraws, ResumesAtACount) {
  TwisterDraws whole(5);
  for (int i = 0; i < 1000; ++i) static_cast<void>(whole.whole(1 + i));
  static_cast<void>(whole.normal());
  TwisterDraws later(5, whole.count());
  EXPECT_EQ(later.count(), whole.count());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(later.real(0, 1), whole.real(0, 1));
}

template <typename Draws>
void expect_borders(Draws& draws) {
  std::vector<int> seen(5);
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t value = draws.whole(4);
    ASSERT_TRUE(value >= 0 && value <= 4) << value;
    ++seen[static_cast<std::size_t>(value)];
    const double real = draws.real(-1, 2);
    ASSERT_TRUE(real >= -1 && real < 2) << real;
  }
  for (const int count : seen) EXPECT_TRUE(count > 150 && count < 250) << count;
}

TEST(ImageDraws, StayWithinTheirRange) {
  TwisterDraws ordered(11);
  expect_borders(ordered);
  KeyedImageDraws keyed(kName);
  expect_borders(keyed);
}

TEST(KeyedImageDraws, MatchesItsGenerator) {
  KeyedImageDraws draws(kName);
  KeyedGenerator generator(kName);
  EXPECT_EQ(draws.real(2, 4), 2 + 2 * generator.uniform());
  EXPECT_EQ(draws.whole(9), generator.below(10));
  EXPECT_EQ(draws.coin(), generator.uniform() < 0.5);
}

TEST(ReplayedDraws, ReturnTheRecordedDraws) {
  std::vector<double> numbers;
  TwisterDraws source(9);
  RecordingDraws recording(source, numbers);
  const double real = recording.real(-3, 5);
  const std::int64_t whole = recording.whole(1000);
  const bool coin = recording.coin();
  const float normal = recording.normal();
  std::span<const double> left = numbers;
  ReplayedDraws replayed(left);
  EXPECT_EQ(replayed.real(-3, 5), real);
  EXPECT_EQ(replayed.whole(1000), whole);
  EXPECT_EQ(replayed.coin(), coin);
  EXPECT_EQ(replayed.normal(), normal);
  EXPECT_TRUE(left.empty());
  EXPECT_THROW(static_cast<void>(replayed.coin()), InternalError);
}

}  // namespace
}  // namespace sheaf::internal
