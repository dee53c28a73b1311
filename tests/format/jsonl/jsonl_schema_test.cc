#include "format/jsonl/jsonl_schema.h"

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/jsonl/jsonl_test_rows.h"

namespace sheaf::jsonl {
namespace {

StreamOptions numbers(std::string name) {
  return {.name = std::move(name), .sample_shape = Shape{1}};
}

std::string refusal_of(const FormatOptions& options) {
  try {
    check_options(options);
    static_cast<void>(make_schema(options, {}));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(JsonlSchema, TextsHaveOneShape) {
  FormatOptions options;
  options.streams = {{.name = "t", .dtype = ElementType::bytes},
                     {.name = "u", .sample_shape = Shape{Shape::kVariable}},
                     numbers("x")};
  const Schema schema = make_schema(options, {});
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_EQ(schema.streams[i].element_type, ElementType::bytes);
    EXPECT_EQ(schema.streams[i].sample_shape, Shape{Shape::kVariable});
  }
  EXPECT_EQ(schema.streams[2].element_type, ElementType::f32);
  EXPECT_FALSE(needs_streams(options));
  options.streams[0].sample_shape = Shape{3};
  EXPECT_EQ(refusal_of(options), "stream \"t\": texts have samples of shape [*], got [3]");
  options.streams = {{.name = "t", .storage = Storage::sparse, .dtype = ElementType::bytes}};
  EXPECT_EQ(refusal_of(options), "stream \"t\": texts are dense, not sparse");
}

TEST(JsonlSchema, StreamsAreMatchedByFieldName) {
  for (const int count : {1, 12, 13, 40}) {  // around the number of fields where the search changes
    FormatOptions options;
    for (int i = 0; i < count; ++i) {
      options.streams.push_back(numbers("s" + std::to_string(i)));
      options.streams.back().alias = "f" + std::to_string(i);
    }
    const Schema schema = make_schema(options, {});
    for (int i = 0; i < count; ++i) EXPECT_EQ(schema.stream_of("f" + std::to_string(i)), i);
    EXPECT_EQ(schema.stream_of("s0"), -1);
  }
}

TEST(JsonlSchema, ContradictingOptionsAreRefused) {
  FormatOptions options;
  options.keys = KeyType::text;
  EXPECT_NE(refusal_of(options).find("jsonl.key says which field"), std::string::npos);
  options.extra = {{"jsonl.key", "id"}};
  options.streams = {numbers("x")};
  EXPECT_EQ(refusal_of(options), "");
  options.skip_sequence_ids = true;
  EXPECT_NE(refusal_of(options).find("skip_sequence_ids"), std::string::npos);
  options = {.streams = {numbers("id")}, .extra = {{"jsonl.key", "id"}}};
  EXPECT_EQ(refusal_of(options),
            "stream \"id\": the field has the keys (jsonl.key), and is no stream");
  options = {.streams = {numbers("x")}, .extra = {{"jsonl.fields", "x"}}};
  EXPECT_NE(refusal_of(options).find("jsonl.fields"), std::string::npos);
  options = {.streams = {numbers("\xFF")}};
  EXPECT_NE(refusal_of(options).find("UTF-8"), std::string::npos);
  options = {.streams = {numbers("x")}, .compatibility = Compatibility::cntk};
  EXPECT_NE(refusal_of(options).find("CNTK"), std::string::npos);
}

TEST(JsonlSchema, TheFirstLineIdentifiesTheFormat) {
  const auto code = [](const std::string& text) {
    try {
      static_cast<void>(find_beginning(*memory_source(text, "t"), {}));
    } catch (const DataError& error) {
      return error.diagnostics()[0].code;
    }
    return std::string();
  };
  EXPECT_EQ(code(""), "jsonl-empty");
  EXPECT_EQ(code("\n \t\r\n"), "jsonl-empty");
  EXPECT_EQ(code("\n [{}]"), "jsonl-not-jsonl");
  EXPECT_EQ(code("\xFF\xFE{"), "jsonl-utf16");
  EXPECT_EQ(code("\xEF\xBB\xBF{}"), "");
  EXPECT_EQ(code("\n{ what is wrong behind it is for later"), "");
}

TEST(JsonlSchema, TheFirstKeyDeterminesTheKeyType) {
  const auto mode = [](const std::string& text, std::optional<KeyType> keys = {}) {
    FormatOptions options;
    options.keys = keys;
    options.extra = {{"jsonl.key", "id"}};
    return find_beginning(*memory_source(text, "t"), options).key_mode;
  };
  EXPECT_EQ(mode("{\"id\":1}"), KeyMode::numbers);
  EXPECT_EQ(mode("{\"id\":\"1\"}"), KeyMode::texts);
  EXPECT_EQ(mode("{\"x\":1}\n\n{\"id\"\n{\"id\":7}"), KeyMode::numbers);
  EXPECT_EQ(mode("{\"x\":1}"), KeyMode::texts);
  EXPECT_EQ(mode("{\"id\":1}", KeyType::text), KeyMode::texts);
  EXPECT_EQ(mode("{\"id\":\"1\"}", KeyType::numeric), KeyMode::numbers);
}

TEST(JsonlSchema, KeysAreTextsOrNumbers) {
  Schema schema;
  schema.key_field = "id";
  const auto key = [&schema](const std::string& value) {
    const TestLine line("{\"id\":" + value + "}");
    return key_of(line.row(), &line.line(), schema);
  };
  schema.key_mode = KeyMode::numbers;
  EXPECT_EQ(key("0").key, SequenceKey{0});
  EXPECT_EQ(key("18446744073709551615").key.low, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(key("18446744073709551615").wrong, nullptr);
  for (const std::string bad :
       {"18446744073709551616", "-1", "1.0", "1e2", "\"1\"", "null", "[1]"}) {
    EXPECT_EQ(key(bad).wrong, &kNumericKey) << bad;
  }
  schema.key_mode = KeyMode::texts;
  EXPECT_EQ(key("\"a\\u00e9\"").text, "a\xC3\xA9");
  EXPECT_EQ(key("\"a\"").key, key_of_text("a"));
  EXPECT_EQ(key("-12").text, "-12");
  for (const std::string bad : {"\"\"", "1.5", "true", "null", "{}"}) {
    EXPECT_EQ(key(bad).wrong, &kTextKey) << bad;
  }
  const TestLine none("{\"x\":1}");
  EXPECT_EQ(key_of(none.row(), &none.line(), schema).wrong, &kNoKey);
  schema.key_mode = KeyMode::lines;
  EXPECT_EQ(key_of(none.row(), nullptr, schema).key, SequenceKey{0});
}

}  // namespace
}  // namespace sheaf::jsonl
