#include "reader/prepare/preparer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "reader/run_all.h"
#include "reader/schedule.h"
#include "support/test_transforms.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::WrittenSequencer;

constexpr ChunkIndex kOnly{0};

/// Prepares an item of steps over a chunk of eight sequences.
class PreparerTest : public ::testing::Test {
 protected:
  explicit PreparerTest(
      std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> wrong = {}) {
    sheaf::testing::FakeData data;
    data.lengths = {{1, 2, 3, 4, 5, 6, 7, 8}};
    data.wrong = std::move(wrong);
    data_ = sheaf::testing::fake(data);
  }

  TransformChain chain_of(const std::string& text) const {
    const std::vector<TransformSpec> specs = {parse_transform(text)};
    return {data_->streams(), specs, {.functions = &sheaf::testing::test_functions()}};
  }

  WorkItem item_of(const TransformChain& chain,
                   const std::vector<sheaf::testing::WrittenStep>& steps) {
    const WrittenSequencer sequencer(steps);
    Planner planner(*data_, sequencer, *packer_, {});
    planner.set_transforms(chain, data_->index());
    WorkItem item;
    item.plan = *planner.next(std::ssize(steps));
    for (const UnitUse& use : item.plan.units) {
      Unit& unit = *units_.emplace_back(std::make_unique<Unit>(use));
      Diagnostics diagnostics;
      Chunk chunk = data_->read({use.cut->chunk(), unit.first, unit.count}, diagnostics);
      unit.set_content(std::move(chunk), std::move(diagnostics), data_->streams());
      item.units.push_back(&unit);
    }
    return item;
  }

  std::shared_ptr<const sheaf::testing::FakeDeserializer> data_;
  std::unique_ptr<Packer> packer_ = ragged_packer();
  std::vector<std::unique_ptr<Unit>> units_;
};

std::vector<std::string> values_of(const PreparedRun& part) {
  std::vector<std::string> values;
  for (const SequenceView& view : part.views) {
    values.emplace_back(reinterpret_cast<const char*>(view.values),
                        static_cast<std::size_t>(view.value_count) * sizeof(float));
  }
  return values;
}

TEST_F(PreparerTest, PartsEqualTheWhole) {
  const TransformChain chain = chain_of("reverse");
  const WorkItem item =
      item_of(chain, {{.sequences = {{kOnly, 3}, {kOnly, 4}, {kOnly, 0}}, .load = {{kOnly}}},
                      {.sequences = {{kOnly, 7}, {kOnly, 1}}}});
  ASSERT_EQ(item.plan.steps.size(), 2U);
  const Preparer preparer(chain);
  PreparedRun whole;
  whole.count = 5;
  preparer.prepare(item, whole);
  EXPECT_EQ(whole.sample_counts, (std::vector<std::int64_t>{4, 5, 1, 8, 2}));
  const std::vector<std::string> expected = values_of(whole);
  for (std::int64_t middle = 1; middle < 5; ++middle) {
    PreparedRun first;
    first.count = middle;
    preparer.prepare(item, first);
    PreparedRun second;
    second.first = middle;
    second.count = 5 - middle;
    preparer.prepare(item, second);
    std::vector<std::string> both = values_of(first);
    for (std::string& values : values_of(second)) both.push_back(std::move(values));
    EXPECT_EQ(both, expected);
  }
}

TEST_F(PreparerTest, KeepsTheErrorOfATransformWithItsSequence) {
  const TransformChain chain = chain_of("function:x:name=fails");
  // The keys are the fake's keys. Finds one that fails and one that works.
  const auto table = data_->index().sequences(kOnly);
  std::vector<std::int64_t> good;
  std::vector<std::int64_t> bad;
  for (std::int64_t i = 0; i < table->size(); ++i) {
    (table->key(i).low % 7 == 0 ? bad : good).push_back(i);
  }
  ASSERT_FALSE(bad.empty());
  ASSERT_GE(good.size(), 2U);
  const WorkItem item = item_of(
      chain,
      {{.sequences = {{kOnly, good[0]}, {kOnly, bad[0]}, {kOnly, good[1]}}, .load = {{kOnly}}}});
  PreparedRun part;
  part.count = 3;
  Preparer(chain).prepare(item, part);
  EXPECT_EQ(part.failed, 1);
  EXPECT_THROW(std::rethrow_exception(part.error), ConfigError);
}

// Scattered sequences are requested ahead, even if a slice begins after the end of its sequence.
TEST_F(PreparerTest, ScatteredSlicesEqualPartsOfWholeSequences) {
  const TransformChain chain = chain_of("reverse");
  const std::vector<std::int64_t> order = {7, 0, 5, 2, 6, 1};
  std::vector<SequenceRef> refs;
  for (const std::int64_t sequence : order) refs.push_back({kOnly, sequence});
  WorkItem item = item_of(chain, {{.sequences = refs, .load = {{kOnly}}}});
  const Preparer preparer(chain);
  PreparedRun whole;
  whole.count = std::ssize(order);
  preparer.prepare(item, whole);
  item.plan.slices = {{1, 2}, {0, SampleRange::kAll}, {5, 1}, {3, 9}, {0, 7}, {1, 1}};
  PreparedRun part;
  part.count = std::ssize(order);
  preparer.prepare(item, part);
  ASSERT_EQ(part.error, nullptr);
  EXPECT_EQ(part.sample_counts, whole.sample_counts);
  const std::vector<std::string> of_whole = values_of(whole);
  const std::size_t stream_count = chain.streams().size();
  const std::vector<std::string> of_part = values_of(part);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const SequenceView& view = whole.views[i * stream_count];
    const SampleRange& slice = item.plan.slices[i];
    const std::int64_t first = std::min(slice.first, view.sample_count);
    const std::int64_t count = std::min(slice.count, view.sample_count - first);
    const auto size = view.sample_count == 0 ? 0 : view.value_count / view.sample_count * 4;
    EXPECT_EQ(of_part[i * stream_count],
              of_whole[i * stream_count].substr(static_cast<std::size_t>(first * size),
                                                static_cast<std::size_t>(count * size)))
        << i;
  }
}

class PreparerOfHoles : public PreparerTest {
 protected:
  PreparerOfHoles() : PreparerTest({{{0, 3}, {17}}}) {}
};

TEST_F(PreparerOfHoles, LeavesHolesOut) {
  const TransformChain chain = chain_of("reverse");
  const WorkItem item =
      item_of(chain, {{.sequences = {{kOnly, 2}, {kOnly, 3}, {kOnly, 4}}, .load = {{kOnly}}}});
  PreparedRun part;
  part.count = 3;
  Preparer(chain).prepare(item, part);
  EXPECT_EQ(part.error, nullptr);
  EXPECT_EQ(part.sample_counts, (std::vector<std::int64_t>{3, 0, 5}));
}

}  // namespace
}  // namespace sheaf::internal
