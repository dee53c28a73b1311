#include "sequencer/window_change.h"

#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

constexpr ChunkIndex kA{0};
constexpr ChunkIndex kB{1};
using RangeSet = std::vector<ChunkRange>;

TEST(WindowChange, ASetIsSortedAndUnique) {
  RangeSet ranges{{kB}, {kA, 4, 2}, {kA, 0, 2}, {kB}, {kA, 4, 2}};
  make_set(ranges);
  EXPECT_EQ(ranges, RangeSet({{kA, 0, 2}, {kA, 4, 2}, {kB}}));
}

TEST(WindowChange, DifferencesAreSetsToo) {
  const RangeSet ranges{{kB}, {kA, 4, 2}, {kA, 0, 2}, {kB}};
  EXPECT_EQ(without(ranges, {}), RangeSet({{kA, 0, 2}, {kA, 4, 2}, {kB}}));
  EXPECT_EQ(without(ranges, {{kB}, {kA, 0, 3}}), RangeSet({{kA, 0, 2}, {kA, 4, 2}}));
  EXPECT_EQ(without({}, {{kB}}), RangeSet());
}

TEST(WindowChange, ReturnsEnteringAndLeavingRanges) {
  const WindowChange change =
      change_between({{kB}, {kA, 4, 2}, {kA, 0, 2}}, {{kB, 0, 1}, {kA, 4, 2}, {kA}});
  EXPECT_EQ(change.load, RangeSet({{kA}, {kB, 0, 1}}));
  EXPECT_EQ(change.release, RangeSet({{kA, 0, 2}, {kB}}));
  EXPECT_EQ(change_between({{kA}}, {{kA}}), WindowChange());
}

TEST(WindowChange, TheLastChangeBelongsToItsTwoPlaces) {
  const Place from{.sequence = 3};
  const Place to{.sequence = 5};
  EXPECT_FALSE(LastChange().is_between(Place(), Place())) << "no step yet";
  EXPECT_FALSE(LastChange().is_between({}, Place()));
  const LastChange last{.from = from, .to = to, .change = {}};
  EXPECT_TRUE(last.is_between(from, to));
  EXPECT_FALSE(last.is_between({}, to));
  EXPECT_FALSE(last.is_between(to, to));
  EXPECT_FALSE(last.is_between(from, from));
}

}  // namespace
}  // namespace sheaf::internal
