#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/stat.h"

namespace sheaf {
namespace {

// Computes a percentile by its definition.
std::int64_t percentile_of(std::vector<std::int64_t> numbers, std::int64_t percent) {
  std::ranges::sort(numbers);
  for (const std::int64_t number : numbers) {
    const auto not_above = std::upper_bound(numbers.begin(), numbers.end(), number);
    if ((not_above - numbers.begin()) * 100 >= std::ssize(numbers) * percent) return number;
  }
  return -1;
}

RC_GTEST_PROP(Histogram, AgreesWithTheSortedList, ()) {
  const auto numbers =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(rc::gen::oneOf(
          rc::gen::inRange<std::int64_t>(0, 9), rc::gen::inRange<std::int64_t>(0, 5000))));
  const auto cut = *rc::gen::inRange<std::size_t>(0, numbers.size() + 1);
  Histogram first;
  Histogram second;
  for (std::size_t i = 0; i < numbers.size(); ++i) (i < cut ? first : second).add(numbers[i]);
  first.add(second);
  RC_ASSERT(first.count() == std::ssize(numbers));
  RC_ASSERT(first.total() == std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0}));
  RC_ASSERT(first.min() == std::ranges::min(numbers));
  RC_ASSERT(first.max() == std::ranges::max(numbers));
  for (const int percent : {1, 50, 90, 99, 100}) {
    RC_ASSERT(first.percentile(percent) == percentile_of(numbers, percent));
  }
}

TEST(Histogram, PercentilesDoNotOverflow) {
  constexpr std::int64_t kMany = std::int64_t{1} << 60;
  Histogram histogram;
  histogram.add(1, kMany);
  histogram.add(2, kMany);
  EXPECT_EQ(2 * kMany, histogram.count());
  EXPECT_EQ(1, histogram.percentile(50));
  EXPECT_EQ(2, histogram.percentile(51));
}

}  // namespace
}  // namespace sheaf
