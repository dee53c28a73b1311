#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"
#include "transform/run_images.h"
#include "transform/run_transform.h"

namespace sheaf {
namespace {

// The colors of ImageNet.
std::map<std::string, std::string> color_file() {
  return {
      {"i.xml",
       "<opencv_storage>"
       "<EigVal><rows>1</rows><cols>3</cols><dt>f</dt><data>0.2175 0.0188 0.0045</data></EigVal>"
       "<EigVec><rows>3</rows><cols>3</cols><dt>f</dt><data>-0.5675 0.7192 0.4009 "
       "-0.5808 -0.0045 -0.8140 -0.5836 -0.6948 0.4203</data></EigVec></opencv_storage>"}};
}

TEST(Intensity, MatchesCntk) {
  const auto intensity =
      joined({"intensity:deviation=0.1,file=i.xml,color=bgr,draws=ordered"}, color_file());
  const auto draws = intensity->ordered_draws({});
  TestImages images{.pixels = {{.extents = {1, 2, 3}, .values = {0, 0, 0, 100, 100, 100}}}};
  for (const std::vector<double>& shifts : {std::vector<double>{0.00711415, 0.00813221, 0.0103512},
                                            {0.0101945, 0.0115043, 0.0130829}}) {
    images.drawn = drawn_for(*draws, 0, images);
    const TestImage made = run_images(*intensity, images)[0];
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(made.values[c], shifts[c], 1e-7);
      EXPECT_NEAR(made.values[3 + c], 100 + shifts[c], 1e-5);
    }
  }
}

TEST(Intensity, ReversesTheShiftsForRgb) {
  const TestImages images{.pixels = {{.extents = {1, 1, 3}, .values = {100, 100, 100}}}, .key = 4};
  const auto made = [&](const std::string& color) {
    return run_images(*joined({"intensity:deviation=9,file=i.xml,color=" + color}, color_file()),
                      images)[0]
        .values;
  };
  const std::vector<double> rgb = made("rgb");
  EXPECT_EQ(made("bgr"), (std::vector<double>{rgb[2], rgb[1], rgb[0]}));
}

TEST(Intensity, ClampsBytes) {
  TestImages images{.pixels = {{.extents = {1, 2, 1}, .values = {0, 255}}}};
  const auto intensity = joined({"intensity:deviation=10000,file=i.xml"}, color_file());
  bool was_low = false;
  bool was_high = false;
  for (images.key = 0; images.key < 50; ++images.key) {
    const std::vector<double> values = run_images(*intensity, images)[0].values;
    for (const double value : values) EXPECT_TRUE(value >= 0 && value <= 255);
    was_low |= values[1] == 0;
    was_high |= values[0] == 255;
  }
  EXPECT_TRUE(was_low);
  EXPECT_TRUE(was_high);
}

TEST(Intensity, RefusesOtherImagesAndFiles) {
  const auto error = [](const std::string& options, std::int64_t channels,
                        const std::map<std::string, std::string>& files) {
    return testing::error_of<ConfigError>([&] {
      static_cast<void>(run_images(*joined({"intensity:" + options}, files),
                                   {.pixels = {random_image(2, 2, channels)}}));
    });
  };
  EXPECT_EQ(error("deviation=1,file=i.xml", 3, color_file()), "");
  EXPECT_EQ(error("deviation=1,file=i.xml", 1, color_file()), "");
  EXPECT_EQ(error("deviation=1,file=i.xml", 2, color_file()),
            "stream \"image\": expected images of 1 or 3 channels, got one of 2");
  EXPECT_EQ(error("file=i.xml", 3, color_file()), "deviation is needed");
  EXPECT_EQ(error("deviation=1", 3, color_file()), "file is needed");
  auto wrong = color_file();
  std::string& text = wrong["i.xml"];
  text.replace(text.find("<cols>3</cols><dt>f</dt><data>0.2175 0.0188 0.0045"), 50,
               "<cols>2</cols><dt>f</dt><data>0.2175 0.0188");
  EXPECT_EQ(error("deviation=1,file=i.xml", 3, wrong),
            "file=i.xml: expected EigVal to be a matrix of 1 x 3, found 2 values");
}

}  // namespace
}  // namespace sheaf
