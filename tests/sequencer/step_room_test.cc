#include "sequencer/step_room.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/sequencer.h"

#include "sequencer/made_up_counts.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kRoom = 100'000 * StepRoom::kBytesPerSequence;

TEST(StepRoom, IsOfItsThreadWhileItLives) {
  EXPECT_NO_THROW(check_step_room(std::numeric_limits<std::int64_t>::max() / 1000));
  {
    const StepRoom room(kRoom);
    EXPECT_NO_THROW(check_step_room(100'000));
    EXPECT_THROW(check_step_room(100'001), ConfigError);
    {
      const StepRoom none(0);
      EXPECT_NO_THROW(check_step_room(100'001));
    }
    EXPECT_THROW(check_step_room(100'001), ConfigError);
    const StepRoom little(1);  // enough to see what so few need
    EXPECT_NO_THROW(check_step_room(StepRoom::kPlannedMin));
    EXPECT_THROW(check_step_room(StepRoom::kPlannedMin + 1), ConfigError);
  }
  EXPECT_NO_THROW(check_step_room(100'001));
}

// Minibatches of all that there is, over sweeps without end.
TEST(StepRoom, NoOrderPlansMoreThanThereIsRoomFor) {
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
      static_cast<void>(make_sequencer(counts, options)->step({}));
      ADD_FAILURE() << static_cast<int>(algorithm);
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("make minibatches smaller"), std::string::npos)
          << error.what();
    }
    options.minibatch_size = 90'000;
    EXPECT_NO_THROW(static_cast<void>(make_sequencer(counts, options)->step({})));
  }
}

}  // namespace
}  // namespace sheaf::internal
