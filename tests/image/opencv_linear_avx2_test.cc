#include "image/opencv_linear.h"

#if defined(__x86_64__)

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/each_simd_level.h"
#include "image/resize_cases.h"
#include "image/two_values.h"

namespace sheaf::internal {
namespace {

class OpencvLinear : public EachSimdLevel {
 protected:
  /// Resizes with the current instruction set and with the baseline, and compares the results.
  void compare(const MadeImage<std::uint8_t>& from, std::int64_t width, std::int64_t height) {
    const SimdLevel level = simd_level();
    MadeImage<std::uint8_t> made(width, height, from.view.channels);
    resize_as_opencv(from.read(), made.view, Interpolation::linear, memory_);
    MadeImage<std::uint8_t> expected(width, height, from.view.channels);
    ASSERT_TRUE(set_simd_level(SimdLevel::baseline));
    resize_as_opencv(from.read(), expected.view, Interpolation::linear, memory_);
    ASSERT_TRUE(set_simd_level(level));
    EXPECT_EQ(made.values, expected.values)
        << from.view.width << " x " << from.view.height << " x " << from.view.channels << " to "
        << width << " x " << height;
  }

  static MadeImage<std::uint8_t> extremes(std::int64_t width, std::int64_t height,
                                          std::int64_t channels) {
    auto image = formula_image<std::uint8_t>(width, height, channels);
    for (std::uint8_t& value : image.values) value = value < 128 ? 0 : 255;
    return image;
  }

 private:
  ResizeMemory memory_;
};

TEST_P(OpencvLinear, MatchesTheBaseline) {
  for (const std::int64_t channels : {1, 2, 3, 4, 5}) {
    for (std::int64_t width = 1; width <= 70; ++width) {
      compare(formula_image<std::uint8_t>(width, 9, channels), 33, 11);
      compare(formula_image<std::uint8_t>(47, 7, channels), width, 5);
      compare(extremes(width, 5, channels), 71 - width, 6);
      compare(extremes(width * 9, 5, channels), 40, 3);
      compare(extremes(13, 1 + width % 3, channels), width * 5, 4);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, OpencvLinear,
                         ::testing::Values(SimdLevel::baseline, SimdLevel::avx2, SimdLevel::avx512),
                         [](const auto& level) { return std::string(to_string(level.param)); });

class OpencvLinearAvx2 : public Avx2Test {};

TEST_F(OpencvLinearAvx2, LeavesShortRowsAndManyChannelsToTheBaseline) {
  ResizeMemory memory;
  const struct {
    std::int64_t width;
    std::int64_t channels;
    bool is_taken;
  } cases[] = {{31, 1, false}, {32, 1, true}, {33, 1, true}, {10, 3, false},
               {11, 3, true},  {40, 4, true}, {40, 5, false}};
  for (const auto& each : cases) {
    const auto from = formula_image<std::uint8_t>(2, 2, each.channels);
    MadeImage<std::uint8_t> to(each.width, 1, each.channels);
    const std::vector<LinearTap> columns(
        static_cast<std::size_t>(each.width),
        {.first = 0, .second = 1, .first_weight = 1024, .second_weight = 1024});
    const std::vector<LinearTap> rows(1, columns[0]);
    EXPECT_EQ(resize_linear_avx2(from.read(), columns, rows, to.view, memory), each.is_taken)
        << each.width << " x " << each.channels;
  }
}

}  // namespace
}  // namespace sheaf::internal

#endif
