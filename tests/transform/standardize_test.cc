#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"
#include "transform/run_transform.h"

namespace sheaf {
namespace {

using testing::error_of;
using Rows = std::vector<std::vector<double>>;
using Texts = std::map<std::string, std::string>;

constexpr const char* kAll = R"({"count": 9, "mean": [1, 2], "stddev": [2, 0]})";
constexpr const char* kSpeakers = R"({"speakers": {
    "ann": {"mean": [1, 2], "stddev": [2, 4]}, "bob": {"mean": [0, 1], "stddev": [1, 1]}}})";

std::string make_error(const Texts& options, const Texts& files = {}) {
  return error_of<ConfigError>([&] { make_type("standardize", options, files); });
}

TEST(Standardize, AcceptsMeansAndDeviationsAsOptions) {
  const auto each = make_type("standardize", {{"mean", "1 2"}, {"stddev", "0.5 4"}});
  EXPECT_EQ(run_transform(*each, {counting(3, 2)})[0].samples,
            (Rows{{-2, -0.25}, {2, 0.25}, {6, 0.75}}));
  EXPECT_EQ(each->options(), "mean=1 2,stddev=0.5 4");
  expect_slices(*each, {counting(4, 2)});

  const auto all = make_type("standardize", {{"mean", "1"}});
  EXPECT_EQ(run_transform(*all, {counting(2, 2)})[0].samples, (Rows{{-1, 0}, {1, 2}}));
  EXPECT_EQ(all->options(), "mean=1,stddev=1");
  const auto divided = make_type("standardize", {{"stddev", "2"}});
  EXPECT_EQ(run_transform(*divided, {counting(2, 2)})[0].samples, (Rows{{0, 0.5}, {1, 1.5}}));
  EXPECT_EQ(divided->options(), "mean=0,stddev=2");
}

TEST(Standardize, ComputesTheStatisticsOfASequence) {
  const auto transform = make_type("standardize", {{"per", "sequence"}});
  // The mean is 3 and the deviations are -2, -1, 0 and 3, so the variance is 14 / 4.
  const double deviation = std::sqrt(3.5);
  const TestSequence made = run_transform(*transform, {scalars({1, 2, 3, 6})})[0];
  for (std::size_t i = 0; i < 4; ++i) {
    const double difference = std::vector<double>{-2, -1, 0, 3}[i];
    EXPECT_EQ(made.samples[i][0], static_cast<double>(static_cast<float>(difference / deviation)));
  }
  EXPECT_EQ(transform->options(), "per=sequence,variance=true,floor=1e-8");
  const auto mean_only = make_type("standardize", {{"per", "sequence"}, {"variance", "false"}});
  EXPECT_EQ(run_transform(*mean_only, {scalars({1, 2, 3, 6})})[0].samples,
            (Rows{{-2}, {-1}, {0}, {3}}));
  EXPECT_EQ(mean_only->options(), "per=sequence,variance=false");
}

// The slow way: E[x^2] - E[x]^2 in long double, for values of all sizes.
TEST(Standardize, AgreesWithTheMoments) {
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    for (const std::int64_t count : {2, 3, 50}) {
      const TestSequence from = random_values(count, 5, 9, type);
      const auto transform = make_type("standardize", {{"per", "sequence"}});
      const TestSequence made = run_transform(*transform, {from})[0];
      for (std::size_t i = 0; i < 5; ++i) {
        long double sum = 0;
        long double squares = 0;
        for (const std::vector<double>& sample : from.samples) {
          sum += sample[i];
          squares += static_cast<long double>(sample[i]) * sample[i];
        }
        const long double mean = sum / static_cast<long double>(count);
        const long double variance = squares / static_cast<long double>(count) - mean * mean;
        for (std::size_t t = 0; t < from.samples.size(); ++t) {
          const auto expected =
              static_cast<double>((from.samples[t][i] - mean) / std::sqrt(variance));
          EXPECT_NEAR(made.samples[t][i], expected, type == ElementType::f32 ? 1e-6 : 1e-12);
        }
      }
    }
  }
}

TEST(Standardize, SlicesEqualPartsOfTheWhole) {
  for (const std::string variance : {"true", "false"}) {
    const auto transform = make_type("standardize", {{"per", "sequence"}, {"variance", variance}});
    expect_slices(*transform, {random_values(7, 3)});
    expect_slices(*transform, {random_values(1, 2, 4, ElementType::f64)});
  }
}

TEST(Standardize, DividesConstantValuesByTheFloor) {
  const auto transform = make_type("standardize", {{"per", "sequence"}, {"floor", "0.5"}});
  EXPECT_EQ(run_transform(*transform, {scalars({5, 5})})[0].samples, (Rows{{0}, {0}}));
  // A deviation of 0.125 is below the floor.
  EXPECT_EQ(run_transform(*transform, {scalars({1, 1.25})})[0].samples, (Rows{{-0.25}, {0.25}}));
  EXPECT_EQ(run_transform(*transform, {scalars({7})})[0].samples, (Rows{{0}}));
}

TEST(Standardize, ReadsStatisticsOfAllSequences) {
  const Texts files = {{"a.json", kAll}, {"b.json", R"({"mean": [3]})"}};
  const auto transform =
      make_type("standardize", {{"statistics", "a.json"}, {"floor", "0.25"}}, files);
  EXPECT_EQ(run_transform(*transform, {counting(2, 2)})[0].samples, (Rows{{-0.5, -4}, {0.5, 4}}));
  expect_slices(*transform, {counting(4, 2)});
  const auto mean_only =
      make_type("standardize", {{"statistics", "b.json"}, {"variance", "false"}}, files);
  EXPECT_EQ(run_transform(*mean_only, {counting(2, 2)})[0].samples, (Rows{{-3, -2}, {-1, 0}}));
}

TEST(Standardize, ReadsStatisticsOfSpeakers) {
  const Texts files = {{"s.json", kSpeakers}, {"map", "utt-1 ann\n7 bob\nutt-2 eve\n"}};
  const auto transform =
      make_type("standardize", {{"statistics", "s.json"}, {"speakers", "map"}}, files);
  const std::vector<TestSequence> input = {counting(2, 2)};
  EXPECT_EQ(run_transform(*transform, input, TestName{.key_text = "utt-1"})[0].samples,
            (Rows{{-0.5, -0.25}, {0.5, 0.25}}));
  EXPECT_EQ(run_transform(*transform, input, TestName{.key = 7})[0].samples,
            (Rows{{0, 0}, {2, 2}}));
  EXPECT_EQ(error_of<ConfigError>(
                [&] { run_transform(*transform, input, TestName{.key_text = "utt-3"}); }),
            "speakers=map: the file has no line for utt-3");
  EXPECT_EQ(error_of<ConfigError>([&] { run_transform(*transform, input, TestName{.key = 8}); }),
            "speakers=map: the file has no line for 8");
  EXPECT_EQ(error_of<ConfigError>(
                [&] { run_transform(*transform, input, TestName{.key_text = "utt-2"}); }),
            "statistics=s.json: the file has no speaker \"eve\", which speakers=map names");
}

TEST(Standardize, OptionsDependOnTheContentOfTheFiles) {
  const auto options_with = [](const std::string& json, const std::string& map) {
    Texts options = {{"statistics", "s.json"}};
    if (!map.empty()) options["speakers"] = "map";
    return make_type("standardize", options, {{"s.json", json}, {"map", map}})->options();
  };
  const std::string all = options_with(kAll, "");
  EXPECT_EQ(all, options_with(kAll, ""));
  EXPECT_EQ(all.substr(0, 11), "statistics=");
  EXPECT_EQ(all.substr(all.find(',')), ",variance=true,floor=1e-8");
  EXPECT_NE(all, options_with(R"({"mean": [1], "stddev": [2]})", ""));
  const std::string speakers = options_with(kSpeakers, "a ann\n");
  EXPECT_NE(speakers, options_with(kSpeakers, "a bob\n"));
}

TEST(Standardize, RefusesSequencesWithoutAMean) {
  const auto transform = make_type("standardize", {{"per", "sequence"}});
  TestSequence from = counting(3, 2);
  from.samples[2][1] = std::nan("");
  EXPECT_EQ(error_of<ConfigError>([&] { run_transform(*transform, {from}); }),
            "stream \"x\": value 1 of sample 2 is nan; a sequence with such values has no mean and "
            "standard deviation");
  from = scalars({1e308, 1e308});
  from.stream.element_type = ElementType::f64;
  EXPECT_EQ(error_of<ConfigError>([&] { run_transform(*transform, {from}); }),
            "stream \"x\": value 0 is too large in this sequence for a mean and a standard "
            "deviation");
}

TEST(Standardize, RefusesResultsThatTheTypeCannotHold) {
  const auto transform = make_type("standardize", {{"stddev", "1e-30"}});
  const TestSequence large = scalars({1, 1e10});
  EXPECT_EQ(
      error_of<ConfigError>([&] { run_transform(*transform, {large}); }),
      "stream \"x\": value 0 of sample 1 is 10000000000; its standardized value is too large for "
      "f32");
  TestSequence doubles = scalars({1, 1e300});
  doubles.stream.element_type = ElementType::f64;
  EXPECT_EQ(error_of<ConfigError>([&] {
              run_transform(*transform, {doubles}, SampleRange{1, 1});
            }),
            "stream \"x\": value 0 of sample 1 is 1e+300; its standardized value is too large for "
            "f64");
  // Infinity and NaN pass unchanged.
  const TestSequence made = run_transform(*transform, {scalars({HUGE_VAL, std::nan("")})})[0];
  EXPECT_EQ(made.samples[0][0], HUGE_VAL);
  EXPECT_TRUE(std::isnan(made.samples[1][0]));
}

TEST(Standardize, RefusesOtherStreams) {
  const Texts files = {{"a.json", kAll}, {"s.json", kSpeakers}, {"map", "u ann\n"}};
  const auto refusal = [&](const Texts& options, const Stream& stream) {
    const auto transform = make_type("standardize", options, files);
    return error_of<ConfigError>([&] { static_cast<void>(transform->outputs({&stream, 1})); });
  };
  const Texts each = {{"mean", "1 2"}};
  EXPECT_EQ(refusal(each, {.name = "s", .sample_shape = Shape{2}, .storage = Storage::sparse}),
            "stream \"s\" must be dense, with samples of a fixed shape: got sparse f32 [2]");
  EXPECT_EQ(refusal(each, {.name = "v", .sample_shape = Shape{Shape::kVariable}}),
            "stream \"v\" must be dense, with samples of a fixed shape: got dense f32 [*]");
  EXPECT_EQ(
      refusal(each, {.name = "i", .element_type = ElementType::i64, .sample_shape = Shape{2}}),
      "stream \"i\" must have values of type f32 or f64: got dense i64 [2]");
  const Stream three = {.name = "x", .sample_shape = Shape{3}};
  EXPECT_EQ(refusal(each, three),
            "stream \"x\" has samples of 3 values: mean must have 1 or 3, got 2");
  EXPECT_EQ(refusal({{"stddev", "1 2"}}, three),
            "stream \"x\" has samples of 3 values: stddev must have 1 or 3, got 2");
  EXPECT_EQ(refusal({{"statistics", "a.json"}}, three),
            "stream \"x\" has samples of 3 values: statistics=a.json must have 1 or 3, got 2");
  EXPECT_EQ(
      refusal({{"statistics", "s.json"}, {"speakers", "map"}}, three),
      "stream \"x\" has samples of 3 values: statistics=s.json: speaker \"ann\" must have 1 or "
      "3, got 2");
  EXPECT_EQ(refusal(each, {.name = "x", .sample_shape = Shape{2, 1}}), "");
  EXPECT_EQ(refusal({{"mean", "1"}}, {.name = "x", .sample_shape = Shape{1LL << 31}}),
            "stream \"x\" must have fewer values a sample: got dense f32 [2147483648]");
}

TEST(Standardize, RefusesIncompatibleOptions) {
  const std::string ways =
      "exactly one of these is needed: mean and stddev, per=sequence, statistics; got ";
  EXPECT_EQ(make_error({}), ways + "none");
  EXPECT_EQ(make_error({{"mean", "1"}, {"per", "sequence"}}), ways + "several");
  EXPECT_EQ(make_error({{"per", "sequence"}, {"statistics", "a"}}), ways + "several");
  EXPECT_EQ(make_error({{"per", "speaker"}}), "per must be one of sequence: got \"speaker\"");
  EXPECT_EQ(make_error({{"per", "sequence"}, {"speakers", "map"}}),
            "speakers goes with statistics alone");
  EXPECT_EQ(make_error({{"per", "sequence"}, {"floor", "0"}}),
            "floor must be a number from 1e-300 to 1e+300: got \"0\"");
  EXPECT_EQ(make_error({{"mean", "1"}, {"variance", "true"}}),
            "variance does not go with mean and stddev");
  EXPECT_EQ(make_error({{"mean", "1"}, {"floor", "1"}}), "floor does not go with mean and stddev");
  EXPECT_EQ(make_error({{"mean", ""}}), "mean must have a number");
  EXPECT_EQ(make_error({{"mean", "1"}, {"stddev", "1 0"}}),
            "stddev must be numbers above 0: got 0");
  const Texts files = {{"a", kAll},      {"m", R"({"mean": [1]})"},
                       {"s", kSpeakers}, {"p", R"({"speakers": {"ann": {"mean": [1]}}})"},
                       {"map", ""},      {"bad", "{"}};
  EXPECT_EQ(make_error({{"statistics", "bad"}}, files), "statistics=bad:1:2: not JSON");
  EXPECT_EQ(make_error({{"statistics", "m"}}, files),
            "statistics=m: expected the field \"stddev\", which variance=false does without");
  EXPECT_EQ(make_error({{"statistics", "p"}, {"speakers", "map"}}, files),
            "statistics=p: speakers: \"ann\": expected the field \"stddev\", which variance=false "
            "does without");
  EXPECT_EQ(make_error({{"statistics", "s"}}, files),
            "statistics=s has speakers: speakers is needed");
  EXPECT_EQ(make_error({{"statistics", "a"}, {"speakers", "map"}}, files),
            "statistics=a has no speakers: speakers does not go with it");
  EXPECT_EQ(make_error({{"statistics", "s"}, {"speakers", "bad"}}, files),
            "speakers=bad:1: expected KEY SPEAKER, found \"{\"");
}

TEST(Standardize, RefusesFilesWithoutAFileSystem) {
  for (const TransformType& row : builtin_transforms()) {
    if (row.name != "standardize") continue;
    EXPECT_EQ(error_of<ConfigError>([&] {
                row.make({.options = {{"statistics", "a"}}});
              }),
              "statistics: there are no files here");
  }
}

}  // namespace
}  // namespace sheaf
