#include "format/jsonl/jsonl_deserializer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/reader.h"

#include "support/test_folder.h"
#include "support/test_sources.h"

namespace sheaf::jsonl {
namespace {

std::string json_lines(std::int64_t count) {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) {
    text += "{\"label\":" + std::to_string(i % 2) + ",\"text\":\"line " + std::to_string(i) +
            "\",\"s\":{\"indices\":[" + std::to_string(i % 50) + ",59],\"values\":[0.5,1]}}\n";
  }
  return text;
}

TEST(JsonlDeserializer, ReadsTheFirstChunkWithoutScanningTheFile) {
  const auto source = std::make_shared<testing::TestSource>(json_lines(100'000));
  FormatOptions options;
  options.streams = {{.name = "label", .sample_shape = Shape{1}}};
  options.chunk_size_bytes = 10'000;
  options.read_size_bytes = 4096;
  const JsonlDeserializer data(source, options);
  Diagnostics diagnostics;
  EXPECT_GT(data.read({.chunk = {}}, diagnostics).sequence_count(), 100);
  EXPECT_LT(source->read_count(), 20);
}

TEST(JsonlDeserializer, AnIndexFileKeepsTheStreams) {
  const TestFolder folder;
  folder.write("a.jsonl", json_lines(1000));
  FormatOptions options;
  options.index.mode = IndexMode::rebuild;
  const auto walk = [&] {
    const JsonlDeserializer data(open_file(folder.path("a.jsonl")), options);
    std::int64_t count = 0;
    for (ChunkIndex i{}; const auto chunk = data.index().chunk(i); i = next(i)) {
      count += chunk->sequence_count;
    }
    EXPECT_EQ(to_string(data.streams()[0]), "label: dense i64 [1]");
    EXPECT_EQ(to_string(data.streams()[1]), "text: dense bytes [*]");
    EXPECT_EQ(to_string(data.streams()[2]), "s: sparse f32 [60]");
    return count;
  };
  EXPECT_EQ(walk(), 1000);
  options.index.mode = IndexMode::require;
  EXPECT_EQ(walk(), 1000);
  options.extra = {{"jsonl.fields", "label"}};
  EXPECT_THROW((void)walk(), ConfigError);  // made for other streams
}

TEST(JsonlDeserializer, TheFingerprintDependsOnContentAndOptions) {
  const auto of = [](const std::string& text, const FormatOptions& options) {
    return JsonlDeserializer(memory_source(text, "any name"), options).fingerprint();
  };
  FormatOptions options;
  const std::string text = "{\"x\":1,\"id\":2}\n";
  const std::string print = of(text, options);
  EXPECT_EQ(of(text, options), print);
  EXPECT_NE(of("{\"x\":2,\"id\":2}\n", options), print);
  options.extra = {{"jsonl.key", "id"}};
  EXPECT_NE(of(text, options), print);
}

// Tests a long line, and lines that end around the border of a read.
TEST(JsonlDeserializer, LinesMayBeLongerThanAnyRead) {
  for (const std::size_t size : {63U, 64U, 65U, 4095U, 4096U, 4097U, 100'000U}) {
    SCOPED_TRACE(size);
    const std::string text(size, 'x');
    FormatOptions options;
    options.read_size_bytes = 64;
    const JsonlDeserializer data(memory_source("{\"t\":\"" + text + "\"}\n{\"t\":\"y\"}\n", "t"),
                                 options);
    Diagnostics diagnostics;
    const Chunk chunk = data.read({.chunk = {}}, diagnostics);
    EXPECT_TRUE(diagnostics.empty());
    ASSERT_EQ(chunk.sequence_count(), 2);
    EXPECT_EQ(chunk.view(0, 0).value_count, static_cast<std::int64_t>(size));
    EXPECT_EQ(chunk.view(0, 1).value_count, 1);
  }
}

TEST(JsonlDeserializer, FilesOfADataSetShareTheirStreams) {
  const TestFolder folder;
  folder.write("a.jsonl", "{\"x\":1,\"s\":{\"indices\":[3]},\"t\":\"a\"}\n");
  folder.write("b.jsonl", "{\"x\":2.5,\"s\":{\"indices\":[7]},\"t\":\"b\"}\n");
  const OpenedData opened = open_path(folder.path("*.jsonl"));
  const Deserializer* const data = opened.data.get();
  ASSERT_EQ(data->streams().size(), 3U);
  EXPECT_EQ(to_string(data->streams()[0]), "x: dense f32 [1]");
  EXPECT_EQ(to_string(data->streams()[1]), "s: sparse f32 [8]");
  EXPECT_EQ(to_string(data->streams()[2]), "t: dense bytes [*]");
}

}  // namespace
}  // namespace sheaf::jsonl
