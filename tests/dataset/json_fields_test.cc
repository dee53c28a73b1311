#include "dataset/json_fields.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "cntk/config_text.h"

namespace sheaf {
namespace {

using testing::error_of;

std::string parse_error(std::string_view json) {
  return error_of([&] { static_cast<void>(internal::parse_json(json, "s.json")); });
}

TEST(JsonFields, WhatIsNoJsonIsToldWithLineAndColumn) {
  EXPECT_EQ(parse_error(""), "s.json:1:1: not JSON");
  EXPECT_EQ(parse_error("{\n  \"data\": {,}\n}"), "s.json:2:12: not JSON");
  EXPECT_EQ(parse_error("{\"data\": \"\xff\"}"), "s.json:1:11: not JSON");
  EXPECT_EQ(parse_error(R"({"data": 1e999})"), "s.json: a number in it does not fit any type");
}

TEST(JsonFields, ANameThatComesTwiceIsRefused) {
  EXPECT_EQ(parse_error(R"({"data": {"files": "a"}, "data": {"files": "b"}})"),
            R"(s.json: an object has the name "data" twice)");
  EXPECT_EQ(parse_error(R"({"data": [{"name": "x", "name": "y"}]})"),
            R"(s.json: an object has the name "name" twice)");
}

TEST(JsonFields, DeepNestingIsRefusedBeforeItIsBuilt) {
  const auto nested = [](std::size_t count) {
    return std::string(count, '[') + std::string(count, ']');
  };
  for (const std::size_t count : {std::size_t{63}, std::size_t{64}}) {
    EXPECT_TRUE(internal::parse_json(nested(count), "s.json").is_array()) << count;
  }
  EXPECT_EQ(parse_error(nested(65)), "s.json: values are nested deeper than 64");
  std::string deep = R"({"data": )";
  for (int i = 0; i < 100'000; ++i) deep += R"({"join": [)";
  EXPECT_EQ(parse_error(deep), "s.json: values are nested deeper than 64");
}

TEST(JsonFields, WhatNobodyAskedForIsRefused) {
  const nlohmann::ordered_json object = {{"streams", 1}, {"stream", 2}};
  internal::JsonFields fields(object, "s.json: data");
  EXPECT_NE(fields.find("streams"), nullptr);
  EXPECT_EQ(fields.find("three"), nullptr);
  EXPECT_EQ(error_of([&] { fields.check_all_known(); }),
            R"(s.json: data: unknown name "stream"; did you mean "streams"?)");
  EXPECT_NE(fields.find("stream"), nullptr);
  fields.check_all_known();
}

}  // namespace
}  // namespace sheaf
