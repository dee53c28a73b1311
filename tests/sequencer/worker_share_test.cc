#include "sequencer/worker_share.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

using Numbers = std::vector<std::int64_t>;

// Returns four sequences of chunk 0, drawn for two workers.
DrawnSequences drawn() {
  DrawnSequences drawn;
  for (std::int64_t i = 0; i < 4; ++i) drawn.sequences.push_back({ChunkIndex{0}, i});
  drawn.samples = {10, 1, 1, 1};
  drawn.owners = {0, 0, 0, 1};
  drawn.sweeps = {5, 5, 6, 6};
  drawn.sweep = 5;
  drawn.sample_count = 13;
  return drawn;
}

Numbers numbers_of(const Step& step) {
  Numbers numbers;
  for (const SequenceRef& ref : step.sequences) numbers.push_back(ref.sequence);
  return numbers;
}

Step share_of(OrderOptions options, std::int64_t worker) {
  options.worker_count = 2;
  options.worker_index = worker;
  Step step;
  WorkerShare(options).take(drawn(), step);
  return step;
}

TEST(WorkerShare, OneWorkerGetsAllSequences) {
  const OrderOptions options;
  Step step;
  WorkerShare(options).take(drawn(), step);
  EXPECT_EQ(numbers_of(step), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(step.sweeps, (Numbers{5, 5, 6, 6}));
  EXPECT_EQ(step.sample_count, 13);
  EXPECT_TRUE(step.passed.empty());
}

TEST(WorkerShare, InFileOrderOwnersKeepTheirSequences) {
  EXPECT_EQ(numbers_of(share_of({}, 0)), (Numbers{0, 1, 2}));
  const Step other = share_of({}, 1);
  EXPECT_EQ(numbers_of(other), (Numbers{3}));
  EXPECT_EQ(other.sweeps, (Numbers{6}));
  EXPECT_EQ(other.sample_count, 1);
}

TEST(WorkerShare, KeyedBalancesSamplesOrCounts) {
  OrderOptions options{.algorithm = OrderAlgorithm::keyed};
  EXPECT_EQ(numbers_of(share_of(options, 0)), (Numbers{0}));
  const Step other = share_of(options, 1);
  EXPECT_EQ(numbers_of(other), (Numbers{1, 2, 3}));
  EXPECT_EQ(other.passed, (std::vector<ChunkRange>{{ChunkIndex{0}, 1, 1}, {ChunkIndex{0}, 2, 1}}));
  options.balance = Balance::count;
  options.sizes = sheaf::Sizes::exact;
  options.unit = MinibatchUnit::sequences;
  EXPECT_EQ(share_of(options, 0).sequences.size(), 2U);
  EXPECT_EQ(share_of(options, 1).sequences.size(), 2U);
}

}  // namespace
}  // namespace sheaf::internal
