#include "dataset/transforms_json.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/spec.h"

#include "cntk/config_text.h"

namespace sheaf {
namespace {

using Json = nlohmann::ordered_json;
using testing::error_of;

std::string refused_transforms(std::string_view json) {
  return error_of(
      [&] { static_cast<void>(internal::transforms_of_json(Json::parse(json), "t.json: data")); });
}

// Returns the text of an option from JSON.
std::string option_text(std::string_view json) {
  return parse_transforms(R"([{"type": "function", "name": )" + std::string(json) + "}]", "t")[0]
      .options.at("name");
}

TEST(TransformsJson, ObjectsAndTextsAreEquivalent) {
  const std::vector<TransformSpec> transforms = parse_transforms(
      R"([{"type": "function", "streams": ["x", "y"], "as": ["z"], "name": "augment"},
          "function:x+y:as=z,name=augment",
          {"type": "function", "streams": ["x", "y"], "as": "z", "name": "augment"}])",
      "t");
  const TransformSpec expected{
      .type = "function", .streams = {"x", "y"}, .as = {"z"}, .options = {{"name", "augment"}}};
  EXPECT_EQ(transforms, std::vector<TransformSpec>(3, expected));
}

TEST(TransformsJson, ValuesBecomeTheShortestTexts) {
  EXPECT_EQ(option_text("5"), "5");
  EXPECT_EQ(option_text("-3"), "-3");
  EXPECT_EQ(option_text("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(option_text("0.10"), "0.1");
  EXPECT_EQ(option_text("2.0"), "2");
  EXPECT_EQ(option_text("1e-5"), "1e-5");
  EXPECT_EQ(option_text("true"), "true");
  EXPECT_EQ(option_text("false"), "false");
  EXPECT_EQ(option_text("[1, -0.5, 1e30]"), "1 -0.5 1e30");
  EXPECT_EQ(option_text("\"0.10\""), "0.10");
  EXPECT_EQ(option_text(R"({"latin-1": "caf\u00e9"})"), "caf\xe9");
}

TEST(TransformsJson, WrongValuesAreRefusedWithTheirPath) {
  EXPECT_EQ(refused_transforms("{}"), "t.json: data: expected a list of transforms, found {}");
  EXPECT_EQ(refused_transforms("[1]"), "t.json: data[0]: expected an object or a text, found 1");
  EXPECT_EQ(refused_transforms(R"(["reverse", {"streams": "x"}])"),
            "t.json: data[1].type: expected the type of a transform, found none");
  EXPECT_EQ(refused_transforms(R"([{"type": 1}])"),
            "t.json: data[0].type: expected a text, found 1");
  EXPECT_EQ(refused_transforms(R"([{"type": "revers"}])"),
            R"(t.json: data[0].type: there is no type "revers"; did you mean "reverse"?)");
  EXPECT_EQ(refused_transforms(R"(["revers:x"])"),
            R"(t.json: data[0]: transform "revers:x": there is no type "revers"; did you mean )"
            R"("reverse"?)");
  EXPECT_EQ(refused_transforms(R"([{"type": "reverse", "stream": "x"}])"),
            R"(t.json: data[0]: unknown name "stream"; did you mean "streams"?)");
  EXPECT_EQ(refused_transforms(R"([{"type": "function", "nam": "x"}])"),
            R"(t.json: data[0]: unknown name "nam"; did you mean "name"?)");
  EXPECT_EQ(refused_transforms(R"([{"type": "function"}])"),
            R"(t.json: data[0]: transform "function": name is needed: under which the program )"
            R"(gives the transform)");
  EXPECT_EQ(refused_transforms(R"([{"type": "reverse", "streams": ["x", 1]}])"),
            "t.json: data[0].streams[1]: expected a text, found 1");
  EXPECT_EQ(refused_transforms(R"([{"type": "reverse", "as": ""}])"),
            R"(t.json: data[0].as: expected the name of a stream, found "")");
  EXPECT_EQ(refused_transforms(R"([{"type": "function", "name": null}])"),
            "t.json: data[0].name: expected a number, a text, true, false or a list of numbers, "
            "found null");
  EXPECT_EQ(refused_transforms(R"([{"type": "function", "name": [1, "a"]}])"),
            R"(t.json: data[0].name[1]: expected a number, found "a")");
}

TEST(TransformsJson, WrittenTransformsRoundTrip) {
  std::vector<TransformSpec> transforms = {
      {.type = "reverse"},
      {.type = "rename", .streams = {"x", "a:b+\xff"}, .as = {"y", "z"}},
  };
  for (const char* const value : {"augment",
                                  "5",
                                  "5.0",
                                  "0.10",
                                  "1e5",
                                  "100000",
                                  "-0",
                                  "1e-5",
                                  "1e999",
                                  "007",
                                  " 5",
                                  "5 ",
                                  "0 1",
                                  "true",
                                  "null",
                                  "[1]",
                                  "\"5\"",
                                  "18446744073709551615",
                                  "18446744073709551616",
                                  "caf\xe9",
                                  "1.5e300"}) {
    transforms.push_back({.type = "function", .options = {{"name", value}}});
  }
  const Json json = internal::json_of_transforms(transforms);
  EXPECT_EQ(internal::transforms_of_json(Json::parse(json.dump()), "t"), transforms);
  EXPECT_EQ(json[3].dump(), R"({"type":"function","name":5})");
  EXPECT_EQ(json[4].dump(), R"({"type":"function","name":"5.0"})");
}

TEST(TransformsJson, ASpecHasTransformsOfAllData) {
  constexpr std::string_view kSpec = R"({
  "data": {
    "files": [
      "a.ctf"
    ],
    "transforms": [
      {
        "type": "reverse",
        "streams": [
          "x"
        ],
        "as": [
          "y"
        ]
      },
      {
        "type": "function",
        "name": 0.5
      }
    ]
  },
  "read": {}
}
)";
  const Spec spec = parse_spec(kSpec, "s.json");
  EXPECT_EQ(spec.data.transforms,
            (std::vector<TransformSpec>{{.type = "reverse", .streams = {"x"}, .as = {"y"}},
                                        {.type = "function", .options = {{"name", "0.5"}}}}));
  EXPECT_EQ(to_json(spec), kSpec);
  EXPECT_EQ(
      error_of([] {
        static_cast<void>(parse_spec(
            R"({"data": {"object": "o", "transforms": [{"type": "revers"}]}})", "s.json"));
      }),
      R"(s.json: data.transforms[0].type: there is no type "revers"; did you mean "reverse"?)");
}

TEST(TransformsJson, ErrorsUseTheNameOfTheList) {
  EXPECT_EQ(parse_transforms(R"(["reverse:x", {"type": "reverse", "streams": "x"}])", "list"),
            std::vector<TransformSpec>(2, {.type = "reverse", .streams = {"x"}}));
  EXPECT_EQ(error_of([] { static_cast<void>(parse_transforms(R"([{}])", "list")); }),
            "list[0].type: expected the type of a transform, found none");
  EXPECT_EQ(error_of([] { static_cast<void>(parse_transforms("[", "list")); }),
            "list:1:2: not JSON");
}

TEST(TransformsJson, MembersMayNotHaveTransforms) {
  const auto error = [](std::string_view json) {
    return error_of([&] { static_cast<void>(parse_spec(json, "s.json")); });
  };
  EXPECT_EQ(error(R"({"data": {"join": [{"files": "a"}, {"files": "b", "transforms": []}]}})"),
            "s.json: data.join[1].transforms: a member has no transforms: put them beside "
            "the members, into data.transforms");
  EXPECT_EQ(error(R"({"data": {"join": [{"concatenate": [{"object": "o", "transforms": []}]}]}})"),
            "s.json: data.join[0].concatenate[0].transforms: a member has no transforms: put "
            "them beside the members, into data.transforms");
  EXPECT_EQ(parse_spec(R"({"data": {"join": [{"files": "a"}], "transforms": ["reverse"]}})", "s")
                .data.transforms.size(),
            1U);
}

}  // namespace
}  // namespace sheaf
