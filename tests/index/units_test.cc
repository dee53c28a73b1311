#include "index/units.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace sheaf::internal {
namespace {

constexpr std::int64_t kFull = kUnitSizeBytes;
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

TEST(UnitCount, IsOneForEachMegabyteBegunButNoMoreThanSequences) {
  struct Case {
    std::int64_t size_bytes;
    std::int64_t sequence_count;
    std::int64_t units;
  };
  const Case cases[] = {
      {0, 5, 1},                                                 // made-up data without bytes
      {0, 0, 1},                                                 // no sequences
      {1, 1'000, 1},                                             //
      {kFull, 1'000, 1},                                         // exactly full
      {kFull + 1, 1'000, 2},                                     //
      {32 * kFull, 1'000, 32},                                   //
      {32 * kFull + 9, 1'000, 33},                               //
      {32 * kFull, 3, 3},                                        // long sequences
      {7 * kFull, 1, 1},                                         //
      {kLargest, kLargest, kLargest / kFull + 1},                // the largest numbers
      {kLargest - kLargest % kFull, kLargest, kLargest / kFull}  //
  };
  for (const Case& c : cases) {
    EXPECT_EQ(unit_count(c.size_bytes, c.sequence_count), c.units) << c.size_bytes;
  }
}

std::vector<std::int64_t> firsts_of(const Units& units) {
  std::vector<std::int64_t> firsts;
  for (std::int64_t unit = 0; unit <= units.count(); ++unit) firsts.push_back(units.first(unit));
  return firsts;
}

TEST(Units, DivideChunks) {
  using Firsts = std::vector<std::int64_t>;
  EXPECT_EQ(firsts_of(Units(0, 1)), Firsts({0, 0}));
  EXPECT_EQ(firsts_of(Units(1, 1)), Firsts({0, 1}));
  EXPECT_EQ(firsts_of(Units(10, 1)), Firsts({0, 10}));
  EXPECT_EQ(firsts_of(Units(10, 3)), Firsts({0, 3, 6, 10}));
  EXPECT_EQ(firsts_of(Units(7, 5)), Firsts({0, 1, 2, 4, 5, 7}));
  EXPECT_EQ(firsts_of(Units(4, 4)), Firsts({0, 1, 2, 3, 4}));
  EXPECT_EQ(firsts_of(Units(ChunkInfo{.size_bytes = 2 * kFull + 1, .sequence_count = 10})),
            Firsts({0, 3, 6, 10}));
}

TEST(Units, HaveNearlyEqualSizes) {
  const bool holds = rc::check([] {
    const auto sequence_count = *rc::gen::inRange<std::int64_t>(1, 3'000);
    const auto count = *rc::gen::inRange<std::int64_t>(1, sequence_count + 1);
    const Units units(sequence_count, count);
    RC_ASSERT(units.first(0) == 0);
    RC_ASSERT(units.first(count) == sequence_count);
    for (std::int64_t unit = 0; unit < count; ++unit) {
      RC_ASSERT(units.first(unit) == unit * sequence_count / count);
      const std::int64_t size = units.first(unit + 1) - units.first(unit);
      const std::int64_t least = sequence_count / count;
      RC_ASSERT(size == least || size == least + 1);
      for (std::int64_t i = units.first(unit); i < units.first(unit + 1); ++i) {
        RC_ASSERT(units.of(i) == unit);
      }
    }
  });
  EXPECT_TRUE(holds);
}

TEST(Units, DoNotOverflow) {
  const std::pair<std::int64_t, std::int64_t> chunks[] = {{kLargest, kLargest},
                                                          {kLargest, kLargest - 1},
                                                          {kLargest, 3},
                                                          {kLargest - 1, std::int64_t{1} << 43}};
  for (const auto& [sequence_count, count] : chunks) {
    const Units units(sequence_count, count);
    EXPECT_EQ(units.first(count), sequence_count);
    EXPECT_EQ(units.of(sequence_count - 1), count - 1);
    for (const std::int64_t unit : {std::int64_t{1}, count / 3, count / 2, count - 1}) {
      EXPECT_EQ(units.of(units.first(unit)), unit);
      EXPECT_EQ(units.of(units.first(unit) - 1), unit - 1);
    }
  }
}

}  // namespace
}  // namespace sheaf::internal
