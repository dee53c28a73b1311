#include "core/equal_streams.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/error_of.h"

namespace sheaf::internal {
namespace {

const std::vector<Stream> kStreams = {{.name = "words"}, {.name = "tags"}, {.name = "label"}};

EqualStreams of(const std::vector<std::pair<std::int64_t, std::int64_t>>& counts) {
  EqualStreams check;
  for (const auto& [sample_count, stream] : counts) check.add(sample_count, stream);
  return check;
}

TEST(EqualStreams, HaveEqualSampleCounts) {
  EXPECT_TRUE(of({}).is_equal()) << "all absent";
  EXPECT_TRUE(of({{5, 1}}).is_equal());
  EXPECT_TRUE(of({{5, 0}, {5, 2}}).is_equal());
  EXPECT_FALSE(of({{5, 0}, {4, 1}}).is_equal());
  EXPECT_FALSE(of({{5, 0}, {5, 1}, {6, 2}}).is_equal());
  EXPECT_FALSE(of({{0, 1}, {1, 2}}).is_equal());
}

TEST(EqualStreams, TheMessageNamesTheFirstTwoThatDiffer) {
  const EqualStreams check = of({{9, 0}, {9, 1}, {1, 2}});
  const std::string what =
      " has 9 samples in stream \"words\" and 1 in stream \"label\": a sequence that is longer "
      "than "
      "a row is cut at the same samples in every stream; leave one of the streams out, or make "
      "rows as long as the longest sequence";
  EXPECT_EQ(testing::error_of([&] { check.refuse({.low = 7}, "", kStreams); }),
            "long: sequence 7" + what);
  EXPECT_EQ(testing::error_of([&] { check.refuse({.low = 7}, "a\"b", kStreams); }),
            "long: sequence \"a\\\"b\"" + what);
}

}  // namespace
}  // namespace sheaf::internal
