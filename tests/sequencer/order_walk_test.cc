#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/sequencer.h"

#include "support/test_sequencers.h"

namespace sheaf {
namespace {

constexpr ChunkIndex kA{0};
constexpr ChunkIndex kB{1};
using RangeList = std::vector<ChunkRange>;
using testing::WrittenSequencer;

/// Returns steps over two chunks, with a window, a range for one step only, and a chunk that is
/// released.
WrittenSequencer written() {
  return WrittenSequencer({
      {.sequences = {{kA, 0}}, .load = {{kA}}},
      {.sequences = {{kA, 1}, {kB, 2}}, .load = {{kB, 2, 1}}, .release = {{kB, 2, 1}}},
      {.sequences = {{kA, 2}}, .load = {{kB}}, .release = {{kA}}},
      {.sequences = {{kB, 0}}, .release = {{kB}}},
  });
}

TEST(OrderWalk, ReturnsTheLoadsAndReleasesOfEachStep) {
  const WrittenSequencer order = written();
  OrderWalk walk(order);
  const RangeList load[] = {{{kA}}, {{kB, 2, 1}}, {{kB}}, {}};
  const RangeList release[] = {{}, {{kB, 2, 1}}, {{kA}}, {{kB}}};
  for (std::int64_t i = 0; i < 4; ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(walk.place().sequence, i);
    const std::optional<OrderWalk::Next> next = walk.next();
    ASSERT_TRUE(next);
    EXPECT_EQ(next->load, load[i]);
    EXPECT_EQ(next->release, release[i]);
    EXPECT_EQ(next->step.next, walk.place());
  }
  EXPECT_FALSE(walk.next());
  EXPECT_EQ(walk.place().sequence, 4);
}

TEST(OrderWalk, StartsWithTheWindowOfItsPlace) {
  const WrittenSequencer order = written();
  OrderWalk walk(order, {.sequence = 3});
  const std::optional<OrderWalk::Next> next = walk.next();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->load, RangeList({{kB}}));
  EXPECT_EQ(next->release, RangeList({{kB}}));
  EXPECT_FALSE(walk.next());
}

TEST(OrderWalk, ASkippedChunkIsReleasedWithoutBeingLoaded) {
  const WrittenSequencer order({{.sequences = {{kA, 0}}, .release = {{kA}}}});
  OrderWalk walk(order);
  const std::optional<OrderWalk::Next> next = walk.next();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->load, RangeList());
  EXPECT_EQ(next->release, RangeList({{kA}}));
}

/// An order that fails once, at the request for its second step.
class FailsOnce final : public Sequencer {
 public:
  [[nodiscard]] std::string_view algorithm() const noexcept override { return "fails-once"; }
  [[nodiscard]] std::map<std::string, std::string> options() const override { return {}; }
  [[nodiscard]] std::optional<Step> step(const Place& from, OrderCursor& cursor,
                                         const StepRoom& room) const override {
    if (from.sequence == 1 && !has_failed_) {
      has_failed_ = true;
      throw IoError("made-up");
    }
    return order_.step(from, cursor, room);
  }
  [[nodiscard]] WindowChange window_change(const std::optional<Place>& from, const Place& to,
                                           OrderCursor& cursor) const override {
    return order_.window_change(from, to, cursor);
  }

 private:
  WrittenSequencer order_ = written();
  mutable bool has_failed_ = false;
};

TEST(OrderWalk, RetriesAFailedStep) {
  const FailsOnce order;
  OrderWalk walk(order);
  EXPECT_TRUE(walk.next());
  EXPECT_THROW(static_cast<void>(walk.next()), IoError);
  EXPECT_EQ(walk.place().sequence, 1);
  const std::optional<OrderWalk::Next> next = walk.next();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->load, RangeList({{kB, 2, 1}}));
  EXPECT_EQ(next->step.sequences.size(), 2U);
}

}  // namespace
}  // namespace sheaf
