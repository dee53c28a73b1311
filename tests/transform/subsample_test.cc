#include <cstdint>
#include <memory_resource>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"
#include "transform/every_kind.h"
#include "transform/run_transform.h"

namespace sheaf {
namespace {

std::shared_ptr<const Transform> subsample(std::int64_t every, std::int64_t first) {
  return make_type("subsample",
                   {{"every", std::to_string(every)}, {"first", std::to_string(first)}});
}

// Returns the numbers of the kept samples, found one by one.
std::vector<std::int64_t> kept_numbers(std::int64_t count, std::int64_t every, std::int64_t first) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < count; ++i) {
    if (i % every == first) numbers.push_back(i);
  }
  return numbers;
}

TEST(Subsample, KeepsEveryNthSample) {
  const TestSequence seven = counting(7, 2);
  EXPECT_EQ(run_transform(*subsample(3, 0), {seven})[0], picked(seven, {0, 3, 6}));
  EXPECT_EQ(run_transform(*subsample(3, 1), {seven})[0], picked(seven, {1, 4}));
  EXPECT_EQ(run_transform(*subsample(3, 2), {seven})[0], picked(seven, {2, 5}));
  EXPECT_EQ(run_transform(*subsample(1, 0), {seven})[0], seven);
  EXPECT_EQ(run_transform(*subsample(7, 6), {seven})[0], picked(seven, {6}));
  EXPECT_EQ(run_transform(*subsample(INT64_MAX, 0), {seven})[0], picked(seven, {0}));
}

TEST(Subsample, SupportsAllKindsOfStreams) {
  for (const std::int64_t count : {1, 2, 6, 7, 8, 13}) {
    for (const TestSequence& input : every_kind(count)) {
      for (std::int64_t every = 1; every < 9; ++every) {
        for (std::int64_t first = 0; first < every && first < count; ++first) {
          EXPECT_EQ(run_transform(*subsample(every, first), {input})[0],
                    picked(input, kept_numbers(count, every, first)))
              << input.stream.name << ' ' << count << ' ' << every << ' ' << first;
        }
      }
    }
  }
}

TEST(Subsample, AcceptsViewsOfLargerArrays) {
  const SparseInside inside;
  std::pmr::monotonic_buffer_resource memory;
  // Samples 11 and 13 of the sequence are the second and the fourth of the view.
  const SequenceView made =
      run_on_view(*subsample(2, 1), inside.stream, inside.view(), 10, {5, 2}, memory);
  ASSERT_EQ(made.value_count, 3);
  const auto* const values = reinterpret_cast<const float*>(made.values);
  const auto* const indices = reinterpret_cast<const std::int32_t*>(made.indices);
  EXPECT_EQ(std::vector<float>(values, values + 3), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(std::vector<std::int32_t>(indices, indices + 3), (std::vector<std::int32_t>{1, 2, 0}));
  EXPECT_EQ(std::vector<std::int64_t>(made.sample_offsets, made.sample_offsets + 3),
            (std::vector<std::int64_t>{0, 2, 3}));
}

TEST(Subsample, NamesTheSamplesThatItReads) {
  const TransformedSequence sequence = {};
  EXPECT_EQ(subsample(3, 1)->reads({0, 1}, sequence), (SampleRange{1, 1}));
  EXPECT_EQ(subsample(3, 1)->reads({2, 3}, sequence), (SampleRange{7, 7}));
}

TEST(Subsample, KnowsTheCountWithoutData) {
  for (std::int64_t every = 1; every < 9; ++every) {
    for (std::int64_t first = 0; first < every; ++first) {
      for (std::int64_t count = 0; count < 30; ++count) {
        EXPECT_EQ(subsample(every, first)->sample_count(count),
                  std::ssize(kept_numbers(count, every, first)))
            << every << ' ' << first << ' ' << count;
      }
    }
  }
  EXPECT_EQ(subsample(1, 0)->sample_count(INT64_MAX), INT64_MAX);
  EXPECT_EQ(subsample(INT64_MAX, INT64_MAX - 1)->sample_count(INT64_MAX), 1);
  EXPECT_EQ(subsample(INT64_MAX, INT64_MAX - 1)->sample_count(INT64_MAX - 1), 0);
  EXPECT_TRUE(subsample(1, 0)->keeps_counts());
  EXPECT_FALSE(subsample(2, 0)->keeps_counts());
}

TEST(Subsample, SlicesEqualPartsOfTheWhole) {
  for (const TestSequence& input : every_kind(11)) {
    expect_slices(*subsample(1, 0), {input});
    expect_slices(*subsample(2, 1), {input});
    expect_slices(*subsample(3, 0), {input});
    expect_slices(*subsample(20, 4), {input});
  }
}

TEST(Subsample, ListsAllItsOptions) {
  EXPECT_EQ(make_type("subsample", {{"every", "3"}})->options(), "every=3,first=0");
  EXPECT_EQ(subsample(3, 2)->options(), "every=3,first=2");
  EXPECT_FALSE(subsample(3, 2)->is_random());
}

TEST(Subsample, RefusesInvalidOptions) {
  const auto error = [](const std::map<std::string, std::string>& options) {
    return testing::error_of<ConfigError>(
        [&] { static_cast<void>(make_type("subsample", options)); });
  };
  EXPECT_EQ(error({}), "every is needed");
  EXPECT_EQ(error({{"every", "0"}}),
            "every must be a whole number from 1 to 9223372036854775807: got \"0\"");
  EXPECT_EQ(error({{"every", "3"}, {"first", "3"}}),
            "first must be a whole number from 0 to 2: got \"3\"");
  EXPECT_EQ(error({{"every", "3"}, {"first", "-1"}}),
            "first must be a whole number from 0 to 2: got \"-1\"");
}

}  // namespace
}  // namespace sheaf
