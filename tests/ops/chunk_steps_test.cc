#include "ops/chunk_steps.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/fake_deserializer.h"

namespace sheaf::internal {
namespace {

using testing::FakeData;
using testing::FakeDeserializer;

std::shared_ptr<const Counts> counts_of(std::vector<std::vector<std::int64_t>> lengths) {
  FakeData made;
  made.lengths = std::move(lengths);
  auto data = std::make_shared<const FakeDeserializer>(std::move(made));
  return {data, &data->index()};
}

// Returns the steps as text: "0:0,1 1:0" means a step of two sequences of chunk 0, and one of chunk
// 1.
std::string steps_of(const std::shared_ptr<const Counts>& counts, std::int64_t sample_count_max) {
  const ChunkSteps order(counts, sample_count_max);
  ChunkEnds ends(*counts);
  std::string text;
  OrderWalk walk(order);
  while (const std::optional<OrderWalk::Next> next = walk.next()) {
    if (!text.empty()) text += " ";
    text += std::to_string(static_cast<std::int64_t>(next->step.sequences[0].chunk)) + ":";
    for (const SequenceRef& each : next->step.sequences) {
      EXPECT_EQ(each.chunk, next->step.sequences[0].chunk);
      text += std::to_string(each.sequence);
    }
    const bool is_last = ends.add(std::ssize(next->step.sequences));
    EXPECT_EQ(is_last, !next->step.passed.empty());
    if (is_last) text += "|";
  }
  return text;
}

TEST(ChunkSteps, AStepEndsWithItsChunk) {
  EXPECT_EQ(steps_of(counts_of({{1, 1, 1}, {1}, {1, 1}}), 100), "0:012| 1:0| 2:01|");
  EXPECT_EQ(steps_of(counts_of({{1, 1, 1}, {1}, {1, 1}}), 3), "0:012| 1:0| 2:01|");
  EXPECT_EQ(steps_of(counts_of({{1, 1, 1}, {1}, {1, 1}}), 2), "0:01 0:2| 1:0| 2:01|");
  EXPECT_EQ(steps_of(counts_of({{1, 1, 1}, {1}, {1, 1}}), 1), "0:0 0:1 0:2| 1:0| 2:0 2:1|");
}

TEST(ChunkSteps, TheFirstSequenceAlwaysFits) {
  EXPECT_EQ(steps_of(counts_of({{9, 1, 1, 9}}), 2), "0:0 0:12 0:3|");
  EXPECT_EQ(steps_of(counts_of({{2, 0, 0, 1}}), 2), "0:012 0:3|");
}

TEST(ChunkSteps, AStepDoesNotDependOnTheCursor) {
  const auto counts = counts_of({{1, 2}, {3}, {1, 1, 1}});
  const ChunkSteps order(counts, 2);
  std::vector<Place> places = {{}};
  std::vector<std::vector<SequenceRef>> steps;
  const auto cursor = order.make_cursor();
  while (const std::optional<Step> step = order.step(places.back(), *cursor, {})) {
    steps.push_back(step->sequences);
    places.push_back(step->next);
  }
  ASSERT_EQ(steps.size(), 5U);
  for (std::size_t i = steps.size(); i-- > 0;) {  // backwards, with one cursor and with new cursors
    EXPECT_EQ(order.step(places[i], *cursor, {})->sequences, steps[i]);
    EXPECT_EQ(order.step(places[i], *order.make_cursor(), {})->sequences, steps[i]);
  }
}

TEST(ChunkSteps, EndsAfterOneSweep) {
  const auto counts = counts_of({{1}});
  const ChunkSteps order(counts, 2);
  const std::optional<Step> step = order.step({}, *order.make_cursor(), {});
  EXPECT_TRUE(step->ends_sweep);
  EXPECT_TRUE(step->ends_epoch);
  EXPECT_EQ(step->next, (Place{.epoch = 1, .sweep = 1}));
  EXPECT_FALSE(order.step({.sequence = 1, .sample = 1}, *order.make_cursor(), {}).has_value());
  EXPECT_FALSE(order.step({.sweep = 1}, *order.make_cursor(), {}).has_value());
  OrderCursor other;
  EXPECT_THROW(static_cast<void>(order.step({}, other, {})), InternalError);
}

}  // namespace
}  // namespace sheaf::internal
