#include "sequencer/keyed_sweep.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sequencer/made_up_counts.h"
#include "sequencer/made_up_options.h"

namespace sheaf::internal {
namespace {

using testing::any_of;
using testing::MadeUpCounts;

using Key = std::pair<std::int64_t, std::int64_t>;  // chunk, sequence

/// Returns chunks of one-sample sequences, in units.
MadeUpCounts made_up_units() {
  const auto chunk_count = *any_of<std::int64_t>(1, 6);
  const auto size_max = *rc::gen::element<std::int64_t>(4, 40, 2000);
  MadeUpCounts counts(testing::Sizes{});
  for (std::int64_t i = 0; i < chunk_count; ++i) {
    const auto size = *any_of<std::int64_t>(1, size_max);
    counts.add_chunk(size, *any_of<std::int64_t>(1, std::min<std::int64_t>(size, 40) + 1));
  }
  return counts;
}

std::vector<Key> order_of(const UnitMap& units, std::int64_t laps, std::uint64_t seed,
                          std::int64_t number) {
  KeyedSweep sweep(units, laps, seed, number);
  std::vector<Key> order;
  for (std::int64_t tick = 0; tick < sweep.tick_count(); ++tick) {
    KeyedTick sequences(sweep, tick, 1);
    for (std::int64_t i = 0; i < sequences.size(); ++i) {
      const KeyedTick::Sequence next = sequences.next();
      order.emplace_back(static_cast<std::int64_t>(next.chunk), next.number);
    }
  }
  return order;
}

RC_GTEST_PROP(KeyedSweepLaws, EverySequenceComesOnce, ()) {
  const MadeUpCounts counts = made_up_units();
  const UnitMap units(counts);
  const std::vector<Key> order =
      order_of(units, *any_of<std::int64_t>(1, 6), *rc::gen::arbitrary<std::uint64_t>(), 3);
  RC_ASSERT(std::ssize(order) == units.sequence_count());
  RC_ASSERT(std::ssize(std::set<Key>(order.begin(), order.end())) == units.sequence_count());
}

RC_GTEST_PROP(KeyedSweepLaws, AnyPlaceIsFoundDirectly, ()) {
  const MadeUpCounts counts = made_up_units();
  const UnitMap units(counts);
  const auto laps = *any_of<std::int64_t>(1, 6);
  const std::vector<Key> order = order_of(units, laps, 7, 0);
  KeyedSweep sweep(units, laps, 7, 0);
  for (int i = 0; i < 20; ++i) {
    const auto entry = *any_of<std::int64_t>(0, units.sequence_count());
    std::int64_t tick = sweep.tick_of(entry);
    KeyedTick sequences(sweep, tick, 1);
    while (entry == 0 && sequences.size() == 0) sequences = KeyedTick(sweep, ++tick, 1);
    sequences.go_to(entry - sweep.first_of(tick));
    const KeyedTick::Sequence found = sequences.next();
    RC_ASSERT(order[static_cast<std::size_t>(entry)] ==
              Key(static_cast<std::int64_t>(found.chunk), found.number));
  }
}

// The units that enter and leave in each tick add up to the units that are present. Each byte is
// read once. The owner of a sequence holds the sequence when it is delivered.
RC_GTEST_PROP(KeyedSweepLaws, WorkersHoldTheSequencesTheyDeliver, ()) {
  const MadeUpCounts counts = made_up_units();
  const UnitMap units(counts);
  const KeyedSweep sweep(units, *any_of<std::int64_t>(1, 6), 5, 1);
  const auto worker_count = *any_of<std::int64_t>(1, 7);
  std::vector<std::set<ChunkRange>> held(static_cast<std::size_t>(worker_count));
  std::int64_t read = 0;
  for (std::int64_t tick = 0; tick < sweep.tick_count(); ++tick) {
    KeyedTick sequences(sweep, tick, worker_count);
    std::vector<std::set<Key>> there(held.size());
    for (std::int64_t worker = 0; worker < worker_count; ++worker) {
      auto& own = held[static_cast<std::size_t>(worker)];
      std::vector<ChunkRange> ranges;
      sweep.append_own(tick, KeyedSweep::Which::entering, {worker, worker_count}, ranges);
      for (const ChunkRange& range : ranges) {
        RC_ASSERT(own.insert(range).second);
        read += range.count;
      }
      ranges.clear();
      sweep.append_own(tick, KeyedSweep::Which::all, {worker, worker_count}, ranges);
      RC_ASSERT(std::set<ChunkRange>(ranges.begin(), ranges.end()) == own);
      for (const ChunkRange& range : own) {
        for (std::int64_t i = range.first; i < range.first + range.count; ++i) {
          there[static_cast<std::size_t>(worker)].emplace(static_cast<std::int64_t>(range.chunk),
                                                          i);
        }
      }
      ranges.clear();
      sweep.append_own(tick, KeyedSweep::Which::leaving, {worker, worker_count}, ranges);
      for (const ChunkRange& range : ranges) RC_ASSERT(own.erase(range) == 1U);
    }
    for (std::int64_t i = 0; i < sequences.size(); ++i) {
      const KeyedTick::Sequence next = sequences.next();
      const Key key(static_cast<std::int64_t>(next.chunk), next.number);
      RC_ASSERT(there[static_cast<std::size_t>(sequences.owner_of(next))].contains(key));
    }
  }
  RC_ASSERT(read == units.sequence_count());
  for (const auto& own : held) RC_ASSERT(own.empty());
}

// A lap holds its share of the data, and little more.
TEST(KeyedSweep, ALapHoldsItsPartOfTheData) {
  MadeUpCounts counts(testing::Sizes{});
  for (int i = 0; i < 50; ++i) counts.add_chunk(3200, 32);
  const UnitMap units(counts);
  for (const std::int64_t laps : {2, 4, 10}) {
    const KeyedSweep sweep(units, laps, 1, 0);
    for (std::int64_t tick = 0; tick < sweep.tick_count(); ++tick) {
      std::vector<ChunkRange> ranges;
      sweep.append_own(tick, KeyedSweep::Which::all, {}, ranges);
      std::int64_t held = 0;
      for (const ChunkRange& range : ranges) held += range.count;
      EXPECT_LE(held, units.sequence_count() / laps * 102 / 100) << laps << " " << tick;
    }
  }
}

// Checks a claim of docs/determinism.md: over all seeds, each sequence comes equally often in each
// part of the sweep, regardless of its position in the file.
TEST(KeyedSweep, EverySequenceReachesEveryPositionEquallyOften) {
  MadeUpCounts counts(testing::Sizes{});
  for (int i = 0; i < 3; ++i) counts.add_chunk(7000, 40);
  const UnitMap units(counts);
  constexpr std::int64_t kParts = 20;
  constexpr std::int64_t kSeeds = 4000;
  const std::int64_t count = units.sequence_count();
  for (const std::int64_t laps : {1, 4}) {
    std::map<Key, std::vector<std::int64_t>> found;
    for (const std::int64_t chunk : {0, 1, 2}) {
      for (const std::int64_t sequence : {0, 1, 170, 3500, 6998, 6999}) {
        found[{chunk, sequence}].resize(kParts);
      }
    }
    for (std::uint64_t seed = 0; seed < kSeeds / 100; ++seed) {
      const std::vector<Key> order = order_of(units, laps, seed, 0);
      for (std::size_t i = 0; i < order.size(); ++i) {
        const auto it = found.find(order[i]);
        if (it == found.end()) continue;
        ++it->second[static_cast<std::size_t>(static_cast<std::int64_t>(i) * kParts / count)];
      }
    }
    double sum = 0;
    for (const auto& [key, counts_of_parts] : found) {
      const double mean = static_cast<double>(kSeeds) / 100 / kParts;
      for (const std::int64_t n : counts_of_parts) {
        sum += (static_cast<double>(n) - mean) * (static_cast<double>(n) - mean) / mean;
      }
    }
    const double freedom = static_cast<double>(found.size()) * (kParts - 1);
    EXPECT_LT(std::abs(sum - freedom), 5 * std::sqrt(2 * freedom)) << laps;
  }
}

TEST(KeyedSweep, SweepsAndSeedsGiveUnrelatedOrders) {
  MadeUpCounts counts(testing::Sizes{});
  for (int i = 0; i < 4; ++i) counts.add_chunk(2500, 10);
  const UnitMap units(counts);
  for (const std::int64_t laps : {1, 4}) {
    const std::vector<std::vector<Key>> orders = {
        order_of(units, laps, 0, 0), order_of(units, laps, 0, 1), order_of(units, laps, 1, 0),
        order_of(units, laps, 1, 1), order_of(units, laps, 2, 0)};
    for (std::size_t a = 0; a < orders.size(); ++a) {
      for (std::size_t b = a + 1; b < orders.size(); ++b) {
        // By chance, about one place has the same sequence in both orders, and about one pair of
        // neighbours stays together. Steps that happen to be alike add some more pairs.
        std::int64_t same_place = 0;
        std::map<Key, Key> after;
        for (std::size_t i = 0; i + 1 < orders[a].size(); ++i) {
          same_place += orders[a][i] == orders[b][i] ? 1 : 0;
          after[orders[a][i]] = orders[a][i + 1];
        }
        std::int64_t same_neighbours = 0;
        for (std::size_t i = 0; i + 1 < orders[b].size(); ++i) {
          same_neighbours += after[orders[b][i]] == orders[b][i + 1] ? 1 : 0;
        }
        EXPECT_LT(same_place, 25) << laps << " " << a << " " << b;
        EXPECT_LT(same_neighbours, 100) << laps << " " << a << " " << b;
      }
    }
  }
}

}  // namespace
}  // namespace sheaf::internal
