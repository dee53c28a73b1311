#include "format/jsonl/jsonl_infer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/executor.h"

#include "format/nothing_found.h"

namespace sheaf::jsonl {
namespace {

std::vector<StreamOptions> infer(const std::string& text, const FormatOptions& options = {},
                                 Executor* executor = nullptr) {
  const auto source = memory_source(text, "t");
  const internal::FoundStreams found =
      find_streams(*source, options, find_beginning(*source, options), executor);
  return infer_streams(found, options, "t");
}

TEST(JsonlInfer, StreamsAreTheFieldsInOrder) {
  const auto streams =
      infer(R"({"b":[1,2],"a":0.5,"t":"x","s":{"indices":[4]},"m":[[1,2.5],[3,4]],"f":true})"
            "\n");
  ASSERT_EQ(streams.size(), 6U);
  const char* const names[] = {"b", "a", "t", "s", "m", "f"};
  const ElementType types[] = {ElementType::i64, ElementType::f32, ElementType::bytes,
                               ElementType::f32, ElementType::f32, ElementType::u8};
  const Shape shapes[] = {Shape{1}, Shape{1}, Shape{Shape::kVariable},
                          Shape{5}, Shape{2}, Shape{1}};
  for (std::size_t i = 0; i < streams.size(); ++i) {
    EXPECT_EQ(streams[i].name, names[i]);
    EXPECT_EQ(streams[i].dtype, types[i]) << names[i];
    EXPECT_EQ(streams[i].sample_shape, shapes[i]) << names[i];
    EXPECT_EQ(streams[i].storage == Storage::sparse, i == 3);
  }
}

TEST(JsonlInfer, MoreThan32768FieldsAreRefused) {
  constexpr int kMost = 32768;
  for (const int count : {kMost - 1, kMost, kMost + 1}) {
    std::string line = "{";
    for (int i = 0; i < count; ++i) {
      line += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":1";
    }
    line += "}\n";
    if (count > kMost) {
      EXPECT_THROW(infer(line), ConfigError) << count;
    } else {
      EXPECT_EQ(infer(line).size(), static_cast<std::size_t>(count));
    }
  }
}

TEST(JsonlInfer, AllLinesAreConsidered) {
  const auto of = [](const std::string& text) { return infer(text)[0]; };
  EXPECT_EQ(of("{\"a\":1}\n{\"a\":2.5}\n").dtype, ElementType::f32);
  EXPECT_EQ(of("{\"a\":true}\n{\"a\":2}\n").dtype, ElementType::i64);
  EXPECT_EQ(of("{\"a\":null}\n{\"a\":[]}\n{\"a\":true}").dtype, ElementType::u8);
  EXPECT_EQ(of("{\"a\":1}\n{\"a\":9223372036854775808}").dtype, ElementType::f32);
  EXPECT_EQ(of("{\"a\":{\"indices\":[1]}}\n{\"a\":{\"indices\":[8]}}").sample_shape, Shape{9});
  EXPECT_EQ(of("{\"a\":{\"indices\":[3000000000]}}").index_dtype, ElementType::i64);
  EXPECT_EQ(of("{\"a\":{\"indices\":[2147483647]}}").index_dtype, ElementType::i32);
  EXPECT_EQ(of("{\"a\":1,\n{\"a\":2}").dtype,
            ElementType::i64);  // a wrong line does not count
}

TEST(JsonlInfer, UnsupportedFieldsAreLeftOut) {
  const auto streams = infer("{\"o\":{\"x\":1},\"n\":null,\"e\":[],\"a\":1,\"l\":[[[1]]]}\n");
  ASSERT_EQ(streams.size(), 1U);
  EXPECT_EQ(streams[0].name, "a");
}

TEST(JsonlInfer, OptionsSelectFieldsTypesAndTheKey) {
  FormatOptions options;
  options.extra = {{"jsonl.fields", "c,a"}};
  const auto chosen = infer("{\"a\":1,\"b\":2,\"c\":3}\n", options);
  ASSERT_EQ(chosen.size(), 2U);
  EXPECT_EQ(chosen[0].name, "a");
  EXPECT_EQ(chosen[1].name, "c");
  options.extra = {{"jsonl.fields", "a,z"}};
  EXPECT_THROW((void)infer("{\"a\":1}\n", options), ConfigError);
  options.extra = {{"jsonl.key", "a"}};
  EXPECT_EQ(infer("{\"a\":1,\"b\":2}\n", options)[0].name, "b");
  options.extra = {};
  options.dtype = ElementType::f64;
  const auto typed = infer("{\"a\":1,\"t\":\"x\"}\n", options);
  EXPECT_FALSE(typed[0].dtype);  // the options give the type
  EXPECT_EQ(typed[1].dtype, ElementType::bytes);
}

TEST(JsonlInfer, DeclaredStreamsAreCompleted) {
  FormatOptions options;
  options.streams = {{.name = "x", .alias = "a"}, {.name = "t"}};
  const auto streams = infer("{\"a\":[[1,2]],\"t\":\"x\"}\n", options);
  EXPECT_EQ(streams[0].sample_shape, Shape{2});
  EXPECT_EQ(streams[0].dtype, ElementType::i64);
  EXPECT_EQ(streams[1].dtype, ElementType::bytes);
  options.streams = {{.name = "a", .storage = Storage::sparse}};
  try {
    (void)infer("{\"a\":1,\"ab\":2}\n", options);
    FAIL();
  } catch (const internal::NoDimFound& error) {
    EXPECT_STREQ(
        error.what(),
        "stream \"a\": no dim is given, and t has no sparse value of \"a\" to find it from");
  }
}

TEST(JsonlInfer, ContradictionsAreRefusedWithBothLocations) {
  const auto refusal = [](const std::string& text) {
    try {
      (void)infer(text);
    } catch (const DataError& error) {
      const Diagnostic& first = error.diagnostics()[0];
      return first.code + " " + std::to_string(first.line) + ":" + std::to_string(first.column) +
             " " + first.expected + "; " + first.found;
    }
    return std::string();
  };
  EXPECT_EQ(refusal("{\"a\":1}\n{\"a\":\"x\"}\n"),
            "jsonl-contradiction 2:6 a number, as in line 1; a text");
  EXPECT_EQ(refusal("{\"a\":\"x\"}\n\n{\"a\":{\"indices\":[1]}}\n"),
            "jsonl-contradiction 3:6 a text, as in line 1; a sparse sample");
  EXPECT_EQ(refusal("{\"a\":[[1,2]]}\n{\"a\":[3]}\n"),
            "jsonl-contradiction 2:6 a list of 2 numbers, as in line 1; a number");
  EXPECT_EQ(
      refusal("{\"a\":{\"indices\":[1099511627776]}}\n"),
      "jsonl-index-range 1:6 an index below 1099511627776 (2^40); a larger one in this sample");
  FormatOptions options;
  options.takes_first_form = true;
  EXPECT_EQ(infer("{\"a\":\"x\"}\n{\"a\":1}\n", options)[0].dtype, ElementType::bytes);
  EXPECT_EQ(infer("{\"a\":[[1,2]]}\n{\"a\":1}\n", options)[0].sample_shape, Shape{2});
}

TEST(JsonlInfer, ThreadsChangeNothing) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "{\"a\":[1,2],\"b\":{\"indices\":[1]}}\n";
  text += "{\"c\":1,\"b\":{\"indices\":[77]}}\n{\"a\":1.5}\n";
  const std::unique_ptr<Executor> executor = thread_pool(4);
  const auto alone = infer(text);
  const auto together = infer(text, {}, executor.get());
  ASSERT_EQ(alone.size(), 3U);
  ASSERT_EQ(together.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(alone[i].name, together[i].name);
    EXPECT_EQ(alone[i].dtype, together[i].dtype);
    EXPECT_EQ(alone[i].sample_shape, together[i].sample_shape);
  }
  EXPECT_EQ(alone[0].dtype, ElementType::f32);
  EXPECT_EQ(alone[1].sample_shape, Shape{78});
}

TEST(JsonlInfer, InferenceMayReadOnlyTheStart) {
  FormatOptions options;
  options.inference_size_bytes = 8;
  EXPECT_EQ(infer("{\"a\":1}\n{\"a\":2.5}\n", options)[0].dtype, ElementType::i64);
  options.inference_size_bytes = 9;
  EXPECT_EQ(infer("{\"a\":1}\n{\"a\":2.5}\n", options)[0].dtype, ElementType::f32);
}

}  // namespace
}  // namespace sheaf::jsonl
