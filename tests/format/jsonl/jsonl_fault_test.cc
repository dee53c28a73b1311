// Tests the offset and the text of errors in a line.

#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "format/jsonl/jsonl_text.h"

namespace sheaf::jsonl {
namespace {

TEST(JsonlFault, TheFirstErrorIsLocated) {
  struct Case {
    std::string_view line;
    std::int64_t column;
    std::string_view code;
    std::string_view expected;
    std::string_view found;
  };
  const Case cases[] = {
      {"[1]", 1, "jsonl-object", "an object", "\"[\""},
      {" 12", 2, "jsonl-object", "an object", "\"12\""},
      {"{", 2, "jsonl-json", "a field name in quotes or \"}\"", "the end of the line"},
      {"{a:1}", 2, "jsonl-json", "a field name in quotes or \"}\"", "\"a\""},
      {"{\"a\":1,}", 8, "jsonl-json", "a field name in quotes", "\"}\""},
      {"{\"a\" 1}", 6, "jsonl-json", "\":\"", "\"1\""},
      {"{\"a\":}", 6, "jsonl-json", "a value", "\"}\""},
      {"{\"a\":NaN}", 6, "jsonl-json", "a value", "\"NaN\""},
      {"{\"a\":01}", 6, "jsonl-json", "a value", "\"01\""},
      {"{\"a\":[,1]}", 7, "jsonl-json", "a value or \"]\"", "\",\""},
      {"{\"a\":[1,]}", 9, "jsonl-json", "a value", "\"]\""},
      {"{\"a\":[1 2]}", 9, "jsonl-json", "\",\" or \"]\"", "\"2\""},
      {"{\"a\":[1}", 8, "jsonl-json", "\",\" or \"]\"", "\"}\""},
      {"{\"a\":1 \"b\":2}", 8, "jsonl-json", "\",\" or \"}\"", "\"\\\"\""},
      {"{\"a\":1", 7, "jsonl-json", "\",\" or \"}\"", "the end of the line"},
      {"{\"a\":1} {}", 9, "jsonl-json", "the end of the line", "\"{\""},
      {"{\"a\":\"b}", 6, "jsonl-text", "a text that ends in the line", "the end of the line"},
      {"{\"a\":\"\t\"}", 7, "jsonl-control", "no control byte in a text", "\"\\t\""},
      {"{\"a\":\"\\x\"}", 7, "jsonl-escape", "an escape of JSON that stands for a character",
       "\"\\\\x\""},
      {"{\"a\":\"\xFF\"}", 7, "jsonl-utf8", "UTF-8", "\"\\xff\""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.line);
    const std::optional<Fault> fault = find_fault(c.line);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->begin - c.line.data() + 1, c.column);
    EXPECT_EQ(fault->kind->code, c.code);
    EXPECT_EQ(fault->expected, c.expected);
    EXPECT_EQ(fault->found, c.found);
  }
}

TEST(JsonlFault, ValidJsonHasNoError) {
  for (const std::string_view line :
       {"{}", " { } \t", "{\"a\":[{},[],\"\",-0.5e3,true,false,null]}",
        "{\"\":{\"\\u00e9\xC3\xA9\":[[[1]]]}}"}) {
    EXPECT_FALSE(find_fault(line)) << line;
  }
}

TEST(JsonlFault, NestingIsLimited) {
  const auto nested = [](int depth) {  // the object of the line counts as a level
    const auto lists = static_cast<std::size_t>(depth - 1);
    return "{\"a\":" + std::string(lists, '[') + std::string(lists, ']') + "}";
  };
  EXPECT_FALSE(find_fault(nested(kDepthMax - 1)));
  EXPECT_FALSE(find_fault(nested(kDepthMax)));
  const std::string deep = nested(kDepthMax + 1);
  const std::optional<Fault> fault = find_fault(deep);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, &kDepth);
  EXPECT_EQ(fault->begin - deep.data(), 5 + kDepthMax - 1);
}

}  // namespace
}  // namespace sheaf::jsonl
