#include "format/libsvm/libsvm_deserializer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/reader.h"

#include "support/test_folder.h"
#include "support/test_sources.h"

namespace sheaf::libsvm {
namespace {

std::string rows(std::int64_t count) {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) {
    text += std::to_string(i % 2) + " " + std::to_string(i % 50 + 1) + ":0.5 60:1\n";
  }
  return text;
}

TEST(LibsvmDeserializer, ReadsTheFirstChunkWithoutScanningTheFile) {
  const auto source = std::make_shared<testing::TestSource>(rows(100'000));
  FormatOptions options;
  options.streams = {{.name = "label"},
                     {.name = "features", .storage = Storage::sparse, .sample_shape = Shape{60}}};
  options.chunk_size_bytes = 10'000;
  options.read_size_bytes = 4096;
  const LibsvmDeserializer data(source, options);
  Diagnostics diagnostics;
  EXPECT_GT(data.read({.chunk = {}}, diagnostics).sequence_count(), 100);
  EXPECT_LT(source->read_count(), 20);
}

TEST(LibsvmDeserializer, KeysContinueAcrossChunksAndRescans) {
  FormatOptions options;
  options.chunk_size_bytes = 1000;
  options.index.memory_limit_bytes = 1;
  const LibsvmDeserializer data(memory_source(rows(1000), "t"), options);
  std::uint64_t key = 0;
  for (ChunkIndex i{}; data.index().chunk(i); i = next(i)) {
    const auto table = data.index().sequences(i);
    for (std::int64_t k = 0; k < table->size(); ++k) EXPECT_EQ(table->key(k).low, key++);
    Diagnostics diagnostics;
    static_cast<void>(data.read({.chunk = i, .first = 1}, diagnostics));
    EXPECT_TRUE(diagnostics.empty());
  }
  EXPECT_EQ(key, 1000U);
}

TEST(LibsvmDeserializer, AnIndexFileKeepsTheDims) {
  const TestFolder folder;
  folder.write("a.svm", rows(1000));
  FormatOptions options;
  options.index.mode = IndexMode::rebuild;
  const auto walk = [&] {
    const LibsvmDeserializer data(open_file(folder.path("a.svm")), options);
    std::int64_t count = 0;
    for (ChunkIndex i{}; const auto chunk = data.index().chunk(i); i = next(i)) {
      count += chunk->sequence_count;
    }
    EXPECT_EQ(data.streams()[1].sample_shape, Shape{60});
    return count;
  };
  EXPECT_EQ(walk(), 1000);
  options.index.mode = IndexMode::require;
  EXPECT_EQ(walk(), 1000);
  options.extra = {{"libsvm.base", "0"}};
  EXPECT_THROW((void)walk(), ConfigError);  // made with other indices
}

TEST(LibsvmDeserializer, TheFingerprintDependsOnContentAndOptions) {
  const auto of = [](const std::string& text, const FormatOptions& options) {
    return LibsvmDeserializer(memory_source(text, "any name"), options).fingerprint();
  };
  FormatOptions from_zero;
  from_zero.extra = {{"libsvm.base", "0"}};
  EXPECT_EQ(of("1 1:1\n", {}), of("1 1:1\n", {}));
  EXPECT_NE(of("1 1:1\n", {}), of("1 1:2\n", {}));
  EXPECT_NE(of("1 1:1\n", {}), of("1 1:1\n", from_zero));
  EXPECT_NE(of("1 1:1\n", {}), of("1 1:1\n", {.skip_sequence_ids = true}));
}

TEST(LibsvmDeserializer, DetectsChangesSinceIndexing) {
  const TestFolder folder;
  const std::string path = folder.path("a.svm");
  folder.write("a.svm", "1 qid:5 1:1\n2 qid:6 1:2\n");
  const LibsvmDeserializer data(open_file(path), FormatOptions{});
  ASSERT_TRUE(data.index().chunk(ChunkIndex{}));
  for (const char* changed : {"1 qid:5 1:1\n2 qid:7 1:2\n", "1 qid:5 1:1\n2 qid:5 1:2\n",
                              "1 qid:5 1:1\n2 3 qid:6:\n\n", "1 qid:51:1\n2 qid:6 1:2\n\n"}) {
    folder.write("a.svm", changed);
    Diagnostics diagnostics;
    EXPECT_THROW((void)data.read({.chunk = {}}, diagnostics), IoError) << changed;
  }
}

TEST(LibsvmDeserializer, QueriesAreSequencesOfAReader) {
  const TestFolder folder;
  folder.write("a.svm", "2 qid:8 1:1\n1 qid:8 2:1\n0 qid:3 1:.5\n");
  Reader reader(folder.path("a.svm"), ReaderOptions{});
  const std::optional<Minibatch> minibatch = reader.next();
  ASSERT_TRUE(minibatch);
  ASSERT_EQ(minibatch->keys().size(), 2U);
  EXPECT_EQ(minibatch->keys()[0].low, 8U);
  EXPECT_EQ(minibatch->keys()[1].low, 3U);
}

}  // namespace
}  // namespace sheaf::libsvm
