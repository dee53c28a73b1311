#include "transform/image_options.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"

namespace sheaf::internal {
namespace {

constexpr TransformOption kTestOptions[] = {{.name = "size"},    {.name = "range"},
                                            {.name = "numbers"}, kDrawsOption,
                                            kSeedOption,         kDtypeOption};
constexpr TransformType kTestType = {.name = "test", .options = kTestOptions};

// Returns the result of `read` for one option, or the text of the error.
template <typename Read>
std::string read_of(const std::map<std::string, std::string>& given, const Read& read) {
  const TransformRequest request{.options = given};
  const OptionValues values(kTestType, request);
  std::string text;
  const std::string error = testing::error_of<ConfigError>([&] { text = read(values); });
  return error.empty() ? text : error;
}

std::string size_of(const std::string& text) {
  return read_of({{"size", text}},
                 [](const OptionValues& values) { return to_string(image_size(values, "size")); });
}

std::string range_of(const std::string& text) {
  return read_of({{"range", text}}, [](const OptionValues& values) {
    return to_string(image_range(values, "range", 0.25, 2));
  });
}

TEST(ImageOptions, ReadsSizes) {
  EXPECT_EQ(size_of("224"), "224x224");
  EXPECT_EQ(size_of("224x160"), "224x160");
  EXPECT_EQ(size_of("1x65535"), "1x65535");
  for (const std::string wrong : {"", "0", "0x4", "4x0", "4x65536", "4x", "x4", "4x4x4", "-4",
                                  "4.5", "4 x 4", "+4", "99999999999999999999"}) {
    EXPECT_EQ(size_of(wrong).substr(0, 41), "size must be a number of pixels from 1 to") << wrong;
  }
}

TEST(ImageOptions, ReadsRanges) {
  EXPECT_EQ(range_of("0.5"), "0.5:0.5");
  EXPECT_EQ(range_of("0.25:2"), "0.25:2");
  EXPECT_EQ(range_of("1:1"), "1:1");
  for (const std::string wrong : {"", "0.2", "2.1", "0.5:0.4", "0.5:", ":1", "nan", "0.5:nan",
                                  "nan:1", "inf", "1:2:2", "a"}) {
    EXPECT_EQ(range_of(wrong).substr(0, 40), "range must be a number from 0.25 to 2, o") << wrong;
  }
}

TEST(ImageOptions, ReadsNumbers) {
  const auto read = [](const std::string& text) {
    return read_of({{"numbers", text}}, [](const OptionValues& values) {
      std::string all;
      for (const double number : image_numbers(values, "numbers")) {
        all += number_text_of(number) + '|';
      }
      return all;
    });
  };
  EXPECT_EQ(read("0.5;0.25;1"), "0.5|0.25|1|");
  EXPECT_EQ(read("0.5 -2  1"), "0.5|-2|1|");
  EXPECT_EQ(read(""), "numbers is needed: one number a channel");
  EXPECT_EQ(read(" ; "), "numbers is needed: one number a channel");
  for (const std::string wrong : {"1;x", "1,2", "inf", "-inf", "nan", "1e39", "-1e39"}) {
    EXPECT_EQ(read(wrong).substr(0, 33), "numbers must be numbers with ; be") << wrong;
  }
}

TEST(ImageOptions, ReadsDraws) {
  const auto read = [](const std::map<std::string, std::string>& given) {
    return read_of(given,
                   [](const OptionValues& values) { return draws_text(draws_seed(values)); });
  };
  EXPECT_EQ(read({}), "draws=keyed");
  EXPECT_EQ(read({{"draws", "ordered"}}), "draws=ordered,seed=0");
  EXPECT_EQ(read({{"draws", "ordered"}, {"seed", "4294967295"}}), "draws=ordered,seed=4294967295");
  EXPECT_EQ(read({{"seed", "1"}}),
            "seed goes with draws=ordered alone; keyed draws have the run's seed");
  EXPECT_EQ(read({{"draws", "x"}}), "draws must be one of keyed, ordered: got \"x\"");
}

TEST(ImageOptions, ReadsTypes) {
  const auto read = [](const std::map<std::string, std::string>& given) {
    return read_of(given, [](const OptionValues& values) {
      const auto dtype = image_dtype(values);
      std::string text = dtype_text(dtype);
      for (const ElementType from : {ElementType::u8, ElementType::f32, ElementType::f64}) {
        text += ' ' + std::string(to_string(floating_type(dtype, from)));
      }
      return text;
    });
  };
  EXPECT_EQ(read({}), " f32 f32 f64");
  EXPECT_EQ(read({{"dtype", "float32"}}), ",dtype=float32 f32 f32 f32");
  EXPECT_EQ(read({{"dtype", "f64"}}), ",dtype=float64 f64 f64 f64");
  EXPECT_EQ(read({{"dtype", "int32"}}),
            "dtype must be one of float32, float64, f32, f64: got \"int32\"");
}

}  // namespace
}  // namespace sheaf::internal
