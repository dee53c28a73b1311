#include "format/csv/csv_deserializer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/compressed.h"

#include "format/csv/csv_test_files.h"
#include "support/test_folder.h"
#include "support/test_sources.h"

namespace sheaf::csv {
namespace {

std::string rows(std::int64_t count) {
  std::string text = "x,name\n";
  for (std::int64_t i = 0; i < count; ++i) {
    text += std::to_string(i) + ".5,\"row\n" + std::to_string(i % 7) + "\"\n";
  }
  return text;
}

TEST(CsvDeserializer, ReadsTheFirstChunkWithoutScanningTheFileIfStreamsAreDeclared) {
  const auto source = std::make_shared<testing::TestSource>(rows(100'000));
  FormatOptions options;
  options.streams = {{.name = "x", .sample_shape = Shape{1}}};
  options.chunk_size_bytes = 10'000;
  options.read_size_bytes = 4096;
  const CsvDeserializer data(OpenRequest{source, options});
  Diagnostics diagnostics;
  EXPECT_GT(data.read({.chunk = {}}, diagnostics).sequence_count(), 100);
  EXPECT_LT(source->read_count(), 20);
}

TEST(CsvDeserializer, KeysContinueAcrossChunksAndRescans) {
  FormatOptions options;
  options.chunk_size_bytes = 1000;
  options.index.memory_limit_bytes = 1;
  const auto data = opened(rows(1000), options);
  std::uint64_t key = 0;
  for (ChunkIndex i{}; data->index().chunk(i); i = next(i)) {
    const auto table = data->index().sequences(i);
    for (std::int64_t k = 0; k < table->size(); ++k) EXPECT_EQ(table->key(k).low, key++);
    Diagnostics diagnostics;
    static_cast<void>(data->read({.chunk = i, .first = 1}, diagnostics));
    EXPECT_TRUE(diagnostics.empty());
  }
  EXPECT_EQ(key, 1000U);
}

TEST(CsvDeserializer, AnIndexFileKeepsTheTypesAndTheClasses) {
  const TestFolder folder;
  folder.write("a.csv", rows(1000));
  FormatOptions options = options_with({{"csv.classes", "name"}});
  options.index.mode = IndexMode::rebuild;
  const auto walk = [&] {
    const CsvDeserializer data(OpenRequest{open_file(folder.path("a.csv")), options});
    std::int64_t count = 0;
    for (ChunkIndex i{}; const auto chunk = data.index().chunk(i); i = next(i)) {
      count += chunk->sequence_count;
    }
    EXPECT_EQ(to_string(data.streams()[0]), "x: dense f32 [1]");
    EXPECT_EQ(data.streams()[1].class_names->size(), 7U);
    EXPECT_EQ(data.streams()[1].class_names->at(2), "row\n2");
    return count;
  };
  EXPECT_EQ(walk(), 1000);
  options.index.mode = IndexMode::require;
  EXPECT_EQ(walk(), 1000);
  options.extra = {};
  EXPECT_THROW((void)walk(), ConfigError);  // made for other streams
}

TEST(CsvDeserializer, TheFingerprintDependsOnContentAndOptions) {
  const auto of = [](const std::string& text, const FormatOptions& options) {
    return opened(text, options, "any name")->fingerprint();
  };
  const std::string text = "k,x\n1,2\n3,4\n";
  const std::string plain = of(text, {});
  EXPECT_EQ(of(text, {}), plain);
  EXPECT_NE(of(text + "5,6\n", {}), plain);
  const Extra changes[] = {{{"csv.header", "no"}},      {{"csv.key", "k"}},
                           {{"csv.columns", "x"}},      {{"csv.classes", "x"}},
                           {{"csv.missing", "0"}},      {{"csv.missing", "absent"}},
                           {{"csv.missing_text", "2"}}, {{"csv.delimiter", "tab"}}};
  for (const Extra& change : changes) EXPECT_NE(of(text, options_with(change)), plain);
}

}  // namespace
}  // namespace sheaf::csv
