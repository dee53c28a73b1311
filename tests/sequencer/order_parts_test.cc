#include "sequencer/order_parts.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "support/error_of.h"

namespace sheaf::internal {
namespace {

using testing::error_of;

TEST(OrderParts, OptionsOutOfRangeAreRefusedByName) {
  const struct {
    OrderOptions options;
    std::string error;
  } cases[] = {
      {{}, "none"},
      {{.minibatch_size = 0}, "minibatch_size must be at least 1: got 0"},
      {{.sweeps = -1}, "sweeps must be at least 1, or empty (endless): got -1"},
      {{.sweeps = 0}, "sweeps must be at least 1, or empty (endless): got 0"},
      {{.epoch_size = -1}, "epoch_size must be at least 1, or empty (the sweeps say it): got -1"},
      {{.epochs = -1}, "epochs must be at least 1, or empty (endless): got -1"},
      {{.worker_count = 0}, "worker_count must be at least 1: got 0"},
      {{.worker_index = 3, .worker_count = 3},
       "worker_index must be 0 to worker_count - 1, here 2: got 3"},
      {{.worker_index = -1, .worker_count = 3},
       "worker_index must be 0 to worker_count - 1, here 2: got -1"},
  };
  for (const auto& row : cases) {
    EXPECT_EQ(error_of([&] { check_order(row.options); }), row.error);
  }
}

TEST(OrderParts, UnsupportedTruncationIsRefused) {
  const struct {
    OrderOptions options;
    std::string error;
  } cases[] = {
      {{.truncation_length = 10}, "none"},
      {{.truncation_length = -1}, "truncation_length must be at least 1: got -1"},
      {{.split_frames = true, .truncation_length = 3},
       "truncation_length and split_frames exclude each other: a frame cannot be cut; leave one of "
       "them out"},
      {{.unit = MinibatchUnit::sequences, .truncation_length = 3},
       "truncation_length: minibatch_size counts samples where sequences are cut; leave unit out"},
      {{.minibatch_size = 20, .worker_count = 3, .truncation_length = 10},
       "minibatch_size 20 makes 2 slots of truncation_length 10: too few for 3 workers, which need "
       "one each; set a minibatch_size of 30 or more"},
  };
  for (const auto& row : cases) {
    EXPECT_EQ(error_of([&] { check_truncation(row.options); }), row.error);
  }
}

TEST(OrderParts, WorkersShareAMinibatch) {
  std::int64_t sum = 0;
  for (const std::int64_t worker : {0, 1, 2}) {
    const OrderOptions local{.minibatch_size = 20, .worker_index = worker, .worker_count = 3};
    sum += request_of(local).own;
    OrderOptions global = local;
    global.timeline = Timeline::global;
    EXPECT_EQ(request_of(global).all, 20);
    EXPECT_EQ(request_of(global).own, 20);
  }
  EXPECT_EQ(sum, 20);
  EXPECT_EQ(request_of({.minibatch_size = 1, .worker_index = 2, .worker_count = 3}).own, 1);
}

TEST(Epochs, EndAfterSamplesOrSweeps) {
  const Epochs samples({.epoch_size = 90, .epochs = 2});
  EXPECT_EQ(samples.end_in_sweep(0, 0, 61), 90);
  EXPECT_EQ(samples.end_in_sweep(0, 1, 61), 29);
  EXPECT_EQ(samples.end_in_sweep(0, 2, 61), 0);
  EXPECT_EQ(samples.epoch_of(1, 29, 61), 1);
  EXPECT_EQ(samples.epoch_of(1, 28, 61), 0);
  EXPECT_FALSE(samples.is_over(1));
  EXPECT_TRUE(samples.is_over(2));

  const Epochs sweeps({.sweeps = 2});
  EXPECT_EQ(sweeps.end_in_sweep(0, 1, 61), Epochs::kNever);
  EXPECT_EQ(sweeps.end_in_sweep(0, 2, 61), 0);
  EXPECT_EQ(sweeps.epoch_of(5, 0, 61), 2);

  const Epochs endless({.sweeps = {}});
  EXPECT_EQ(endless.end_in_sweep(0, 1000, 61), Epochs::kNever);
  EXPECT_EQ(endless.epoch_of(1000, 0, 61), 0);
}

TEST(Epochs, AnEpochOfSamplesNeedsSamples) {
  const Epochs samples({.epoch_size = 90});
  EXPECT_EQ(samples.end_in_sweep(0, 0, 0), 90);
  EXPECT_EQ(error_of([&] { static_cast<void>(samples.end_in_sweep(0, 1, 0)); }),
            "epoch_size: the data have no samples, so an epoch of 90 would never end");
  EXPECT_EQ(Epochs({.sweeps = 1}).end_in_sweep(0, 1, 0), 0);
}

TEST(Epochs, APlaceOutsideItsEpochIsRefused) {
  const Epochs samples({.epoch_size = 90, .epochs = 3});
  EXPECT_EQ(error_of([&] { samples.check({.epoch = 1, .sweep = 1, .sample = 29}, 61); }), "none");
  EXPECT_EQ(error_of([&] { samples.check({.epoch = 1, .sweep = 1, .sample = 28}, 61); }),
            "position: sweep 1, sequence 0, sample 28 lies before epoch 1");
  EXPECT_EQ(error_of([&] { samples.check({.epoch = 4, .sweep = 9}, 61); }),
            "position: epoch 4 lies beyond the last of 3 epochs");
  const Epochs sweeps({.sweeps = 2});
  EXPECT_EQ(error_of([&] { sweeps.check({.epoch = 0, .sweep = 2}, 61); }),
            "position: sweep 2, sequence 0, sample 0 lies behind epoch 0");
  EXPECT_EQ(error_of([&] { sweeps.check({.epoch = 1, .sweep = 2}, 61); }), "none");
}

}  // namespace
}  // namespace sheaf::internal
