#include "index/units.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "index/made_up_tables.h"

namespace sheaf::internal {
namespace {

/// A table of sequences of these sizes in bytes.
SequenceTable table_of_sizes(const std::vector<std::int64_t>& sizes) {
  std::vector<SequenceInfo> sequences;
  std::int64_t offset = 0;
  for (const std::int64_t size : sizes) {
    sequences.push_back({.offset_bytes = offset, .sample_count = 1});
    offset += size;
  }
  return table_of(sequences);
}

std::int64_t sum(const std::vector<std::int64_t>& sizes, std::int64_t first, std::int64_t end) {
  std::int64_t bytes = 0;
  for (std::int64_t i = first; i < end; ++i) bytes += sizes[static_cast<std::size_t>(i)];
  return bytes;
}

std::vector<std::int64_t> firsts_of(const std::vector<std::int64_t>& sizes) {
  return unit_firsts(table_of_sizes(sizes), sum(sizes, 0, std::ssize(sizes)));
}

TEST(UnitFirsts, CutAChunkIntoUnitsAsLargeAsMayBe) {
  const bool holds = rc::check([] {
    const auto size_max = *rc::gen::element<std::int64_t>(1000, kUnitSizeBytes, 3 * kUnitSizeBytes);
    const auto sizes =
        *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, size_max));
    const std::vector<std::int64_t> firsts = firsts_of(sizes);
    RC_ASSERT(firsts.front() == 0);
    RC_ASSERT(firsts.back() == std::ssize(sizes));
    for (std::size_t unit = 0; unit + 1 < firsts.size(); ++unit) {
      const std::int64_t first = firsts[unit];
      const std::int64_t end = firsts[unit + 1];
      RC_ASSERT(first < end);
      RC_ASSERT(end == first + 1 || sum(sizes, first, end) <= kUnitSizeBytes);
      const bool takes_the_next =
          end < std::ssize(sizes) && sum(sizes, first, end + 1) <= kUnitSizeBytes;
      RC_ASSERT(!takes_the_next);
    }
  });
  EXPECT_TRUE(holds);
}

struct Cut {
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> firsts;
};

TEST(UnitFirsts, OfSomeChunks) {
  constexpr std::int64_t kFull = kUnitSizeBytes;
  const Cut cases[] = {
      {{}, {0}},                                          // no sequence, no unit
      {{10}, {0, 1}},                                     //
      {{kFull}, {0, 1}},                                  // as large as may be
      {{kFull + 1, 1}, {0, 1, 2}},                        // too large, and so alone
      {{kFull - 1, 1, 1}, {0, 2, 3}},                     // full to the byte
      {{kFull / 2, kFull / 2, kFull / 2}, {0, 2, 3}},     //
      {{1, 2 * kFull, 2 * kFull, 1, 1}, {0, 1, 2, 3, 5}}  //
  };
  for (const Cut& cut : cases) EXPECT_EQ(firsts_of(cut.sizes), cut.firsts);
}

}  // namespace
}  // namespace sheaf::internal
