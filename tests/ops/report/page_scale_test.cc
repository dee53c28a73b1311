#include "ops/report/page_scale.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ops/report/page_text.h"

namespace sheaf::internal::page {
namespace {

std::vector<std::string> texts_of(const std::vector<Tick>& ticks) {
  std::vector<std::string> texts;
  for (const Tick& each : ticks) texts.push_back(each.text);
  return texts;
}

TEST(PageScale, EndsAtTheNextRoundNumber) {
  EXPECT_EQ(scale_from_zero(1).high, 1);
  EXPECT_EQ(scale_from_zero(1.01).high, 2);
  EXPECT_EQ(scale_from_zero(190).high, 200);
  EXPECT_EQ(scale_from_zero(0.022).high, 0.025);
  EXPECT_EQ(scale_from_zero(60001).high, 100000);
}

TEST(PageScale, DefaultsToOne) {
  for (const double largest : {0.0, -3.0, HUGE_VAL, std::nan("")}) {
    EXPECT_EQ(scale_from_zero(largest).low, 0);
    EXPECT_EQ(scale_from_zero(largest).high, 1);
  }
}

TEST(PageScale, HasMarginsAroundTheValues) {
  const Scale scale = scale_around(-1, 1);
  EXPECT_LT(scale.low, -1);
  EXPECT_GT(scale.high, 1);
  EXPECT_NEAR(scale.at(0), 0.5, 1e-9);
}

TEST(PageScale, EqualValuesLieInTheMiddle) {
  for (const double value : {0.0, 7.0, -1e300, 1e308}) {
    const Scale scale = scale_around(value, value);
    EXPECT_LT(scale.low, scale.high) << value;
    EXPECT_TRUE(std::isfinite(scale.at(0))) << value;
  }
  EXPECT_NEAR(scale_around(7, 7).at(7), 0.5, 1e-9);
}

TEST(PageScale, ThreeTicksLeaveOutARedundantMiddle) {
  EXPECT_EQ(texts_of(three_ticks({0, 200}, value_text)),
            (std::vector<std::string>{"0", "100", "200"}));
  const NumberText rounded = [](double value) { return count_text(std::llround(value)); };
  EXPECT_EQ(texts_of(three_ticks({0, 1}, rounded)), (std::vector<std::string>{"0", "1"}));
}

TEST(PageScale, RoundTicksAreRoundNumbers) {
  EXPECT_EQ(texts_of(round_ticks({-18.5, 21.1}, value_text, 4)),
            (std::vector<std::string>{"-10", "0", "10", "20"}));
  EXPECT_EQ(texts_of(round_ticks({0, 1}, value_text, 4)),
            (std::vector<std::string>{"0", "0.25", "0.5", "0.75", "1"}));
}

TEST(PageScale, AtLeastTwoRoundTicksLieInside) {
  for (const double low : {-1e12, -3.7, -1e-7, 0.0, 0.013, 999.5, 1e8}) {
    for (const double width : {1e-6, 0.01, 1.0, 3.3, 777.0, 1e9}) {
      for (int parts = 1; parts <= 8; ++parts) {
        const Scale scale = {low, low + width};
        const std::vector<Tick> ticks = round_ticks(scale, value_text, parts);
        if (scale.high > scale.low) {
          EXPECT_GE(ticks.size(), 2U) << low << ' ' << width << ' ' << parts;
        }
        for (const Tick& each : ticks) {
          EXPECT_GE(each.at, -1e-6) << low << ' ' << width;
          EXPECT_LE(each.at, 1 + 1e-6) << low << ' ' << width;
        }
      }
    }
  }
}

TEST(PageScale, AScaleWithoutWidthHasOneTick) {
  EXPECT_EQ(texts_of(round_ticks({3, 3}, value_text, 4)), std::vector<std::string>{"3"});
}

}  // namespace
}  // namespace sheaf::internal::page
