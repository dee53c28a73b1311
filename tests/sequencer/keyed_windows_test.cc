#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/extend/sequencer.h"

#include "sequencer/keyed_laws.h"
#include "sequencer/window_law.h"
#include "support/order_steps.h"

namespace sheaf {
namespace {

// A window that never moves holds all data, regardless of how the data are read.
RC_GTEST_PROP(KeyedWindows, AWindowOfAllDataGivesOneOrderForAnyUnits, ()) {
  const testing::Sizes sizes = testing::made_up_keyed_sizes();
  OrderOptions options = testing::made_up_keyed();
  options.window_chunks = *testing::any_of<std::int64_t>(1, 9);
  const auto whole = std::make_shared<testing::MadeUpCounts>(sizes);
  whole->parts_are_read = false;
  const std::vector<testing::WalkedStep> steps =
      testing::walk(*make_sequencer(whole, options), {}, testing::kKeyedStepsMax);
  options.window_chunks = std::ssize(sizes);
  const std::vector<testing::WalkedStep> expected =
      testing::walk(*testing::keyed_sequencer(sizes, options), {}, testing::kKeyedStepsMax);
  RC_ASSERT(steps.size() == expected.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    RC_ASSERT(testing::is_same(steps[i], expected[i]));
  }
}

TEST(KeyedWindows, UndividedChunksEnterAMovingWindowWhole) {
  struct Case {
    std::int64_t chunk_count;
    std::int64_t window;
    bool moves;
  };
  // A lap has at least 32 units. Here, units are chunks.
  for (const Case& each : {Case{63, 10, false}, Case{64, 10, true}, Case{64, 63, true},
                           Case{64, 64, false}, Case{200, 50, true}}) {
    const testing::Sizes sizes(static_cast<std::size_t>(each.chunk_count),
                               std::vector<std::int64_t>(20, 1));
    const auto counts = std::make_shared<testing::MadeUpCounts>(sizes);
    counts->parts_are_read = false;
    const OrderOptions options{
        .minibatch_size = 16, .algorithm = OrderAlgorithm::keyed, .window_chunks = each.window};
    const auto sequencer = make_sequencer(counts, options);
    std::set<SequenceRef, decltype([](const SequenceRef& a, const SequenceRef& b) {
               return std::pair(static_cast<std::int64_t>(a.chunk), a.sequence) <
                      std::pair(static_cast<std::int64_t>(b.chunk), b.sequence);
             })>
        delivered;
    std::vector<std::size_t> windows;
    for (const testing::WalkedStep& step : testing::walk(*sequencer, {}, testing::kKeyedStepsMax)) {
      delivered.insert(step.sequences.begin(), step.sequences.end());
      if (!step.ends_sweep) windows.push_back(testing::window_of(*sequencer, step.next).size());
    }
    EXPECT_EQ(std::ssize(delivered), each.chunk_count * 20);
    const auto [least, most] = std::ranges::minmax(windows);
    EXPECT_EQ(most < static_cast<std::size_t>(each.chunk_count), each.moves) << each.chunk_count;
    EXPECT_TRUE(each.moves || least == most);
  }
}

// A delivered sequence is held by an earlier range or by a range of the step. Everything that was
// loaded is released at the end.
RC_GTEST_PROP(KeyedWindows, DeliveredSequencesAreHeld, ()) {
  const testing::Sizes sizes = testing::made_up_keyed_sizes();
  OrderOptions options = testing::made_up_keyed();
  options.epoch_size = {};
  options.sweeps = *testing::any_of<std::int64_t>(1, 3);
  const auto worker_count = *testing::any_of<std::int64_t>(1, 5);
  const auto worker = *testing::any_of<std::int64_t>(0, worker_count);
  testing::assert_held_where_delivered(
      *testing::keyed_sequencer(sizes, options, worker, worker_count));
}

TEST(KeyedWindows, WithOneLapTheNextSweepLoadsNothing) {
  const testing::Sizes sizes(4, std::vector<std::int64_t>(100, 1));
  const OrderOptions options{
      .minibatch_size = 50, .sweeps = 3, .algorithm = OrderAlgorithm::keyed, .window_chunks = 4};
  std::int64_t loaded = 0;
  for (const testing::WalkedStep& step :
       testing::walk(*testing::keyed_sequencer(sizes, options, 1, 2))) {
    for (const ChunkRange& range : step.load) loaded += range.count > 1 ? range.count : 0;
  }
  EXPECT_EQ(loaded, 200);
}

}  // namespace
}  // namespace sheaf
