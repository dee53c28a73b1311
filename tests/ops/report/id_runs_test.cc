#include "ops/report/id_runs.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

IdRuns runs_of(const std::vector<std::int64_t>& ids, std::int64_t first = 0) {
  IdRuns runs;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    runs.add(ids[i], first + static_cast<std::int64_t>(i));
  }
  return runs;
}

void expect_equal(const IdRuns& runs, const IdRuns& expected) {
  EXPECT_EQ(runs.sequences(), expected.sequences());
  EXPECT_EQ(runs.longest().id, expected.longest().id);
  EXPECT_EQ(runs.longest().first, expected.longest().first);
  EXPECT_EQ(runs.longest().count, expected.longest().count);
}

TEST(IdRuns, FindsTheFirstOfTheLongestRuns) {
  const IdRuns runs = runs_of({1, 1, 2, 2, 2, 1, 3, 3, 3}, 10);
  EXPECT_EQ(runs.sequences(), 9);
  EXPECT_EQ(runs.longest().id, 2);
  EXPECT_EQ(runs.longest().first, 12);
  EXPECT_EQ(runs.longest().count, 3);
}

TEST(IdRuns, NoSequencesHaveNoRun) {
  EXPECT_EQ(IdRuns().longest().count, 0);
  EXPECT_EQ(IdRuns().sequences(), 0);
}

// All sequences of seven ids out of two, cut into three parts in all ways.
TEST(IdRuns, PartsJoinAsIfMeasuredTogether) {
  for (unsigned bits = 0; bits < 128; ++bits) {
    std::vector<std::int64_t> ids;
    for (unsigned i = 0; i < 7; ++i) ids.push_back((bits >> i) & 1U);
    for (std::ptrdiff_t a = 0; a <= 7; ++a) {
      for (std::ptrdiff_t b = a; b <= 7; ++b) {
        IdRuns joined = runs_of({ids.begin(), ids.begin() + a});
        joined.append(runs_of({ids.begin() + a, ids.begin() + b}), a);
        joined.append(runs_of({ids.begin() + b, ids.end()}), b);
        expect_equal(joined, runs_of(ids));
        IdRuns tail = runs_of({ids.begin() + a, ids.begin() + b});
        tail.append(runs_of({ids.begin() + b, ids.end()}), b - a);
        IdRuns nested = runs_of({ids.begin(), ids.begin() + a});
        nested.append(tail, a);
        expect_equal(nested, runs_of(ids));
      }
    }
  }
}

}  // namespace
}  // namespace sheaf::internal
