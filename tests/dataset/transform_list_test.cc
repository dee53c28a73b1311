#include "sheaf/extend/transform_list.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "cntk/config_text.h"

namespace sheaf {
namespace {

using testing::error_of;

std::string refused_text(std::string_view text) {
  return error_of([&] { static_cast<void>(named_transform(text)); });
}

TEST(TransformList, ATextOfAKnownTypeIsATransform) {
  EXPECT_EQ(named_transform("reverse:x+y"),
            (TransformSpec{.type = "reverse", .streams = {"x", "y"}}));
  EXPECT_EQ(
      named_transform("function:x:name=augment"),
      (TransformSpec{.type = "function", .streams = {"x"}, .options = {{"name", "augment"}}}));
}

TEST(TransformList, UnknownTypesAreRefusedWithTheNearest) {
  EXPECT_EQ(refused_text("revers:x"),
            R"(transform "revers:x": there is no type "revers"; did you mean "reverse"?)");
  EXPECT_EQ(
      refused_text("functoin:x:name=a"),
      R"(transform "functoin:x:name=a": there is no type "functoin"; did you mean "function"?)");
}

TEST(TransformList, UnknownOptionsAreRefused) {
  EXPECT_EQ(refused_text("reverse:x:left=5"),
            R"(transform "reverse:x:left=5": there is no option "left"; the transform has none)");
  EXPECT_EQ(refused_text("function:x:nam=a"),
            R"(transform "function:x:nam=a": there is no option "nam"; the transform has name; )"
            R"(did you mean name?)");
  EXPECT_EQ(
      refused_text("function:x"),
      R"(transform "function:x": name is needed: under which the program gives the transform)");
}

TEST(TransformList, AListInJsonHasTheNameThatMessagesGive) {
  EXPECT_EQ(parse_transforms(R"(["reverse:x", {"type": "reverse", "streams": "x"}])", "list"),
            std::vector<TransformSpec>(2, {.type = "reverse", .streams = {"x"}}));
  EXPECT_EQ(error_of([] { static_cast<void>(parse_transforms(R"([{}])", "list")); }),
            "list[0].type: expected the type of a transform, found none");
  EXPECT_EQ(error_of([] { static_cast<void>(parse_transforms("[", "list")); }),
            "list:1:2: not JSON");
}

}  // namespace
}  // namespace sheaf
