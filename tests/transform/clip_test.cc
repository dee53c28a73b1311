// The golden numbers come from numpy.random.Philox and xxhash.

#include <array>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/chunk.h"

#include "support/error_of.h"
#include "transform/every_kind.h"
#include "transform/run_transform.h"

namespace sheaf {
namespace {

std::shared_ptr<const Transform> clip(std::int64_t samples, const std::string& at) {
  return make_type("clip", {{"samples", std::to_string(samples)}, {"at", at}});
}

std::vector<std::int64_t> numbers_from(std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(first + i);
  return numbers;
}

// Returns the first sample that a clip of `count` samples keeps.
std::int64_t clip_start(const Transform& transform, std::int64_t count, const TestName& name) {
  const std::vector<std::int64_t> counts = {count};
  return transform
      .reads({0, 1}, {.name = {.seed = name.seed,
                               .sweep = name.sweep,
                               .key = {name.key, 0},
                               .transform = transform.name()},
                      .sample_counts = counts})
      .first;
}

TEST(Clip, KeepsTheSamplesAtTheGivenPosition) {
  const TestSequence seven = counting(7, 2);
  const auto kept = [&](const std::string& at) {
    return run_transform(*clip(4, at), {seven}, {.key = 3})[0];
  };
  EXPECT_EQ(kept("start"), picked(seven, {0, 1, 2, 3}));
  EXPECT_EQ(kept("center"), picked(seven, {1, 2, 3, 4}));
  EXPECT_EQ(kept("end"), picked(seven, {3, 4, 5, 6}));
}

TEST(Clip, LeavesShortSequencesUnchanged) {
  for (const std::string at : {"random", "start", "center", "end"}) {
    for (const std::int64_t count : {1, 2, 5}) {
      for (const std::int64_t samples : {std::int64_t{5}, INT64_MAX}) {
        const TestSequence whole = counting(count, 3);
        EXPECT_EQ(run_transform(*clip(samples, at), {whole})[0], whole) << at << ' ' << count;
      }
    }
  }
}

TEST(Clip, KeepsOneSample) {
  const TestSequence five = counting(5, 1);
  EXPECT_EQ(run_transform(*clip(1, "end"), {five})[0], picked(five, {4}));
  EXPECT_EQ(run_transform(*clip(1, "center"), {five})[0], picked(five, {2}));
}

TEST(Clip, KnowsTheCountWithoutData) {
  const auto five = clip(5, "random");
  EXPECT_EQ(five->sample_count(0), 0);
  EXPECT_EQ(five->sample_count(4), 4);
  EXPECT_EQ(five->sample_count(5), 5);
  EXPECT_EQ(five->sample_count(6), 5);
  EXPECT_EQ(five->sample_count(INT64_MAX), 5);
  EXPECT_FALSE(five->keeps_counts());
}

TEST(Clip, KeepsTheSameSamplesOfAllStreams) {
  const std::vector<TestSequence> inputs = every_kind(9);
  for (const std::string at : {"random", "start", "center", "end"}) {
    for (std::uint64_t key = 0; key < 20; ++key) {
      const TestName name = {.seed = 5, .sweep = 1, .key = key};
      const auto transform = clip(4, at);
      const std::int64_t first = clip_start(*transform, 9, name);
      const std::vector<TestSequence> made = run_transform(*transform, inputs, name);
      ASSERT_EQ(made.size(), inputs.size());
      for (std::size_t i = 0; i < made.size(); ++i) {
        EXPECT_EQ(made[i], picked(inputs[i], numbers_from(first, 4))) << made[i].stream.name;
      }
    }
  }
}

TEST(Clip, SlicesEqualPartsOfTheWhole) {
  for (const std::string at : {"random", "start", "center", "end"}) {
    for (std::uint64_t key = 0; key < 5; ++key) {
      expect_slices(*clip(5, at), every_kind(8), {.seed = key, .sweep = 2, .key = key * 31});
      expect_slices(*clip(5, at), every_kind(4), {.seed = key, .key = 1});
    }
  }
}

TEST(Clip, StartsMatchNumpyPhilox) {
  constexpr std::array<TestName, 6> kNames = {{{0, 0, 0},
                                               {0, 0, 1},
                                               {7, 3, 42},
                                               {UINT64_MAX, INT64_MAX, UINT64_MAX},
                                               {1, 0, 10},
                                               {1, 1, 10}}};
  const auto starts = [&](std::int64_t count, std::int64_t samples) {
    std::vector<std::int64_t> all;
    for (const TestName& name : kNames) {
      all.push_back(clip_start(*clip(samples, "random"), count, name));
    }
    return all;
  };
  using Starts = std::vector<std::int64_t>;
  EXPECT_EQ(starts(1000, 100), (Starts{61, 653, 203, 762, 783, 820}));
  EXPECT_EQ(starts(11, 10), (Starts{0, 1, 0, 1, 1, 1}));
  EXPECT_EQ(starts(1'000'000, 1), (Starts{67795, 725021, 225616, 846210, 869486, 910862}));
}

TEST(Clip, DrawsEachStartEquallyOften) {
  constexpr int kKeys = 35'000;
  const auto transform = clip(4, "random");
  std::array<int, 7> counts{};
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    const std::int64_t start = clip_start(*transform, 10, {.seed = 11, .key = key});
    ASSERT_GE(start, 0);
    ASSERT_LE(start, 6);
    ++counts[static_cast<std::size_t>(start)];
  }
  for (const int count : counts) EXPECT_NEAR(count, 5000, 328);  // five standard deviations
}

// Two streams of one sequence. The second stream may be absent.
struct TwoStreams {
  std::vector<Stream> streams = {{.name = "features", .sample_shape = Shape{1}},
                                 {.name = "labels", .sample_shape = Shape{1}}};
  std::vector<float> values = {0, 1, 2, 3, 4};
  std::vector<SequenceView> made = {{}, {}};

  void apply(std::int64_t label_count, bool has_labels) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(values.data());
    const std::vector<SequenceView> views = {{.values = bytes, .sample_count = 5, .value_count = 5},
                                             {.values = has_labels ? bytes : nullptr,
                                              .sample_count = label_count,
                                              .value_count = label_count,
                                              .is_present = has_labels}};
    const std::vector<std::int64_t> counts = {5, label_count};
    const std::vector<std::int64_t> firsts = {0, 0};
    const TransformedSequence sequence = {.sample_counts = counts};
    std::pmr::monotonic_buffer_resource memory;
    TransformOutput output(streams, made, memory);
    clip(2, "end")->apply({.sequence = sequence,
                           .streams = streams,
                           .views = views,
                           .firsts = firsts,
                           .range = {0, 2}},
                          output);
  }
};

TEST(Clip, LeavesAbsentStreamsAbsent) {
  TwoStreams two;
  two.apply(0, false);
  EXPECT_TRUE(two.made[0].is_present);
  EXPECT_EQ(two.made[0].sample_count, 2);
  EXPECT_FALSE(two.made[1].is_present);
  EXPECT_EQ(two.made[1].sample_count, 0);
}

TEST(Clip, CopiesNothing) {
  TwoStreams two;
  two.apply(5, true);
  for (const SequenceView& view : two.made) {
    EXPECT_EQ(view.values, reinterpret_cast<const std::byte*>(two.values.data() + 3));
    EXPECT_EQ(view.value_count, 2);
  }
}

TEST(Clip, RefusesStreamsOfDifferentLength) {
  TwoStreams two;
  EXPECT_EQ(testing::error_of<ConfigError>([&] { two.apply(3, true); }),
            "streams \"features\" and \"labels\" must have equal numbers of samples: got 5 and 3");
  EXPECT_EQ(testing::error_of<ConfigError>([&] { two.apply(0, true); }),
            "streams \"features\" and \"labels\" must have equal numbers of samples: got 5 and 0");
}

TEST(Clip, ListsAllItsOptions) {
  EXPECT_EQ(make_type("clip", {{"samples", "7"}})->options(), "samples=7,at=random");
  EXPECT_EQ(clip(100, "center")->options(), "samples=100,at=center");
  EXPECT_TRUE(make_type("clip", {{"samples", "7"}})->is_random());
  EXPECT_FALSE(clip(7, "end")->is_random());
}

TEST(Clip, RefusesInvalidOptions) {
  const auto error = [](const std::map<std::string, std::string>& options) {
    return testing::error_of<ConfigError>([&] { static_cast<void>(make_type("clip", options)); });
  };
  EXPECT_EQ(error({}), "samples is needed");
  EXPECT_EQ(error({{"samples", "0"}}),
            "samples must be a whole number from 1 to 9223372036854775807: got \"0\"");
  EXPECT_EQ(error({{"samples", "3"}, {"at", "middle"}}),
            "at must be one of random, start, center, end: got \"middle\"");
}

}  // namespace
}  // namespace sheaf
