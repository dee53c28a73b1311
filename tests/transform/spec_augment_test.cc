// The golden numbers come from numpy.random.Philox and xxhash.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"
#include "transform/run_transform.h"

namespace sheaf {
namespace {

using Options = std::map<std::string, std::string>;
using Matrix = std::vector<std::vector<double>>;

std::shared_ptr<const Transform> spec_augment(const Options& options) {
  return make_type("spec_augment", options);
}

// Returns a sequence of ones.
TestSequence all_ones(std::int64_t sample_count, std::int64_t dim,
                      ElementType type = ElementType::f32) {
  TestSequence sequence{
      .stream = {.name = "features", .element_type = type, .sample_shape = Shape{dim}}};
  sequence.samples.assign(static_cast<std::size_t>(sample_count),
                          std::vector<double>(static_cast<std::size_t>(dim), 1.0));
  return sequence;
}

struct GoldenMasks {
  TestName name;
  std::vector<SampleRange> time;
  std::vector<SampleRange> frequency;
};

bool is_in(std::int64_t number, const std::vector<SampleRange>& ranges) {
  return std::ranges::any_of(ranges, [number](const SampleRange& range) {
    return number >= range.first && number < range.first + range.count;
  });
}

// Returns a sequence of ones, with zeros written by the masks value by value.
TestSequence masked_ones(std::int64_t sample_count, std::int64_t dim, const GoldenMasks& masks) {
  TestSequence sequence = all_ones(sample_count, dim);
  for (std::int64_t t = 0; t < sample_count; ++t) {
    for (std::int64_t i = 0; i < dim; ++i) {
      if (!is_in(t, masks.time) && !is_in(i, masks.frequency)) continue;
      sequence.samples[static_cast<std::size_t>(t)][static_cast<std::size_t>(i)] = 0;
    }
  }
  return sequence;
}

TEST(SpecAugment, MasksMatchNumpyPhilox) {
  const std::vector<GoldenMasks> golden = {
      {{0, 0, 0}, {{247, 8}, {265, 8}}, {{3, 17}, {51, 22}}},
      {{0, 0, 1}, {{167, 15}, {117, 8}}, {{13, 1}, {4, 12}}},
      {{7, 3, 42}, {{111, 15}, {178, 25}}, {{11, 3}, {16, 20}}},
      {{UINT64_MAX, INT64_MAX, UINT64_MAX}, {{83, 9}, {45, 29}}, {{50, 11}, {22, 19}}},
      {{1, 0, 10}, {{203, 18}, {227, 9}}, {{10, 4}, {33, 7}}},
      {{1, 1, 10}, {{222, 34}, {9, 5}}, {{34, 13}, {63, 11}}}};
  for (const GoldenMasks& masks : golden) {
    EXPECT_EQ(run_transform(*spec_augment({}), {all_ones(300, 80)}, masks.name)[0],
              masked_ones(300, 80, masks));
  }
}

TEST(SpecAugment, MasksOfAShortSequenceMatchNumpyPhilox) {
  const std::vector<GoldenMasks> golden = {{{0, 0, 0}, {{9, 0}, {9, 0}, {0, 2}}, {{2, 2}}},
                                           {{0, 0, 1}, {{5, 1}, {4, 0}, {1, 0}}, {{0, 1}}},
                                           {{7, 3, 42}, {{3, 1}, {5, 2}, {1, 0}}, {{0, 2}}}};
  const auto transform = spec_augment({{"time_masks", "3"},
                                       {"time_ratio", "0.35"},
                                       {"frequency_masks", "1"},
                                       {"frequency_width", "2"}});
  for (const GoldenMasks& masks : golden) {
    EXPECT_EQ(run_transform(*transform, {all_ones(10, 4)}, masks.name)[0],
              masked_ones(10, 4, masks));
  }
}

// Computes the masks by their description in the paper, one number after the other.
TEST(SpecAugment, MasksAsDescribed) {
  std::mt19937 random(3);
  const auto up_to = [&random](std::int64_t end) {
    return static_cast<std::int64_t>(random()) % (end + 1);
  };
  for (int round = 0; round < 200; ++round) {
    const std::int64_t tau_max = 1 + up_to(20);
    const std::int64_t nu_max = 1 + up_to(6);
    const std::int64_t time_masks = up_to(3);
    const std::int64_t time_width = up_to(25);
    const std::int64_t frequency_masks = up_to(3);
    const std::int64_t frequency_width = up_to(8);
    const std::int64_t quarters = up_to(4);
    const TestName name = {.seed = random(), .sweep = up_to(5), .key = random()};
    const auto transform =
        spec_augment({{"time_masks", std::to_string(time_masks)},
                      {"time_width", std::to_string(time_width)},
                      {"time_ratio", std::to_string(static_cast<double>(quarters) / 4)},
                      {"frequency_masks", std::to_string(frequency_masks)},
                      {"frequency_width", std::to_string(frequency_width)},
                      {"value", "-7.5"}});
    KeyedGenerator generator({.seed = name.seed,
                              .sweep = name.sweep,
                              .key = {name.key, 0},
                              .transform = "spec_augment"});
    TestSequence expected = counting(tau_max, nu_max);
    const TestSequence input = expected;
    for (std::int64_t mask = 0; mask < time_masks; ++mask) {
      const std::int64_t t =
          generator.below(std::min({time_width, tau_max, quarters * tau_max / 4}) + 1);
      const std::int64_t t0 = generator.below(tau_max - t + 1);
      for (std::int64_t tau = 0; tau < tau_max; ++tau) {
        if (tau < t0 || tau >= t0 + t) continue;
        for (double& value : expected.samples[static_cast<std::size_t>(tau)]) value = -7.5;
      }
    }
    for (std::int64_t mask = 0; mask < frequency_masks; ++mask) {
      const std::int64_t f = generator.below(std::min(frequency_width, nu_max) + 1);
      const std::int64_t f0 = generator.below(nu_max - f + 1);
      for (std::vector<double>& sample : expected.samples) {
        for (std::int64_t nu = f0; nu < f0 + f; ++nu) sample[static_cast<std::size_t>(nu)] = -7.5;
      }
    }
    EXPECT_EQ(run_transform(*transform, {input}, name)[0], expected) << transform->options();
  }
}

TEST(SpecAugment, SlicesEqualPartsOfTheWhole) {
  const Options small = {{"time_width", "4"}, {"frequency_width", "2"}};
  for (std::uint64_t key = 0; key < 20; ++key) {
    const TestName name = {.seed = key / 3, .sweep = static_cast<std::int64_t>(key), .key = key};
    for (const std::string value : {"0", "-2.5", "mean"}) {
      Options options = small;
      options["value"] = value;
      expect_slices(*spec_augment(options), {counting(9, 5)}, name);
      options["time_ratio"] = "0.2";
      expect_slices(*spec_augment(options), {counting(9, 5)}, name);
    }
    expect_slices(*spec_augment({}), {counting(7, 3)}, name);
  }
}

TEST(SpecAugment, KeepsValuesOutsideMasks) {
  const auto none = spec_augment({{"time_masks", "0"}, {"frequency_masks", "0"}});
  EXPECT_EQ(run_transform(*none, {counting(5, 3)})[0], counting(5, 3));
  const auto empty = spec_augment({{"time_width", "0"}, {"frequency_width", "0"}});
  EXPECT_EQ(run_transform(*empty, {counting(5, 3)})[0], counting(5, 3));
  const auto no_share = spec_augment({{"time_ratio", "0"}, {"frequency_masks", "0"}});
  EXPECT_EQ(run_transform(*no_share, {counting(5, 3)})[0], counting(5, 3));
  for (std::uint64_t key = 0; key < 50; ++key) {  // less than one sample
    const auto little = spec_augment({{"time_ratio", "0.199"}, {"frequency_masks", "0"}});
    EXPECT_EQ(run_transform(*little, {counting(5, 3)}, {.key = key})[0], counting(5, 3));
  }
}

TEST(SpecAugment, MasksTheSameTimesForAnyExtent) {
  const auto transform = spec_augment({{"time_width", "9"}, {"frequency_masks", "0"}});
  for (std::uint64_t key = 0; key < 50; ++key) {
    const TestSequence narrow = run_transform(*transform, {all_ones(20, 1)}, {.key = key})[0];
    const TestSequence wide = run_transform(*transform, {all_ones(20, 8)}, {.key = key})[0];
    for (std::size_t t = 0; t < 20; ++t) {
      EXPECT_EQ(wide.samples[t], std::vector<double>(8, narrow.samples[t][0]));
    }
  }
}

TEST(SpecAugment, AcceptsWidthsLongerThanTheSequence) {
  const auto transform = spec_augment({{"time_masks", "1000"},
                                       {"time_width", std::to_string(INT64_MAX)},
                                       {"frequency_masks", "1000"},
                                       {"frequency_width", std::to_string(INT64_MAX)}});
  for (const std::int64_t count : {1, 2, 5}) {
    for (const std::int64_t dim : {1, 3}) {
      // A thousand masks cover each value.
      const TestSequence made = run_transform(*transform, {all_ones(count, dim)}, {.key = 9})[0];
      const std::vector<double> zeros(static_cast<std::size_t>(dim), 0.0);
      EXPECT_EQ(made.samples, Matrix(static_cast<std::size_t>(count), zeros));
    }
  }
}

TEST(SpecAugment, MasksWithTheMeanOfTheWholeSequence) {
  TestSequence input = all_ones(2, 2);
  input.samples = {{1, 2}, {3, 8}};  // the mean is 3.5
  const Options options = {{"value", "mean"}, {"time_width", "1"}, {"frequency_masks", "0"}};
  bool has_mask = false;
  for (std::uint64_t key = 0; key < 30; ++key) {
    for (const ElementType type : {ElementType::f32, ElementType::f64}) {
      input.stream.element_type = type;
      const TestSequence made = run_transform(*spec_augment(options), {input}, {.key = key})[0];
      for (std::size_t t = 0; t < 2; ++t) {
        if (made.samples[t] == input.samples[t]) continue;
        EXPECT_EQ(made.samples[t], (std::vector<double>{3.5, 3.5}));
        has_mask = true;
      }
    }
  }
  EXPECT_TRUE(has_mask);
}

TEST(SpecAugment, ReadsTheWholeSequenceForItsMeanOnly) {
  const std::vector<std::int64_t> counts = {100};
  const TransformedSequence sequence = {.sample_counts = counts};
  EXPECT_EQ(spec_augment({})->reads({3, 4}, sequence), (SampleRange{3, 4}));
  EXPECT_EQ(spec_augment({{"value", "mean"}})->reads({3, 4}, sequence), (SampleRange{0, 100}));
}

TEST(SpecAugment, SupportsFloatingPointTypes) {
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    const auto transform = spec_augment({{"value", "0.1"}, {"frequency_masks", "0"}});
    const TestSequence made = run_transform(*transform, {all_ones(60, 2, type)}, {.key = 1})[0];
    EXPECT_EQ(made.stream, all_ones(60, 2, type).stream);
    const double masked = type == ElementType::f32 ? double{0.1F} : 0.1;
    std::int64_t masked_count = 0;
    for (const std::vector<double>& sample : made.samples) {
      if (sample == std::vector<double>{1, 1}) continue;
      EXPECT_EQ(sample, (std::vector<double>{masked, masked}));
      ++masked_count;
    }
    EXPECT_GT(masked_count, 0);
  }
}

// Counts how often a mask of at most three of six elements has each width and each start.
std::array<std::array<int, 6>, 4> mask_counts(const Options& options, bool is_time, int key_count) {
  std::array<std::array<int, 6>, 4> counts{};
  const auto transform = spec_augment(options);
  const TestSequence input = is_time ? all_ones(6, 1) : all_ones(1, 6);
  for (int key = 0; key < key_count; ++key) {
    const TestName name = {.seed = 2, .key = static_cast<std::uint64_t>(key)};
    const Matrix made = run_transform(*transform, {input}, name)[0].samples;
    std::vector<double> line;
    for (const std::vector<double>& sample : made) {
      line.insert(line.end(), sample.begin(), sample.end());
    }
    const auto first = std::ranges::find(line, 0.0);
    const auto width = static_cast<std::size_t>(std::ranges::count(line, 0.0));
    ++counts.at(width).at(width == 0 ? 0 : static_cast<std::size_t>(first - line.begin()));
  }
  return counts;
}

TEST(SpecAugment, DrawsWidthsAndPositionsEquallyOften) {
  constexpr int kKeys = 24'000;
  const std::array<std::array<std::array<int, 6>, 4>, 2> all = {
      mask_counts({{"time_masks", "1"}, {"time_width", "3"}, {"frequency_masks", "0"}}, true,
                  kKeys),
      mask_counts({{"frequency_masks", "1"}, {"frequency_width", "3"}, {"time_masks", "0"}}, false,
                  kKeys)};
  for (const std::array<std::array<int, 6>, 4>& counts : all) {
    EXPECT_NEAR(counts[0][0], 6000, 336);  // five standard deviations, here and below
    for (std::size_t start = 0; start < 6; ++start) {
      EXPECT_NEAR(counts[1][start], 1000, 155);
      EXPECT_NEAR(counts[2][start], start < 5 ? 1200 : 0, start < 5 ? 169 : 0);
      EXPECT_NEAR(counts[3][start], start < 4 ? 1500 : 0, start < 4 ? 188 : 0);
    }
  }
}

TEST(SpecAugment, RefusesOtherStreams) {
  const auto error = [](const Stream& stream) {
    return testing::error_of<ConfigError>(
        [&] { static_cast<void>(spec_augment({})->outputs(std::vector{stream})); });
  };
  const std::string needed = "stream \"x\" must be dense f32 or f64 with one fixed extent: got ";
  EXPECT_EQ(error({.name = "x", .sample_shape = Shape{4}}), "");
  EXPECT_EQ(error({.name = "x"}), needed + "dense f32 []");
  EXPECT_EQ(error({.name = "x", .sample_shape = Shape{4, 4}}), needed + "dense f32 [4, 4]");
  EXPECT_EQ(error({.name = "x", .sample_shape = Shape{-1}}), needed + "dense f32 [*]");
  EXPECT_EQ(error({.name = "x", .sample_shape = Shape{4}, .storage = Storage::sparse}),
            needed + "sparse f32 [4]");
  EXPECT_EQ(error({.name = "x", .element_type = ElementType::i32, .sample_shape = Shape{4}}),
            needed + "dense i32 [4]");
  EXPECT_EQ(error({.name = "x", .element_type = ElementType::f16, .sample_shape = Shape{4}}),
            needed + "dense f16 [4]");
}

TEST(SpecAugment, ListsAllItsOptions) {
  EXPECT_EQ(spec_augment({})->options(),
            "time_masks=2,time_width=40,time_ratio=1,frequency_masks=2,frequency_width=27,value=0");
  EXPECT_EQ(spec_augment({{"time_masks", "1"},
                          {"time_width", "70"},
                          {"time_ratio", "0.20"},
                          {"frequency_masks", "3"},
                          {"frequency_width", "15"},
                          {"value", "mean"}})
                ->options(),
            "time_masks=1,time_width=70,time_ratio=0.2,frequency_masks=3,frequency_width=15,"
            "value=mean");
  EXPECT_TRUE(spec_augment({{"value", "-1.50"}})->options().ends_with("value=-1.5"));
  EXPECT_TRUE(spec_augment({})->is_random());
  EXPECT_TRUE(spec_augment({})->keeps_counts());
}

TEST(SpecAugment, RefusesInvalidOptions) {
  const auto error = [](const std::string& name, const std::string& value) {
    return testing::error_of<ConfigError>([&] { spec_augment({{name, value}}); });
  };
  EXPECT_EQ(error("time_masks", "1001"),
            "time_masks must be a whole number from 0 to 1000: got \"1001\"");
  EXPECT_EQ(error("frequency_masks", "-1"),
            "frequency_masks must be a whole number from 0 to 1000: got \"-1\"");
  EXPECT_EQ(error("time_width", "-1"),
            "time_width must be a whole number from 0 to 9223372036854775807: got \"-1\"");
  EXPECT_EQ(error("frequency_width", "x"),
            "frequency_width must be a whole number from 0 to 9223372036854775807: got \"x\"");
  EXPECT_EQ(error("time_ratio", "1.5"), "time_ratio must be a number from 0 to 1: got \"1.5\"");
  for (const std::string value : {"median", "", "1e39", "nan", "inf"}) {
    EXPECT_EQ(error("value", value),
              "value must be mean, or a number that an f32 can hold: got \"" + value + "\"");
  }
}

}  // namespace
}  // namespace sheaf
