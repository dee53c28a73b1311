// Contains numbers of numpy 2.4 (Philox) and of xxhash 3.5, copied unchanged.

#include "sheaf/extend/keyed_generator.h"

#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf {
namespace {

std::vector<std::uint64_t> numbers(KeyedGenerator generator, int count) {
  std::vector<std::uint64_t> all;
  for (int i = 0; i < count; ++i) all.push_back(generator.next());
  return all;
}

TEST(KeyedGenerator, GivesTheNumbersOfNumpysPhilox) {
  EXPECT_EQ(
      numbers(KeyedGenerator(KeyedGenerator::Key{1, 2}), 6),
      (std::vector<std::uint64_t>{0x4f2f4313b5536b09, 0x5b617be3219ff32a, 0x097293476f9275cb,
                                  0xf63f3bf4962c3942, 0x04dcc60473aa0f43, 0x6d905c9b986b0028}));
  EXPECT_EQ(
      numbers(KeyedGenerator(KeyedGenerator::Key{0x123456789abcdef0, 0xfedcba9876543210}), 3),
      (std::vector<std::uint64_t>{0x8bc901e53fb86a49, 0x6dbb2b5e6a3a2cdd, 0x19dc5fbadf53af97}));
}

TEST(KeyedGenerator, SkipsAsManyNumbersAsAsked) {
  const KeyedGenerator start(KeyedGenerator::Key{1, 2});
  for (int drawn = 0; drawn < 6; ++drawn) {
    for (int skipped = 0; skipped < 14; ++skipped) {
      KeyedGenerator one(start);
      KeyedGenerator other(start);
      for (int i = 0; i < drawn; ++i) static_cast<void>(one.next());
      for (int i = 0; i < drawn + skipped; ++i) static_cast<void>(other.next());
      one.skip(static_cast<std::uint64_t>(skipped));
      EXPECT_EQ(numbers(one, 9), numbers(other, 9)) << drawn << " " << skipped;
    }
  }
}

// numpy: bits = Philox(key=[1, 2]); bits.advance(2**62 - 1); bits.random_raw(2).
TEST(KeyedGenerator, SkipsToTheNumbersOfNumpysAdvance) {
  KeyedGenerator generator(KeyedGenerator::Key{1, 2});
  generator.skip(UINT64_MAX - 3);
  EXPECT_EQ(numbers(generator, 2),
            (std::vector<std::uint64_t>{0xa5aa2ae29a292dee, 0x507ad7e72d098719}));
}

TEST(KeyedGenerator, GivesTheFractionsOfNumpysGenerator) {
  KeyedGenerator generator(KeyedGenerator::Key{1, 2});
  EXPECT_EQ(generator.uniform(), 0.30931491118583454);
  EXPECT_EQ(generator.uniform(), 0.3569562367935075);
  EXPECT_EQ(generator.uniform(), 0.036904530468356844);
}

TEST(KeyedGenerator, HashesNamesWithXxh3) {
  EXPECT_EQ(KeyedGenerator::key_of({.seed = 7, .sweep = 3, .key = {42, 0}, .transform = "clip"}),
            (KeyedGenerator::Key{0xb39bc22218b8d496, 0xc0907f3b47b3d750}));
  EXPECT_EQ(KeyedGenerator::key_of({.seed = 7, .sweep = 3, .key = {42, 0}, .transform = ""}),
            (KeyedGenerator::Key{0xd89c2622312bf113, 0xeab1b410081fa6b9}));
  EXPECT_EQ(
      KeyedGenerator::key_of(
          {.seed = UINT64_MAX, .sweep = INT64_MAX, .key = {5, 9}, .transform = "spec_augment"}),
      (KeyedGenerator::Key{0x25209885a6a3dc96, 0x26702457038b0510}));
}

TEST(KeyedGenerator, DrawsEachNumberBelowABoundEquallyOften) {
  KeyedGenerator generator(KeyedGenerator::Key{3, 4});
  std::array<int, 7> counts{};
  constexpr int kDraws = 70'000;
  for (int i = 0; i < kDraws; ++i) {
    const std::int64_t drawn = generator.below(7);
    ASSERT_GE(drawn, 0);
    ASSERT_LT(drawn, 7);
    ++counts[static_cast<std::size_t>(drawn)];
  }
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);  // five standard deviations
}

TEST(KeyedGenerator, AcceptsExtremeBounds) {
  KeyedGenerator generator(KeyedGenerator::Key{3, 4});
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(generator.below(1), 0);
    const std::int64_t drawn = generator.below(INT64_MAX);
    EXPECT_GE(drawn, 0);
    EXPECT_LT(drawn, INT64_MAX);
  }
}

}  // namespace
}  // namespace sheaf
