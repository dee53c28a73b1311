#include "format/jsonl/jsonl_string.h"

#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace sheaf::jsonl {
namespace {

std::string string_of(std::string_view text) {
  internal::TextBuffer buffer(1);
  append_json_string(text, buffer);
  const Buffer bytes = std::move(buffer).finish();
  const auto characters = bytes.as<char>();
  return {characters.begin(), characters.end()};
}

TEST(JsonlString, EscapesSpecialCharacters) {
  EXPECT_EQ(string_of(""), "\"\"");
  EXPECT_EQ(string_of("plain \xC3\xA9 \x7F/"), "\"plain \xC3\xA9 \x7F/\"");
  EXPECT_EQ(string_of("\"a\\"), R"("\"a\\")");
  EXPECT_EQ(string_of("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(string_of(std::string_view("\0\x1F x", 4)), R"("\u0000\u001f x")");
}

}  // namespace
}  // namespace sheaf::jsonl
