#include "format/manifest/manifest_json.h"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sheaf::manifest {
namespace {

using std::string_literals::operator""s;

/// Returns "name=value" of each member, or "byte: what is expected".
std::string json_told(std::string_view text) {
  JsonValue value;
  std::vector<JsonMember> members;
  if (const auto fault = parse_json_text(text, value, members)) {
    return std::to_string(fault->begin) + ": " + std::string(fault->expected);
  }
  std::string all = std::string(value.text);
  for (const JsonMember& each : members) {
    all += " " + std::string(each.name) + "=" + std::string(each.value.text);
  }
  return all;
}

bool is_json(const std::string& text) {
  JsonValue value;
  std::vector<JsonMember> members;
  return !parse_json_text(text, value, members);
}

TEST(ManifestJson, SplitsObjectsAndArrays) {
  EXPECT_EQ(json_told(R"( {"a": 1, "b":[2,{"c":3}] , "":"x"} )"),
            R"({"a": 1, "b":[2,{"c":3}] , "":"x"} a=1 b=[2,{"c":3}] ="x")");
  EXPECT_EQ(json_told("[1, [2], {}]"), "[1, [2], {}] =1 =[2] ={}");
  EXPECT_EQ(json_told("{}"), "{}");
  EXPECT_EQ(json_told("[]"), "[]");
  EXPECT_EQ(json_told("-1.5e+7"), "-1.5e+7");
}

TEST(ManifestJson, NestingOfValuesIsLimited) {
  for (const int depth : {kJsonDepthMax - 1, kJsonDepthMax, kJsonDepthMax + 1}) {
    const auto count = static_cast<std::size_t>(depth);
    const bool is_allowed = depth <= kJsonDepthMax;
    EXPECT_EQ(is_json(std::string(count, '[') + std::string(count, ']')), is_allowed) << depth;
    std::string objects = "1";
    for (int i = 0; i < depth; ++i) objects = "{\"a\":" + objects + "}";
    EXPECT_EQ(is_json(objects), is_allowed) << depth;
  }
}

TEST(ManifestJson, ErrorsHaveAnOffsetAndAReason) {
  EXPECT_EQ(json_told(""), "0: a JSON value");
  EXPECT_EQ(json_told("{bad"), "1: a name in quotes");
  EXPECT_EQ(json_told(R"({"a")"), "4: a colon behind the name");
  EXPECT_EQ(json_told(R"({"a":)"), "5: a JSON value");
  EXPECT_EQ(json_told(R"({"a":1)"), "6: a comma or }");
  EXPECT_EQ(json_told("[1 2]"), "3: a comma or ]");
  EXPECT_EQ(json_told("{} {}"), "3: nothing behind the value");
  EXPECT_EQ(json_told("[01]"), "2: a comma or ]");
  EXPECT_EQ(json_told("[-]"), "2: a digit");
  EXPECT_EQ(json_told("1."), "2: a digit");
  EXPECT_EQ(json_told("tru"), "0: a JSON value");
  EXPECT_EQ(json_told("\"a"), "2: a quote at the end of the string");
  EXPECT_EQ(json_told("\"a\t\""), "2: a string without control characters");
  EXPECT_EQ(json_told(R"("\x")"), "1: an escape of JSON");
  EXPECT_EQ(json_told(R"("\u12G4")"), "1: four hexadecimal digits");
  EXPECT_EQ(json_told(R"("\ud800")"), "1: a surrogate pair");
  EXPECT_EQ(json_told(R"("\udc00")"), "1: a surrogate pair");
  EXPECT_EQ(json_told("\"\xFF\""), "1: a string in UTF-8");
}

TEST(ManifestJson, DepthIsLimited) {
  for (const int depth : {kJsonDepthMax - 1, kJsonDepthMax, kJsonDepthMax + 1, 100'000}) {
    const auto size = static_cast<std::size_t>(depth);
    EXPECT_EQ(is_json(std::string(size, '[') + std::string(size, ']')), depth <= kJsonDepthMax);
  }
}

TEST(ManifestJson, EscapesAreDecoded) {
  EXPECT_EQ(unescaped_json(R"(a\"\\\/\b\f\n\r\tz)"), "a\"\\/\b\f\n\r\tz");
  EXPECT_EQ(unescaped_json(R"(\u0041\u00e9\u20AC\ud83d\ude00!)"), "A\u00e9\u20ac\U0001F600!");
  EXPECT_EQ(unescaped_json(R"(\u0000)"), "\0"s);
  EXPECT_EQ(unescaped_json(""), "");
  EXPECT_TRUE(is_named({.name = R"(te\u0078t)", .value = {}}, "text"));
  EXPECT_TRUE(is_named({.name = "text", .value = {}}, "text"));
  EXPECT_FALSE(is_named({.name = "texts", .value = {}}, "text"));
}

// The JSON library of the project is the oracle, for short texts over the alphabet of JSON and for
// changed texts.
TEST(ManifestJson, AgreesWithAnotherParser) {
  constexpr std::string_view kAlphabet = "{}[],:\"\\ 01.-eEu\ta";
  std::mt19937 random(7);
  const std::string whole = R"({"a":[1,-2.5e3,true,false,null],"b\u00e9":"\ud83d\ude00","c":{}})";
  int good_count = 0;
  for (int i = 0; i < 60'000; ++i) {
    std::string text;
    if (i % 2 == 0) {
      for (std::size_t k = random() % 7; k > 0; --k) text += kAlphabet[random() % kAlphabet.size()];
    } else {
      text = whole;
      text[random() % text.size()] = kAlphabet[random() % kAlphabet.size()];
    }
    const bool is_good = nlohmann::json::accept(text);
    good_count += is_good ? 1 : 0;
    ASSERT_EQ(is_json(text), is_good) << text;
    JsonValue value;
    std::vector<JsonMember> members;
    if (!is_good || parse_json_text(text, value, members)) continue;
    if (value.kind == JsonKind::string) {
      EXPECT_EQ(unescaped_json(inside_quotes(value)), nlohmann::json::parse(text)) << text;
    }
  }
  EXPECT_GT(good_count, 1000);
}

}  // namespace
}  // namespace sheaf::manifest
