#include "transform/image_filter.h"

#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

constexpr TransformOption kFilterTestOptions[] = {kFilterOption, kAntialiasOption};
constexpr TransformType kFilterTestType = {.name = "test", .options = kFilterTestOptions};

TEST(ImageFilter, IsSelectedByOptions) {
  const TransformRequest none;
  const ImageFilter usual = image_filter(OptionValues(kFilterTestType, none));
  EXPECT_TRUE(usual.has_antialias);
  EXPECT_EQ(usual.filter, ResizeFilter::bilinear);
  EXPECT_EQ(to_string(usual), "filter=linear,antialias=true");

  const TransformRequest cubic{.options = {{"filter", "cubic"}, {"antialias", "false"}}};
  const ImageFilter other = image_filter(OptionValues(kFilterTestType, cubic));
  EXPECT_FALSE(other.has_antialias);
  EXPECT_EQ(other.interpolation, Interpolation::cubic);
  EXPECT_EQ(to_string(other), "filter=cubic,antialias=false");
}

TEST(PlanResize, SkipsEqualSizes) {
  std::vector<ImageStep> steps;
  const ImageForm form{.height = 4, .width = 5, .channels = 3};
  plan_resize({}, form, 4, 5, steps);
  EXPECT_TRUE(steps.empty());
  plan_resize({}, form, 5, 4, steps);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].kind, ImageStep::Kind::resize);
  EXPECT_EQ(steps[0].made, (ImageForm{.height = 5, .width = 4, .channels = 3}));
}

}  // namespace
}  // namespace sheaf::internal
