#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/sequencer.h"

#include "sequencer/made_up_counts.h"

namespace sheaf {
namespace {

constexpr std::int64_t kRoom = 100'000 * StepRoom::kBytesPerSequence;

TEST(StepRoom, FollowsTheMemoryLimit) {
  EXPECT_NO_THROW(StepRoom().check(std::numeric_limits<std::int64_t>::max() / 1000));
  EXPECT_NO_THROW(StepRoom(0).check(100'001));
  const StepRoom room(kRoom);
  EXPECT_EQ(room.left(99'999), 1);
  EXPECT_NO_THROW(room.check(100'000));
  EXPECT_THROW(room.check(100'001), ConfigError);
  const StepRoom little(1);  // a small room still fits kPlannedMin
  EXPECT_NO_THROW(little.check(StepRoom::kPlannedMin));
  EXPECT_THROW(little.check(StepRoom::kPlannedMin + 1), ConfigError);
}

// Each minibatch takes all data, in sweeps without end.
TEST(StepRoom, OrdersPlanOnlyWithinTheRoom) {
  const auto counts = std::make_shared<const testing::MadeUpCounts>(
      testing::Sizes(20, std::vector<std::int64_t>(10'000, 1)));
  for (const OrderAlgorithm algorithm :
       {OrderAlgorithm::file, OrderAlgorithm::cntk, OrderAlgorithm::keyed}) {
    OrderOptions options;
    options.algorithm = algorithm;
    options.minibatch_size = std::numeric_limits<std::int64_t>::max();
    options.sweeps = {};
    if (algorithm != OrderAlgorithm::file) options.window_chunks = 4;
    const StepRoom room(kRoom);
    try {
      static_cast<void>(testing::step_of(*make_sequencer(counts, options), {}, room));
      ADD_FAILURE() << static_cast<int>(algorithm);
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("make minibatches smaller"), std::string::npos)
          << error.what();
    }
    options.minibatch_size = 90'000;
    EXPECT_NO_THROW(
        static_cast<void>(testing::step_of(*make_sequencer(counts, options), {}, room)));
  }
}

}  // namespace
}  // namespace sheaf
