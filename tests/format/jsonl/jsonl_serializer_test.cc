#include "format/jsonl/jsonl_serializer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/format.h"

namespace sheaf::jsonl {
namespace {

using WriteExtra = std::map<std::string, std::string>;

/// Reads a text in `format` and writes its sequences as JSON Lines, in batches of `batch_size`.
std::string lines_of(const std::string& text, std::string_view format, FormatOptions options = {},
                     const WriteExtra& extra = {}, std::int64_t batch_size = 100) {
  options.format = format;
  const std::unique_ptr<Deserializer> data =
      find_format("", options).open({.source = memory_source(text, "t"), .options = options});
  std::string bytes;
  JsonlSerializer serializer(memory_sink(bytes, "out.jsonl"), data->streams(), {.extra = extra});
  for (ChunkIndex i{}; data->index().chunk(i); i = next(i)) {
    Diagnostics diagnostics;
    const Chunk chunk = data->read({.chunk = i}, diagnostics);
    EXPECT_TRUE(diagnostics.empty());
    const auto table = data->index().sequences(i);
    for (std::int64_t first = 0; first < chunk.sequence_count(); first += batch_size) {
      std::vector<SequenceKey> keys;
      std::vector<std::string_view> texts;
      std::vector<std::vector<SequenceView>> views(data->streams().size());
      for (std::int64_t k = first; k < std::min(first + batch_size, chunk.sequence_count()); ++k) {
        keys.push_back(table->key(k));
        if (!chunk.key_text(k).empty()) texts.push_back(chunk.key_text(k));
        for (std::size_t s = 0; s < views.size(); ++s) {
          views[s].push_back(chunk.view(static_cast<std::int64_t>(s), k));
        }
      }
      const std::vector<std::span<const SequenceView>> spans(views.begin(), views.end());
      serializer.append(serializer.encode({.keys = keys, .key_texts = texts, .views = spans}));
    }
  }
  serializer.finish();
  return bytes;
}

std::string refusal_of(const std::string& text, std::string_view format,
                       const FormatOptions& options = {}, const WriteExtra& extra = {}) {
  try {
    (void)lines_of(text, format, options, extra);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(JsonlSerializer, WritesNumbersListsAndPairs) {
  const std::string ctf =
      "7 |x 1 2.5 |y 3 |s 3:1 1:0.5\n7 |x -0 1e-7 |s\n9 |x 1e30 4 |y 1 |s 0:2\n";
  EXPECT_EQ(lines_of(ctf, "ctf"),
            "{\"key\": 7, \"x\": [[1.0, 2.5], [-0.0, 1e-7]], \"y\": 3.0, "
            "\"s\": [{\"indices\": [1, 3], \"values\": [0.5, 1.0]}, {\"indices\": [], \"values\": "
            "[]}]}\n"
            "{\"key\": 9, \"x\": [[1e30, 4.0]], \"y\": 1.0, "
            "\"s\": {\"indices\": [0], \"values\": [2.0]}}\n");
  FormatOptions whole;
  whole.dtype = ElementType::i64;
  EXPECT_EQ(lines_of("0 |x 9007199254740993\n1 |x -5\n", "ctf", whole, {{"jsonl.keys", "none"}}),
            "{\"x\": 9007199254740993}\n{\"x\": -5}\n");
}

TEST(JsonlSerializer, WritesTextsAndOmitsAbsentStreams) {
  FormatOptions options;
  options.missing_streams = MissingStreams::allow;
  const std::string text =
      "{\"t\": \"caf\\u00e9\\n\", \"x\": []}\n{\"t\": [\"a\", \"\"]}\n{\"x\": [1, 2], \"t\": []}\n";
  EXPECT_EQ(lines_of(text, "jsonl", options, {{"jsonl.keys", "none"}}, 1),
            "{\"t\": \"caf\xC3\xA9\\n\", \"x\": []}\n{\"t\": [\"a\", \"\"]}\n"
            "{\"t\": [], \"x\": [1, 2]}\n");
}

TEST(JsonlSerializer, WritesKeysAsRequested) {
  FormatOptions texts;
  texts.keys = KeyType::text;
  const std::string ctf = "a\"b |x 1\nc |x 2\n";
  EXPECT_EQ(lines_of(ctf, "ctf", texts),
            "{\"key\": \"a\\\"b\", \"x\": 1.0}\n{\"key\": \"c\", \"x\": 2.0}\n");
  EXPECT_EQ(lines_of(ctf, "ctf", texts, {{"jsonl.key", "\xC3\xA9\""}}),
            "{\"\xC3\xA9\\\"\": \"a\\\"b\", \"x\": 1.0}\n{\"\xC3\xA9\\\"\": \"c\", \"x\": 2.0}\n");
  EXPECT_EQ(lines_of(ctf, "ctf", texts, {{"jsonl.keys", "drop"}}), "{\"x\": 1.0}\n{\"x\": 2.0}\n");
  EXPECT_NE(refusal_of(ctf, "ctf", texts, {{"jsonl.keys", "none"}}).find("count from 0"),
            std::string::npos);
  EXPECT_NE(refusal_of("1 |x 1\n", "ctf", {}, {{"jsonl.keys", "none"}}).find("count from 0"),
            std::string::npos);
}

TEST(JsonlSerializer, RefusesUnsupportedNamesAndKeys) {
  EXPECT_NE(refusal_of("0 |key 1\n", "ctf").find("jsonl.key says another"), std::string::npos);
  EXPECT_EQ(refusal_of("0 |key 1\n", "ctf", {}, {{"jsonl.keys", "drop"}}), "");
  EXPECT_NE(refusal_of("0 |\xFF 1\n", "ctf").find("UTF-8"), std::string::npos);
  EXPECT_NE(refusal_of("0 |x 1\n", "ctf", {}, {{"jsonl.key", ""}}).find("not empty"),
            std::string::npos);
  FormatOptions texts;
  texts.keys = KeyType::text;
  EXPECT_NE(refusal_of("\xFF |x 1\n", "ctf", texts).find("jsonl-written-key"), std::string::npos);
}

// These values come from memory, because other formats cannot hold them.
TEST(JsonlSerializer, RefusesValuesWithTheirLocation) {
  const auto refusal = [](const Stream& stream, const SequenceView& view) {
    std::string bytes;
    const JsonlSerializer serializer(memory_sink(bytes, "out"), std::vector{stream}, {});
    const SequenceKey key{5};
    const std::span<const SequenceView> views(&view, 1);
    try {
      (void)serializer.encode({.keys = std::span(&key, 1), .views = std::span(&views, 1)});
    } catch (const DataError& error) {
      const Diagnostic& first = error.diagnostics()[0];
      return first.code + " " + first.sequence_key + " " + first.stream + ": " + first.found;
    }
    return std::string();
  };
  const Stream numbers{.name = "x", .sample_shape = Shape{1}};
  const float values[] = {1, std::numeric_limits<float>::infinity()};
  const auto* const bytes = reinterpret_cast<const std::byte*>(values);
  EXPECT_EQ(refusal(numbers, {.values = bytes, .sample_count = 1, .value_count = 1}), "");
  EXPECT_EQ(refusal(numbers, {.values = bytes, .sample_count = 2, .value_count = 2}),
            "jsonl-written-number 5 x: inf in sample 1");

  const Stream texts{
      .name = "t", .element_type = ElementType::bytes, .sample_shape = Shape{Shape::kVariable}};
  const std::int64_t ends[] = {0, 1, 2};
  const auto* const letters = reinterpret_cast<const std::byte*>("a\xC3");
  EXPECT_EQ(
      refusal(texts,
              {.values = letters, .sample_offsets = ends, .sample_count = 2, .value_count = 2}),
      "jsonl-written-text 5 t: \"\\xc3\" in sample 1");

  const Stream sparse{.name = "s", .sample_shape = Shape{9}, .storage = Storage::sparse};
  const std::int32_t indices[] = {3, 3};
  const std::int64_t pair_ends[] = {0, 2};
  const float ones[] = {1, 1};
  EXPECT_EQ(refusal(sparse, {.values = reinterpret_cast<const std::byte*>(ones),
                             .indices = reinterpret_cast<const std::byte*>(indices),
                             .sample_offsets = pair_ends,
                             .sample_count = 1,
                             .value_count = 2}),
            "jsonl-written-index 5 s: 3 behind 3 in sample 0");
}

}  // namespace
}  // namespace sheaf::jsonl
