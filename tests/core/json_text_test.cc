#include "core/json_text.h"

#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "support/error_of.h"

namespace sheaf::internal {
namespace {

using testing::error_of;
using Json = nlohmann::ordered_json;

std::string parse_error(std::string_view json) {
  return error_of([&] { static_cast<void>(parse_json(json, "s.json")); });
}

TEST(JsonText, AnyBytesRoundTrip) {
  for (int first = 0; first < 256; ++first) {
    for (const std::string& bytes : {std::string(1, static_cast<char>(first)),
                                     std::string("a") + static_cast<char>(first) + "z"}) {
      const Json json = Json::parse(json_of_bytes(bytes).dump());
      EXPECT_EQ(bytes_of_json(json), bytes) << first;
      EXPECT_EQ(json.is_string(), first < 128) << first;
    }
  }
}

TEST(JsonText, OtherJsonIsNotBytes) {
  EXPECT_EQ(bytes_of_json(1), std::nullopt);
  EXPECT_EQ(bytes_of_json({{"latin-1", 1}}), std::nullopt);
  EXPECT_EQ(bytes_of_json({{"latin-1", "a"}, {"b", "c"}}), std::nullopt);
  EXPECT_EQ(bytes_of_json({{"latin-1", "\u0100"}}), std::nullopt);
}

TEST(JsonText, LongValuesAreTruncatedBetweenCharacters) {
  EXPECT_EQ(shown_json("short"), "\"short\"");
  EXPECT_EQ(shown_json(std::string(100, 'a')), '"' + std::string(39, 'a') + "...");
  EXPECT_EQ(shown_json(std::string(38, 'a') + "\u00e9\u00e9"), '"' + std::string(38, 'a') + "...");
}

TEST(JsonText, JsonErrorsHaveLineAndColumn) {
  EXPECT_EQ(parse_error(""), "s.json:1:1: not JSON");
  EXPECT_EQ(parse_error("{\n  \"data\": {,}\n}"), "s.json:2:12: not JSON");
  EXPECT_EQ(parse_error("{\"data\": \"\xff\"}"), "s.json:1:11: not JSON");
  EXPECT_EQ(parse_error(R"({"data": 1e999})"), "s.json: a number in it does not fit any type");
}

TEST(JsonText, RepeatedNamesAreRefused) {
  EXPECT_EQ(parse_error(R"({"data": {"files": "a"}, "data": {"files": "b"}})"),
            R"(s.json: an object has the name "data" twice)");
  EXPECT_EQ(parse_error(R"({"data": [{"name": "x", "name": "y"}]})"),
            R"(s.json: an object has the name "name" twice)");
}

TEST(JsonText, DeepNestingIsRefusedWhileParsing) {
  const auto nested = [](std::size_t count) {
    return std::string(count, '[') + std::string(count, ']');
  };
  for (const std::size_t count : {std::size_t{63}, std::size_t{64}}) {
    EXPECT_TRUE(parse_json(nested(count), "s.json").is_array()) << count;
  }
  EXPECT_EQ(parse_error(nested(65)), "s.json: values are nested deeper than 64");
  std::string deep = R"({"data": )";
  for (int i = 0; i < 100'000; ++i) deep += R"({"join": [)";
  EXPECT_EQ(parse_error(deep), "s.json: values are nested deeper than 64");
}

}  // namespace
}  // namespace sheaf::internal
