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

// Returns a mean of 1 x 2 pixels. The file has the values 1 to 6 in order.
std::map<std::string, std::string> mean_file(const std::string& columns = "2") {
  return {{"m.xml", "<opencv_storage><Channel>3</Channel><Row>1</Row><Col>" + columns +
                        "</Col><MeanImg><rows>1</rows><cols>6</cols><dt>f</dt>"
                        "<data>1 2 3 4 5 6</data></MeanImg></opencv_storage>"}};
}

std::vector<double> less(const std::string& options, ElementType type = ElementType::u8) {
  const TestImage image{.extents = {1, 2, 3}, .values = {10, 10, 10, 10, 10, 10}};
  return run_images(*joined({"mean:file=m.xml" + options}, mean_file()),
                    {.pixels = {image}, .type = type})[0]
      .values;
}

TEST(Mean, ReadsTheChannelsInTheOrderOfTheFile) {
  EXPECT_EQ(less(",color=bgr"), (std::vector<double>{9, 8, 7, 6, 5, 4}));
  EXPECT_EQ(less(""), (std::vector<double>{7, 8, 9, 4, 5, 6}));
  // Planes are red, green, blue: 1 2, 3 4, 5 6.
  EXPECT_EQ(less(",layout=planes"), (std::vector<double>{9, 7, 5, 8, 6, 4}));
  EXPECT_EQ(less(",layout=planes,color=bgr"), (std::vector<double>{5, 7, 9, 4, 6, 8}));
}

TEST(Mean, SupportsAllTypes) {
  EXPECT_EQ(less("", ElementType::f32), less(""));
  EXPECT_EQ(less("", ElementType::f64), less(""));
  EXPECT_EQ(less(",dtype=float64"), less(""));
}

TEST(Mean, FixesTheShape) {
  const std::vector<Stream> streams = {stream_of({.pixels = {random_image(3, 3, 3)}})};
  EXPECT_EQ(to_string(joined({"mean:file=m.xml"}, mean_file())->outputs(streams)[0]),
            "image: dense f32 [1, 2, 3]");
}

TEST(Mean, RefusesImagesOfAnotherSize) {
  const auto run = [](std::int64_t height, std::int64_t width, std::int64_t channels,
                      bool is_fixed) {
    return testing::error_of<ConfigError>([&] {
      static_cast<void>(
          run_images(*joined({"mean:file=m.xml"}, mean_file()),
                     {.pixels = {random_image(height, width, channels)}, .is_fixed = is_fixed}));
    });
  };
  EXPECT_EQ(run(1, 2, 3, false), "");
  EXPECT_EQ(run(1, 3, 3, false),
            "stream \"image\": expected images of 1 x 2 x 3 (height x width x channels), as "
            "file=m.xml has, got one of 1 x 3 x 3 (height x width x channels)");
  EXPECT_EQ(run(2, 2, 3, true),
            "stream \"image\" must have images of 1 x 2 x 3 (height x width x channels), as "
            "file=m.xml has: got dense u8 [2, 2, 3]");
}

TEST(Mean, RefusesInconsistentFiles) {
  EXPECT_EQ(testing::error_of<ConfigError>(
                [&] { static_cast<void>(joined({"mean:file=m.xml"}, mean_file("3"))); }),
            "file=m.xml: expected 9 values in MeanImg, as Row 1, Col 3 and Channel 3 say, found 6");
  EXPECT_EQ(testing::error_of<ConfigError>([&] { static_cast<void>(joined({"mean"})); }),
            "file is needed");
}

TEST(Mean, OptionsDependOnTheContentOfTheFile) {
  const std::string options = joined({"mean:file=m.xml"}, mean_file())->options();
  auto other = mean_file();
  other["m.xml"] += "\n";
  EXPECT_NE(joined({"mean:file=m.xml"}, other)->options(), options);
  EXPECT_EQ(options.find("m.xml"), std::string::npos);
}

}  // namespace
}  // namespace sheaf
