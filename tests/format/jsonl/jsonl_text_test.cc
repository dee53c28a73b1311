#include "format/jsonl/jsonl_text.h"

#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace sheaf::jsonl {
namespace {

// Returns the text with the padding that rows have.
std::string padded_json(std::string_view text) { return std::string(text) + std::string(64, '\n'); }

TEST(JsonlText, StringsEndAtTheFirstUnescapedQuote) {
  for (int size = 0; size < 20; ++size) {  // around multiples of eight bytes
    SCOPED_TRACE(size);
    const std::string plain(static_cast<std::size_t>(size), 'a');
    for (const std::string escape : {"", "\\\"", "\\\\", "\\\\\\\""}) {
      const std::string text = plain + escape;
      const std::string json = padded_json(text + "\" \"");
      EXPECT_EQ(string_end(json.data()) - json.data(), std::ssize(text));
    }
  }
}

TEST(JsonlText, ValuesEndAfterTheirLastByte) {
  for (const std::string value : {"1", "-0.5e+3", "true", "null", "\"\"", "\"]}\\\"\"", "[]", "{}",
                                  "[1, [2 ,3], {\"]\": 4}]", "{ \"a\" : [\"}\"] , \"b\":{}}"}) {
    SCOPED_TRACE(value);
    for (const std::string behind : {",", "]", "}", " "}) {
      const std::string json = padded_json(value + behind);
      EXPECT_EQ(skip_value(json.data()) - json.data(), std::ssize(value));
    }
  }
}

TEST(JsonlText, ElementsOfAListAreCounted) {
  const auto count = [](std::string_view text) { return element_count(padded_json(text).data()); };
  EXPECT_EQ(count("[]"), 0);
  EXPECT_EQ(count("[ ]"), 0);
  EXPECT_EQ(count("[1]"), 1);
  EXPECT_EQ(count("[ [1,2] , \"a,b\",{\"c\":[3,4]} ]"), 3);
}

TEST(JsonlText, NumbersFollowTheJsonGrammar) {
  const auto size = [](const std::string& text) {
    const std::string json = padded_json(text + ",");
    const char* const end = number_end(json.data());
    return end == nullptr ? -1 : end - json.data();
  };
  for (const std::string good : {"0", "-0", "10", "1.5", "0.05", "1e5", "1E-5", "-1.5e+05"}) {
    EXPECT_EQ(size(good), std::ssize(good)) << good;
  }
  for (const std::string bad :
       {"", "-", "+1", ".5", "1.", "1e", "1e+", "-.5", "NaN", "-Infinity"}) {
    EXPECT_EQ(size(bad), -1) << bad;
  }
  EXPECT_EQ(size("01"), 1);
  EXPECT_EQ(size("1x"), 1);
}

TEST(JsonlText, EscapesStandForCharacters) {
  const auto size = [](std::string_view text) {
    return escape_size(text.data(), text.data() + text.size());
  };
  for (const char letter : std::string_view("\"\\/bfnrt")) {
    EXPECT_EQ(size(std::string("\\") + letter), 2) << letter;
  }
  EXPECT_EQ(size("\\u0041"), 6);
  EXPECT_EQ(size("\\uD7FF"), 6);  // below the surrogates
  EXPECT_EQ(size("\\ue000"), 6);  // above them
  EXPECT_EQ(size("\\ud83d\\ude00"), 12);
  for (const std::string_view bad :
       {"\\", "\\a", "\\u", "\\u123", "\\u12g4", "\\ud83d", "\\ud83dxxxxxx", "\\ud83d\\u0041",
        "\\ud83d\\ude0", "\\ude00", "\\U0041"}) {
    EXPECT_EQ(size(bad), 0) << bad;
  }
  EXPECT_EQ(size(std::string_view("\\\0", 2)), 0);
}

TEST(JsonlText, EscapesAreReplaced) {
  const auto check = [](std::string_view json, std::string_view text) {
    SCOPED_TRACE(json);
    std::string out(json.size(), '?');
    out.resize(static_cast<std::size_t>(unescape(json, out.data()) - out.data()));
    EXPECT_EQ(out, text);
    EXPECT_EQ(unescaped_size(json), std::ssize(text));
  };
  check("", "");
  check("plain \xC3\xA9", "plain \xC3\xA9");
  check("\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t");
  check("a\\u0000b", std::string_view("a\0b", 3));
  check("\\u007f\\u0080\\u07FF\\u0800\\uffff", "\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF");
  check("\\ud800\\udc00x\\udbff\\udfff", "\xF0\x90\x80\x80x\xF4\x8F\xBF\xBF");
}

TEST(JsonlText, NamesAreComparedUnescaped) {
  EXPECT_TRUE(is_string(padded_json("\"indices\":").data(), "indices"));
  EXPECT_TRUE(is_string(padded_json("\"ind\\u0069ces\":").data(), "indices"));
  EXPECT_FALSE(is_string(padded_json("\"index\":").data(), "indices"));
  EXPECT_FALSE(is_string(padded_json("\"indices2\":").data(), "indices"));
}

}  // namespace
}  // namespace sheaf::jsonl
