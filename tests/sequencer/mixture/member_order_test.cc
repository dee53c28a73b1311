#include "sequencer/mixture/member_order.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sequencer/made_up_counts.h"
#include "sequencer/made_up_options.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::any_of;
using sheaf::testing::MadeUpCounts;
using sheaf::testing::Sizes;

using InChunk = std::pair<std::int64_t, std::int64_t>;  // chunk, sequence

InChunk in_chunk(MemberOrder& order) {
  const MemberOrder::Sequence& found = order.peek();
  return {static_cast<std::int64_t>(found.chunk), found.number};
}

// Chunk 0 belongs to another member; chunk 2 is empty.
MadeUpCounts chunks_around_an_empty_one() {
  MadeUpCounts counts({});
  counts.add_chunk({9, 9}, 1);
  counts.add_chunk({1, 2, 3}, 3);
  counts.add_chunk(Sizes::value_type{}, 1);
  counts.add_chunk({4, 5}, 1);
  return counts;
}

TEST(MemberOrder, FileOrderSkipsEmptyChunksAndRepeats) {
  const MadeUpCounts counts = chunks_around_an_empty_one();
  const OrderOptions options{.window_chunks = kAll};
  const MemberData data(counts, 1, 4, options, 0);
  const std::unique_ptr<MemberOrder> order = member_order(data, {});
  const std::vector<InChunk> sweep = {{0, 0}, {0, 1}, {0, 2}, {2, 0}, {2, 1}};
  for (int round = 0; round < 2; ++round) {
    for (const InChunk& place : sweep) {
      EXPECT_EQ(in_chunk(*order), place);
      order->advance();
    }
  }
  for (std::size_t i = 0; i < sweep.size(); ++i) {
    order->go_to(7, static_cast<std::int64_t>(i));
    EXPECT_EQ(in_chunk(*order), sweep[i]);
  }
}

TEST(MemberOrder, InFileOrderTheWindowIsTheUnit) {
  const MadeUpCounts counts = chunks_around_an_empty_one();
  const OrderOptions options{.window_chunks = kAll};
  const MemberData data(counts, 1, 4, options, 0);
  const std::unique_ptr<MemberOrder> order = member_order(data, {});
  const auto window = [&] {
    std::vector<ChunkRange> ranges;
    order->append_window(ranges);
    return ranges;
  };
  EXPECT_EQ(window(), (std::vector<ChunkRange>{{ChunkIndex{0}, 0, 1}}));
  const auto before = order->window_state();
  order->advance();
  EXPECT_EQ(window(), (std::vector<ChunkRange>{{ChunkIndex{0}, 1, 1}}));
  EXPECT_NE(order->window_state(), before);
  order->go_to(0, 4);
  EXPECT_EQ(window(), (std::vector<ChunkRange>{{ChunkIndex{2}}}));
}

RC_GTEST_PROP(MemberOrder, JumpingToAPlaceEqualsWalkingThere, ()) {
  MadeUpCounts counts({});
  for (std::int64_t i = *any_of<std::int64_t>(1, 80); i > 0; --i) {
    counts.add_chunk(*any_of<std::int64_t>(1, 9), 1);
  }
  OrderOptions options{.algorithm = *rc::gen::element(OrderAlgorithm::file, OrderAlgorithm::keyed),
                       .window_chunks = *any_of<std::int64_t>(1, 60)};
  const std::int64_t chunks = [&] {
    std::int64_t count = 0;
    while (counts.chunk_counts(ChunkIndex{count})) ++count;
    return count;
  }();
  const MemberData data(counts, 0, chunks, options, *rc::gen::arbitrary<std::uint64_t>());
  const std::int64_t size = data.keyed.units.sequence_count();
  RC_ASSERT(data.chunk_starts.back() == size);
  const std::unique_ptr<MemberOrder> going = member_order(data, options);
  const std::unique_ptr<MemberOrder> jumping = member_order(data, options);
  std::vector<InChunk> sweep;
  for (std::int64_t i = 0; i < 2 * size; ++i) {
    jumping->go_to(i / size, i % size);
    RC_ASSERT(in_chunk(*jumping) == in_chunk(*going));
    RC_ASSERT(jumping->window_state() == going->window_state());
    const MemberOrder::Sequence& found = going->peek();
    std::vector<ChunkRange> window;
    going->append_window(window);
    RC_ASSERT(std::ranges::any_of(window, [&](const ChunkRange& range) {
      return range.contains(found.chunk, found.number);
    }));
    sweep.push_back(in_chunk(*going));
    going->advance();
    if (std::ssize(sweep) < size) continue;
    std::ranges::sort(sweep);
    RC_ASSERT(std::ranges::adjacent_find(sweep) == sweep.end());
    sweep.clear();
  }
}

TEST(SequenceSizes, DroppedTablesAreReadAgain) {
  MadeUpCounts counts({});
  const auto chunks = static_cast<std::int64_t>(SequenceSizes::kTablesMax) + 3;
  for (std::int64_t i = 0; i < chunks; ++i) counts.add_chunk({i, i + 1}, 1);
  counts.add_chunk({7, 7}, 1);
  const UnitMap units(counts);
  SequenceSizes sizes(counts, units, SequenceSizes::Kind::samples);
  SequenceSizes costs(counts, units, SequenceSizes::Kind::costs);
  for (int round = 0; round < 2; ++round) {
    for (std::int64_t i = 0; i < chunks; ++i) {
      EXPECT_EQ(sizes(ChunkIndex{i}, 1), i + 1);
      EXPECT_EQ(sizes(ChunkIndex{i}, 0), i);
      EXPECT_EQ(costs(ChunkIndex{i}, 1), MadeUpCounts::made_up_cost(i, 1));
    }
    EXPECT_EQ(sizes(ChunkIndex{chunks}, 1), 7);
  }
}

}  // namespace
}  // namespace sheaf::internal
