#include <algorithm>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"
#include "transform/run_transform.h"

namespace sheaf {
namespace {

using testing::error_of;
using Rows = std::vector<std::vector<double>>;

std::shared_ptr<const Transform> delta(std::int64_t order, std::int64_t window,
                                       const std::string& style, bool append = true) {
  return make_type("delta", {{"order", std::to_string(order)},
                             {"window", std::to_string(window)},
                             {"style", style},
                             {"append", append ? "true" : "false"}});
}

void expect_near(const Rows& found, const Rows& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t t = 0; t < found.size(); ++t) {
    ASSERT_EQ(found[t].size(), expected[t].size());
    for (std::size_t i = 0; i < found[t].size(); ++i) {
      EXPECT_NEAR(found[t][i], expected[t][i], tolerance) << "sample " << t << ", value " << i;
    }
  }
}

TEST(Delta, OfAStraightLineIsItsSlope) {
  const TestSequence made = run_transform(*delta(1, 2, "kaldi"), {counting(9, 1)})[0];
  EXPECT_EQ(made.samples[4], (std::vector<double>{4, 1}));
  // At the end, the last sample is repeated: (1 * (8 - 7) + 2 * (8 - 6)) / 10.
  EXPECT_EQ(made.samples[8], (std::vector<double>{8, 0.5}));
  EXPECT_EQ(run_transform(*delta(1, 2, "htk"), {counting(9, 1)})[0], made);
}

// The numbers come from numpy: np.convolve() of the scales, then np.correlate() with the samples
// after np.pad(mode="edge"). For HTK, np.pad(mode="edge") comes before each order.
TEST(Delta, MatchesNumpy) {
  const TestSequence from{
      .stream = {.name = "x", .element_type = ElementType::f64, .sample_shape = Shape{2}},
      .samples = {{0.001, 0.299},
                  {-0.274, -0.891},
                  {-0.455, -0.992},
                  {0.06, 1.34},
                  {-0.492, -0.62},
                  {0.49, 0.357}}};
  const auto made = [&](std::int64_t order, std::int64_t window, const std::string& style) {
    return run_transform(*delta(order, window, style, false), {from})[0].samples;
  };
  expect_near(made(2, 2, "kaldi"),
              {{-0.1187, -0.3772, -0.01092, 0.03957},
               {-0.0338, 0.0791, 0.04617, 0.14661},
               {-0.0652, 0.0393, 0.08843, 0.13051},
               {0.1491, 0.2868, 0.07332, -0.02238},
               {0.232, 0.1715, 0.05583, -0.00735},
               {0.1842, -0.0989, -0.03338, -0.05497}},
              1e-15);
  expect_near(made(3, 1, "kaldi"),
              {{-0.1375, -0.595, -0.114, -0.32275, 0.1105, 0.576375},
               {-0.228, -0.6455, 0.15225, 0.85525, 0.109375, 0.36925},
               {0.167, 1.1155, 0.10475, 0.41575, -0.064125, -0.829375},
               {-0.0185, 0.186, 0.024, -0.8035, 0.075, -0.13225},
               {0.215, -0.4915, 0.25475, 0.15125, -0.06575, 0.524625},
               {0.491, 0.4885, -0.1075, 0.24575, -0.250125, -0.19775}},
              1e-15);
  expect_near(made(2, 2, "htk"),
              {{-0.1187, -0.3772, 0.01919, 0.12893},
               {-0.0338, 0.0791, 0.05891, 0.17445},
               {-0.0652, 0.0393, 0.08843, 0.13051},
               {0.1491, 0.2868, 0.07332, -0.02238},
               {0.232, 0.1715, 0.05339, -0.06621},
               {0.1842, -0.0989, 0.00224, -0.10418}},
              1e-15);
  expect_near(made(3, 1, "htk"),
              {{-0.1375, -0.595, -0.04525, -0.02525, 0.09875, 0.44025},
               {-0.228, -0.6455, 0.15225, 0.85525, 0.075, 0.2205},
               {0.167, 1.1155, 0.10475, 0.41575, -0.064125, -0.829375},
               {-0.0185, 0.186, 0.024, -0.8035, 0.075, -0.13225},
               {0.215, -0.4915, 0.25475, 0.15125, 0.057, 0.64675},
               {0.491, 0.4885, 0.138, 0.49, -0.058375, 0.169375}},
              1e-15);
}

// The recursion of the HTK book. HTK repeats the first and the last delta beyond the ends. Kaldi
// computes deltas beyond the ends, and repeats only samples.
class SlowDelta {
 public:
  SlowDelta(const TestSequence& sequence, std::int64_t window, bool is_htk)
      : samples_(sequence.samples), window_(window), is_htk_(is_htk) {}

  [[nodiscard]] double value(std::int64_t order, std::int64_t t, std::size_t i) const {
    if (order == 0 || is_htk_) t = std::clamp<std::int64_t>(t, 0, std::ssize(samples_) - 1);
    if (order == 0) return samples_[static_cast<std::size_t>(t)][i];
    double sum = 0;
    double norm = 0;
    for (std::int64_t j = -window_; j <= window_; ++j) {
      sum += static_cast<double>(j) * value(order - 1, t + j, i);
      norm += static_cast<double>(j * j);
    }
    return sum / norm;
  }

 private:
  const Rows& samples_;
  std::int64_t window_;
  bool is_htk_;
};

TEST(Delta, AgreesWithTheRecursion) {
  for (const bool is_htk : {false, true}) {
    for (const std::int64_t order : {1, 2, 3}) {
      for (const std::int64_t window : {1, 2, 4}) {
        for (const std::int64_t count : {1, 2, 5, 11}) {
          // 9 values: a block of eight and one more.
          const std::int64_t dim = count == 5 ? 9 : 2;
          const TestSequence from = random_values(count, dim, 3, ElementType::f64);
          const SlowDelta slow(from, window, is_htk);
          Rows expected = from.samples;
          for (std::size_t t = 0; t < expected.size(); ++t) {
            for (std::int64_t n = 1; n <= order; ++n) {
              for (std::size_t i = 0; i < from.samples[0].size(); ++i) {
                expected[t].push_back(slow.value(n, static_cast<std::int64_t>(t), i));
              }
            }
          }
          SCOPED_TRACE(::testing::Message() << is_htk << order << window << count);
          const auto whole = delta(order, window, is_htk ? "htk" : "kaldi");
          expect_near(run_transform(*whole, {from})[0].samples, expected, 1e-14);
        }
      }
    }
  }
}

TEST(Delta, SlicesEqualPartsOfTheWhole) {
  for (const std::string style : {"kaldi", "htk"}) {
    for (const std::int64_t order : {1, 2, 3}) {
      for (const std::int64_t window : {1, 2, 30}) {
        expect_slices(*delta(order, window, style), {random_values(9, 3)});
        expect_slices(*delta(order, window, style, false),
                      {random_values(9, 11, 1, ElementType::f64)});
      }
    }
  }
}

TEST(Delta, SupportsWindowsLongerThanTheSequence) {
  for (const std::string style : {"kaldi", "htk"}) {
    const TestSequence made = run_transform(*delta(3, 1000, style), {random_values(1, 2)})[0];
    for (std::size_t i = 2; i < 8; ++i) EXPECT_NEAR(made.samples[0][i], 0, 1e-15) << style << i;
    expect_slices(*delta(3, 1000, style), {random_values(3, 1)});
  }
}

TEST(Delta, OfAConstantIsZero) {
  for (const std::string style : {"kaldi", "htk"}) {
    const TestSequence made =
        run_transform(*delta(3, 3, style, false), {scalars({0.1, 0.1, 0.1})})[0];
    EXPECT_EQ(made.samples, Rows(3, {0, 0, 0})) << style;
  }
}

TEST(Delta, GivesOnlyTheDeltasWithoutAppend) {
  const TestSequence from = random_values(6, 3);
  const TestSequence both = run_transform(*delta(2, 2, "kaldi"), {from})[0];
  const TestSequence alone = run_transform(*delta(2, 2, "kaldi", false), {from})[0];
  EXPECT_EQ(both.stream.sample_shape, Shape{9});
  EXPECT_EQ(alone.stream.sample_shape, Shape{6});
  for (std::size_t t = 0; t < from.samples.size(); ++t) {
    std::vector<double> joined = from.samples[t];
    joined.insert(joined.end(), alone.samples[t].begin(), alone.samples[t].end());
    EXPECT_EQ(both.samples[t], joined);
  }
}

TEST(Delta, ListsItsOptions) {
  EXPECT_EQ(make_type("delta")->options(), "order=2,window=2,style=kaldi,append=true");
  EXPECT_EQ(delta(1, 3, "htk", false)->options(), "order=1,window=3,style=htk,append=false");
}

TEST(Delta, RefusesOtherStreamsAndOptions) {
  const auto refusal = [&](const Stream& stream) {
    return error_of<ConfigError>([&] {
      static_cast<void>(make_type("delta")->outputs({&stream, 1}));
    });
  };
  EXPECT_EQ(refusal({.name = "s", .sample_shape = Shape{9}, .storage = Storage::sparse}),
            "stream \"s\" must be dense, with samples of a fixed shape: got sparse f32 [9]");
  EXPECT_EQ(refusal({.name = "v", .sample_shape = Shape{Shape::kVariable}}),
            "stream \"v\" must be dense, with samples of a fixed shape: got dense f32 [*]");
  EXPECT_EQ(refusal({.name = "i", .element_type = ElementType::i32, .sample_shape = Shape{2}}),
            "stream \"i\" must have values of type f32 or f64: got dense i32 [2]");
  EXPECT_EQ(refusal({.name = "r", .sample_shape = Shape{2, 3}}),
            "stream \"r\" must have samples of one extent: got dense f32 [2, 3]");
  EXPECT_EQ(refusal({.name = "r", .sample_shape = Shape{}}),
            "stream \"r\" must have samples of one extent: got dense f32 []");
  EXPECT_EQ(
      refusal({.name = "x", .sample_shape = Shape{1'000'000'000}}),
      "stream \"x\": 3 times 1000000000 values are too many for a sample; it holds 2147483647");
  EXPECT_EQ(error_of<ConfigError>([] { delta(4, 2, "kaldi"); }),
            "order must be a whole number from 1 to 3: got \"4\"");
  EXPECT_EQ(error_of<ConfigError>([] { delta(1, 1001, "kaldi"); }),
            "window must be a whole number from 1 to 1000: got \"1001\"");
  EXPECT_EQ(error_of<ConfigError>([] { delta(1, 1, "sphinx"); }),
            "style must be one of kaldi, htk: got \"sphinx\"");
}

}  // namespace
}  // namespace sheaf
