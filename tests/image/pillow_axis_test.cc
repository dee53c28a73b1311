#include "image/pillow_axis.h"

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

std::vector<std::int32_t> weights_at(const AxisWeights& weights, std::int64_t at) {
  return {weights.of(at), weights.of(at) + weights.count(at)};
}

TEST(PillowAxis, BilinearHalvingUsesFourSources) {
  std::vector<std::int32_t> room;
  std::vector<double> doubles;
  const ResizeAxis axis{.extent = 8, .first = 0, .end = 8, .made = 4};
  const AxisWeights weights = weights_of(axis, ResizeFilter::bilinear, room, doubles);
  EXPECT_EQ(weights.made, 4);
  EXPECT_EQ(weights.first(1), 1);
  const std::int32_t one = 1 << kWeightBits;
  EXPECT_EQ(weights_at(weights, 1), (std::vector{one / 8, 3 * one / 8, 3 * one / 8, one / 8}));
}

TEST(PillowAxis, TheWeightsOfAValueAddUpToOne) {
  std::vector<std::int32_t> room;
  std::vector<double> doubles;
  for (const auto filter : {ResizeFilter::box, ResizeFilter::bilinear, ResizeFilter::hamming,
                            ResizeFilter::bicubic, ResizeFilter::lanczos}) {
    for (const std::int64_t made : {1, 3, 17, 30, 31, 90}) {
      const ResizeAxis axis{.extent = 30, .first = 0, .end = 30, .made = made};
      const AxisWeights weights = weights_of(axis, filter, room, doubles);
      for (std::int64_t at = 0; at < made; ++at) {
        ASSERT_GE(weights.first(at), 0);
        ASSERT_LE(weights.first(at) + weights.count(at), 30);
        const auto each = weights_at(weights, at);
        EXPECT_NEAR(std::accumulate(each.begin(), each.end(), 0), 1 << kWeightBits,
                    static_cast<double>(weights.taps));
      }
    }
  }
}

TEST(PillowAxis, SourcesCoverTheWholeAxis) {
  const ResizeAxis axis{.extent = 30, .first = 10, .end = 20, .made = 20};
  const AxisSources sources = sources_of(axis, ResizeFilter::bilinear);
  EXPECT_EQ(sources.first, 9);
  EXPECT_EQ(sources.count, 12);
  EXPECT_EQ(sources_of(axis, ResizeFilter::nearest).first, 10);
  EXPECT_EQ(sources_of(axis, ResizeFilter::nearest).count, 10);
}

TEST(PillowAxis, EqualExtentsChangeNothing) {
  EXPECT_FALSE((ResizeAxis{.extent = 5, .first = 0, .end = 5, .made = 5}.changes()));
  EXPECT_TRUE((ResizeAxis{.extent = 5, .first = 0, .end = 5, .made = 6}.changes()));
  EXPECT_TRUE((ResizeAxis{.extent = 6, .first = 1, .end = 6, .made = 6}.changes()));
}

}  // namespace
}  // namespace sheaf::internal
