#include "sheaf/extend/transform.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf {
namespace {

TEST(ParseTransform, ReadsTypeStreamsAndOptions) {
  EXPECT_EQ(
      parse_transform("context:a+b:left=5,right=0"),
      (TransformSpec{
          .type = "context", .streams = {"a", "b"}, .options = {{"left", "5"}, {"right", "0"}}}));
  EXPECT_EQ(parse_transform("reverse"), (TransformSpec{.type = "reverse"}));
  EXPECT_EQ(parse_transform("select:a"), (TransformSpec{.type = "select", .streams = {"a"}}));
  EXPECT_EQ(parse_transform("clip:samples=3"),
            (TransformSpec{.type = "clip", .options = {{"samples", "3"}}}));
  EXPECT_EQ(parse_transform("rename:a+b:as=x+y"),
            (TransformSpec{.type = "rename", .streams = {"a", "b"}, .as = {"x", "y"}}));
  EXPECT_EQ(
      parse_transform("standardize:a:statistics=/data/a:b.txt"),
      (TransformSpec{
          .type = "standardize", .streams = {"a"}, .options = {{"statistics", "/data/a:b.txt"}}}));
}

TEST(ParseTransform, ToStringRoundTrips) {
  for (const std::string_view text : {"reverse", "select:a+b", "context:a:left=5,right=0",
                                      "delta:a:as=d,order=2", "clip::samples=3"}) {
    const TransformSpec spec = parse_transform(text);
    EXPECT_EQ(to_string(spec), text);
    EXPECT_EQ(parse_transform(to_string(spec)), spec);
  }
}

TEST(ParseTransform, RefusesOtherTexts) {
  for (const std::string_view text :
       {"", ":a", "context:a:left", "context:a:=5", "clip:a:n=1,n=2", "clip:a:as=b,as=c"}) {
    EXPECT_THROW(static_cast<void>(parse_transform(text)), ConfigError) << text;
  }
}

}  // namespace
}  // namespace sheaf
