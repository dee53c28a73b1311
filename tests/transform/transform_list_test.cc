#include "sheaf/extend/transform_list.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "cntk/config_text.h"

namespace sheaf {
namespace {

using testing::error_of;

std::string refused_text(std::string_view text) {
  return error_of([&] { static_cast<void>(named_transform(text)); });
}

TEST(TransformList, ATextWithAKnownTypeIsATransform) {
  EXPECT_EQ(named_transform("reverse:x+y"),
            (TransformSpec{.type = "reverse", .streams = {"x", "y"}}));
  EXPECT_EQ(
      named_transform("function:x:name=augment"),
      (TransformSpec{.type = "function", .streams = {"x"}, .options = {{"name", "augment"}}}));
}

TEST(TransformList, UnknownTypesAreRefusedWithASuggestion) {
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

}  // namespace
}  // namespace sheaf
