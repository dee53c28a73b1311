#include "transform/option_values.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf::internal {
namespace {

constexpr TransformOption kOptions[] = {{.name = "left", .default_text = "3"},
                                        {.name = "rate"},
                                        {.name = "means"},
                                        {.name = "mode", .default_text = "hard"},
                                        {.name = "pad", .default_text = "true"}};
constexpr TransformType kType{.name = "test", .options = kOptions};

TransformRequest request(std::string_view name, std::string_view value) {
  return {.options = {{std::string(name), std::string(value)}}};
}

template <typename Read>
std::string message_of(const TransformRequest& given, const Read& read) {
  try {
    read(OptionValues(kType, given));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(OptionValues, ReturnTheGivenValueOrTheDefault) {
  const TransformRequest none;
  EXPECT_EQ(OptionValues(kType, none).integer("left", 0, 9), 3);
  EXPECT_FALSE(OptionValues(kType, none).has("left"));
  const TransformRequest given = request("left", "9");
  EXPECT_EQ(OptionValues(kType, given).integer("left", 0, 9), 9);
  EXPECT_TRUE(OptionValues(kType, given).has("left"));
  EXPECT_TRUE(OptionValues(kType, none).flag("pad"));
  EXPECT_EQ(OptionValues(kType, none).text("rate"), "");
  constexpr std::string_view kModes[] = {"soft", "hard"};
  EXPECT_EQ(OptionValues(kType, none).choice("mode", kModes), 1U);
}

TEST(OptionValues, ReadNumbers) {
  const TransformRequest rate = request("rate", "-0.25");
  EXPECT_EQ(OptionValues(kType, rate).number("rate", -1, 1), -0.25);
  const TransformRequest means = request("means", " 0.5 1  -2e3 ");
  EXPECT_EQ(OptionValues(kType, means).numbers("means"), (std::vector<double>{0.5, 1, -2000}));
  EXPECT_TRUE(OptionValues(kType, rate).numbers("means").empty());
}

TEST(OptionValues, RefuseInvalidNumbers) {
  const auto left = [](const OptionValues& values) {
    static_cast<void>(values.integer("left", 0, 9));
  };
  for (const std::string_view text : {"10", "-1", "1.5", "", "x", "3 ", "99999999999999999999"}) {
    EXPECT_EQ(message_of(request("left", text), left),
              "left must be a whole number from 0 to 9: got \"" + std::string(text) + "\"");
  }
  const auto rate = [](const OptionValues& values) {
    static_cast<void>(values.number("rate", 0, 1));
  };
  for (const std::string_view text : {"1.5", "nan", "inf", "", "0.5x"}) {
    EXPECT_EQ(message_of(request("rate", text), rate),
              "rate must be a number from 0 to 1: got \"" + std::string(text) + "\"");
  }
  EXPECT_EQ(message_of({}, rate), "rate is needed");
  EXPECT_EQ(
      message_of(request("means", "1 x"),
                 [](const OptionValues& values) { static_cast<void>(values.numbers("means")); }),
      "means must be numbers with spaces between: got \"x\"");
  EXPECT_EQ(message_of(request("pad", "yes"),
                       [](const OptionValues& values) { static_cast<void>(values.flag("pad")); }),
            "pad must be one of false, true: got \"yes\"");
}

TEST(OptionValues, SuggestTheNearestOption) {
  EXPECT_EQ(message_of(request("lefft", "1"), [](const OptionValues&) {}),
            "there is no option \"lefft\"; the transform has left, rate, means, mode, pad; did you "
            "mean left?");
}

}  // namespace
}  // namespace sheaf::internal
