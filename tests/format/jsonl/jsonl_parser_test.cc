// Tests how rows are parsed, in addition to the cases in tests/cases/jsonl.

#include "format/jsonl/jsonl_parser.h"

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "format/jsonl/jsonl_deserializer.h"

namespace sheaf::jsonl {
namespace {

struct Parsed {
  std::vector<std::int64_t> holes;
  std::vector<Diagnostic> diagnostics;
};

Parsed parse_text(const std::string& text, const FormatOptions& options) {
  const JsonlDeserializer data(memory_source(text, "t"), options);
  Diagnostics diagnostics;
  const Chunk chunk = data.read({.chunk = {}}, diagnostics);
  return {{chunk.holes().begin(), chunk.holes().end()},
          {diagnostics.described().begin(), diagnostics.described().end()}};
}

TEST(JsonlParser, EveryFieldIsReportedOnce) {
  FormatOptions options;
  options.streams = {{.name = "a", .sample_shape = Shape{1}},
                     {.name = "b", .sample_shape = Shape{1}},
                     {.name = "c", .sample_shape = Shape{1}}};
  const Parsed parsed =
      parse_text("{\"a\":[\"x\",\"y\"],\"b\":{},\"a\":1}\n{\"a\":1,\"b\":2,\"c\":3}\n", options);
  EXPECT_EQ(parsed.holes, std::vector<std::int64_t>{0});
  ASSERT_EQ(parsed.diagnostics.size(), 4U);
  EXPECT_EQ(parsed.diagnostics[0].code, "jsonl-type");
  EXPECT_EQ(parsed.diagnostics[0].column, 7);
  EXPECT_EQ(parsed.diagnostics[1].stream, "b");
  EXPECT_EQ(parsed.diagnostics[2].code, "jsonl-repeated-field");
  EXPECT_EQ(parsed.diagnostics[3].code, "jsonl-missing-stream");
  EXPECT_EQ(parsed.diagnostics[3].stream, "c");
  EXPECT_EQ(parsed.diagnostics[3].found, "no such field");
}

TEST(JsonlParser, RepeatedKeysNameTheEarlierLine) {
  FormatOptions options;
  options.extra = {{"jsonl.key", "id"}};
  const Parsed parsed =
      parse_text("{\"id\":\"a\",\"x\":1}\n\n{\"id\":\"a\",\"x\":2}\n{\"x\":3}\n", options);
  EXPECT_EQ(parsed.holes, (std::vector<std::int64_t>{1, 2}));
  ASSERT_EQ(parsed.diagnostics.size(), 2U);
  EXPECT_EQ(parsed.diagnostics[0].expected, "a key that no earlier line has (line 1 has it)");
  EXPECT_EQ(parsed.diagnostics[0].sequence_key, "a");
  EXPECT_EQ(parsed.diagnostics[1].expected, "the field of the key, \"id\"");
}

// A line that begins with a space is not read quickly.
std::string indented(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == 0 || text[i - 1] == '\n') result += ' ';
    result += text[i];
  }
  return result;
}

std::string bytes_of(const Chunk& chunk) {
  std::string all;
  for (std::int64_t k = 0; k < chunk.sequence_count(); ++k) {
    all += std::string(chunk.key_text(k)) + ";";
  }
  for (std::int64_t i = 0; i < chunk.stream_count(); ++i) {
    for (std::int64_t k = 0; k < chunk.sequence_count(); ++k) {
      const SequenceView view = chunk.view(i, k);
      all += std::to_string(view.sample_count) + (view.is_present ? "+" : "-");
      const std::int64_t size = i < 3 ? 4 : 1;  // of a value
      all.append(reinterpret_cast<const char*>(view.values),
                 static_cast<std::size_t>(size * view.value_count));
      if (view.indices != nullptr) {
        all.append(reinterpret_cast<const char*>(view.indices),
                   static_cast<std::size_t>(4 * view.value_count));
      }
      for (std::int64_t n = 0; view.sample_offsets != nullptr && n < view.sample_count; ++n) {
        all += "," + std::to_string(view.sample_offsets[n + 1] - view.sample_offsets[n]);
      }
    }
  }
  return all;
}

// Returns the keys, and the counts that the scan finds, as text.
std::string counts_of_index(const JsonlDeserializer& data) {
  std::string text;
  for (ChunkIndex c{}; const auto info = data.index().chunk(c); c = next(c)) {
    const auto table = data.index().sequences(c);
    text += std::to_string(info->decoded_size_bytes) + ":";
    for (std::int64_t i = 0; i < table->size(); ++i) {
      text += " " + to_string(table->key(i)) + "=" + std::to_string(table->sample_count(i));
    }
  }
  return text;
}

TEST(JsonlParser, LinesReadQuicklyEqualLinesThatAreNot) {
  FormatOptions options;
  options.streams = {
      {.name = "ids", .sample_shape = Shape{1}, .dtype = ElementType::i32},
      {.name = "frames", .sample_shape = Shape{2}, .dtype = ElementType::f32},
      {.name = "pairs", .storage = Storage::sparse, .sample_shape = Shape{50}},
      {.name = "text", .dtype = ElementType::bytes},
  };
  const std::string good[] = {
      R"({"ids": [1, 22, 333], "frames": [[0.5, 1e2], [-3, 4]], "more": 5, )"
      R"("pairs": {"indices": [1, 7, 49], "values": [1, 0.5, 2]}, "text": "a plain text"})",
      R"({"ids": [], "frames": [7, 8], "more": "none", "pairs": {"indices": []}, "text": ""})",
      R"({"ids": 4, "frames": [], "more": null, "pairs": [], "text": [")"
      "\xc3\xa9"
      R"(", "two"]})",
      R"({"ids": [5], "frames": [[1, 2]], "text": "caf\u00e9", "pairs": {"indices": [3]}})",
  };
  constexpr std::string_view kBytes = "01,.-e]}[{\": \tx\\\n\xc3\xa9\xff";
  std::mt19937 random(5);
  constexpr std::string_view kWithoutPairs = R"({"ids": [6], "frames": [[1, 2]], "text": "a"})";
  std::int64_t wrong_count = 0;
  for (int i = 0; i < 1200; ++i) {
    const bool has_keys = i % 3 != 0;
    options.extra.clear();
    options.keys = {};
    if (has_keys) {
      options.extra["jsonl.key"] = "id";
      options.keys = i % 3 == 1 ? KeyType::numeric : KeyType::text;
    }
    options.missing_streams = i % 2 == 0 ? MissingStreams::allow : MissingStreams::error;
    std::string text;
    for (int line = 0; line < 12; ++line) {
      std::string row = good[random() % (line % 3 == 0 ? 4 : 1)];
      if (i % 4 < 2 && line > 5) row = kWithoutPairs;
      if (has_keys) {  // first or last, and seldom repeated
        std::string key = std::to_string(random() % 16 == 0 ? 3 : 10 + line);
        if (options.keys == KeyType::text && i % 2 == 0) key = "\"r\xc3\xa9" + key + "\"";
        const bool is_first = i % 5 < 3;
        row.insert(is_first ? 1 : row.size() - 1,
                   is_first ? "\"id\": " + key + ", " : ", \"id\": " + key);
      }
      const unsigned damages = i < 20 || random() % 2 == 0 ? 0 : 1 + random() % 2;
      for (unsigned k = 0; k < damages; ++k) {
        const std::size_t at = 1 + random() % (row.size() - 1);
        if (random() % 2 == 0) {
          row[at] = kBytes[random() % kBytes.size()];
        } else {
          row.erase(at, 1 + random() % 3);
        }
      }
      text += row + "\n";
    }
    const JsonlDeserializer quick(memory_source(text, "t"), options);
    const JsonlDeserializer slow(memory_source(indented(text), "t"), options);
    ASSERT_EQ(counts_of_index(quick), counts_of_index(slow)) << text;
    Diagnostics of_quick;
    Diagnostics of_slow;
    const Chunk a = quick.read({.chunk = {}}, of_quick);
    const Chunk b = slow.read({.chunk = {}}, of_slow);
    ASSERT_EQ(a.sequence_count(), b.sequence_count()) << text;
    ASSERT_TRUE(std::ranges::equal(a.holes(), b.holes())) << text;
    ASSERT_EQ(bytes_of(a), bytes_of(b)) << text;
    ASSERT_EQ(of_quick.described().size(), of_slow.described().size()) << text;
    for (std::size_t k = 0; k < of_quick.described().size(); ++k) {
      const Diagnostic& first = of_quick.described()[k];
      const Diagnostic& second = of_slow.described()[k];
      EXPECT_EQ(first.code, second.code) << text;
      EXPECT_EQ(first.line, second.line) << text;
      EXPECT_EQ(first.expected, second.expected) << text;
      EXPECT_EQ(first.found, second.found) << text;
      const bool is_of_line = first.column == 1 && second.column == 1;
      EXPECT_TRUE(is_of_line || second.column == first.column + 1) << text;
    }
    wrong_count += std::ssize(of_quick.described());
  }
  EXPECT_GT(wrong_count, 1000);
}

}  // namespace
}  // namespace sheaf::jsonl
