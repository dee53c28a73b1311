#include "format/text/scanned_index.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"

#include "format/text/line_scanner.h"
#include "support/interrupting.h"
#include "support/test_folder.h"
#include "support/test_sources.h"

namespace sheaf::internal {
namespace {

std::string rising_lines(std::int64_t count) {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) text += std::to_string(i + 100) + "\n";
  return text;
}

/// All keys, and for each chunk the numbers of the sequences with repeated keys.
struct Walk {
  std::vector<std::uint64_t> keys;
  std::vector<std::vector<std::int64_t>> repeated;
};

Walk walk(const ScannedIndex& index) {
  Walk walk;
  for (ChunkIndex i{}; index.chunk(i); i = next(i)) {
    const auto table = index.sequences(i);
    for (std::int64_t k = 0; k < table->size(); ++k) walk.keys.push_back(table->key(k).low);
    walk.repeated.push_back(index.notes(i)->repeated);
  }
  return walk;
}

TEST(ScannedIndex, FindsChunksOnDemand) {
  const auto source = std::make_shared<testing::TestSource>(rising_lines(100'000));
  TextSchema schema = line_schema(1000);
  schema.read_size_bytes = 256;
  const ScannedIndex index(line_index(source, schema, {}));
  ASSERT_TRUE(index.chunk(ChunkIndex{0}));
  EXPECT_LT(source->read_count(), 10);
  const Walk all = walk(index);
  EXPECT_EQ(all.keys.size(), 100'000U);
  EXPECT_EQ(all.keys.back(), 100'099U);
  EXPECT_EQ(index.warnings().at(0).found, "100000");
  EXPECT_FALSE(index.chunk(ChunkIndex{100'000}));
}

TEST(ScannedIndex, ContinuesAfterAnInterruption) {
  const auto source = std::make_shared<testing::TestSource>(rising_lines(1000));
  const TextSchema schema = line_schema(3);
  const ScannedIndex index(line_index(source, schema, {}));
  testing::Refusing refusing(100);
  const InterruptionScope scope(refusing);
  std::int64_t interruptions = 0;
  std::int64_t chunks = 0;
  while (true) {
    try {
      if (!index.chunk(ChunkIndex{chunks})) break;
      ++chunks;
    } catch (const testing::Interrupted&) {
      ++interruptions;
    }
  }
  EXPECT_EQ(chunks, 1000);
  EXPECT_GE(interruptions, 10);
  EXPECT_FALSE(index.chunk(ChunkIndex{1000}));
}

TEST(ScannedIndex, RescansTablesDroppedByTheLimit) {
  // Keys that follow no rule take memory.
  std::string text;
  for (std::uint64_t i = 0; i < 20'000; ++i) text += std::to_string(i * 7919 % 65'536) + "\n";
  const TextSchema schema = line_schema(4000);
  const ScannedIndex whole(line_index(memory_source(text, "text"), schema, {}));
  const ScannedIndex limited(
      line_index(memory_source(text, "text"), schema, {.memory_limit_bytes = 20'000}));
  const Walk expected = walk(whole);
  EXPECT_EQ(walk(limited).keys, expected.keys);
  EXPECT_EQ(walk(limited).keys, expected.keys);
  EXPECT_LT(limited.memory_bytes() + 20'000, whole.memory_bytes());
}

TEST(ScannedIndex, ARescanGetsTheNumberOfEarlierSequences) {
  std::vector<ScanPart> parts;
  // Chunks of 100 sequences. Keys that follow no rule take more memory than the rest of the index.
  std::string text;
  for (std::int64_t i = 0; i < 300; ++i) text += std::to_string(100'000 + i * 7919 % 9973) + "\n";
  const auto source = memory_source(text, "text");
  const TextSchema schema = line_schema(700);
  ScannedIndex::Parts index_parts = line_index(source, schema, {.memory_limit_bytes = 1});
  index_parts.make_scanner = [&parts, make = index_parts.make_scanner](const ScanPart& part) {
    parts.push_back(part);
    return make(part);
  };
  const ScannedIndex index(std::move(index_parts));
  EXPECT_FALSE(index.chunk(ChunkIndex{3}));
  parts.clear();
  EXPECT_EQ(index.sequences(ChunkIndex{1})->key(0).low, 100'000U + 100 * 7919 % 9973);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].begin, 700);
  EXPECT_EQ(parts[0].first_line, 101);
  EXPECT_EQ(parts[0].first_sequence, 100);
}

TEST(ScannedIndex, FindsRepeatedKeysAndTheirFirstLocation) {
  const TextSchema schema = line_schema(4);
  const ScannedIndex index(line_index(memory_source("5\n3\n-\n5\n6\n3\n", "text"), schema, {}));
  EXPECT_EQ(walk(index).repeated, (std::vector<std::vector<std::int64_t>>{{}, {}, {0}, {0}}));
  EXPECT_EQ(index.first_location({.low = 3}).line, 2);
  EXPECT_EQ(index.first_location({.low = 3}).offset, 2);
  EXPECT_THROW((void)index.first_location({.low = 4}), InternalError);
}

TEST(ScannedIndex, IsRestoredFromItsFile) {
  const TestFolder folder;
  folder.write("a", "5\n3\n5\n6\n");
  const auto source = open_file(folder.path("a"));
  const TextSchema schema = line_schema(4);
  const Walk scanned = walk(ScannedIndex(line_index(source, schema, {.mode = IndexMode::rebuild})));
  EXPECT_EQ(scanned.keys.size(), 4U);
  ScannedIndex::Parts parts = line_index(source, schema, {.mode = IndexMode::require});
  parts.make_scanner = nullptr;  // scanning is impossible
  const ScannedIndex again(std::move(parts));
  EXPECT_EQ(walk(again).keys, scanned.keys);
  EXPECT_EQ(walk(again).repeated, scanned.repeated);
  EXPECT_EQ(again.warnings().at(0).code, "line-count");

  parts = line_index(source, schema, {.mode = IndexMode::require});
  parts.identity.options = "other lines";
  EXPECT_THROW(ScannedIndex(std::move(parts)), ConfigError);
  parts = line_index(source, schema, {.mode = IndexMode::automatic});
  parts.identity.options = "other lines";
  const ScannedIndex scanned_again(std::move(parts));
  EXPECT_EQ(scanned_again.warnings().at(0).code, "line-index-file");
}

constexpr std::int64_t kStreams = 1000;

/// Records many streams in each chunk.
class ScannerOfManyStreams final : public Scanner {
 public:
  explicit ScannerOfManyStreams(std::unique_ptr<Scanner> scanner) : scanner_(std::move(scanner)) {}

  std::optional<ScannedChunk> next() override {
    std::optional<ScannedChunk> chunk = scanner_->next();
    if (chunk) chunk->notes.streams.resize(kStreams);
    return chunk;
  }
  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return scanner_->warnings(); }

 private:
  std::unique_ptr<Scanner> scanner_;
};

TEST(ScannedIndex, NothingIsScannedBeforeAChunkIsRequested) {
  const TestFolder folder;
  folder.write("a", "1\n2\n3\n");
  const auto source = open_file(folder.path("a"));
  const TextSchema schema = line_schema(4);
  int scanners = 0;
  ScannedIndex::Parts parts = line_index(source, schema, {.mode = IndexMode::rebuild});
  parts.make_scanner = [&scanners, make = parts.make_scanner](const ScanPart& part) {
    ++scanners;
    return make(part);
  };
  const ScannedIndex index(parts);
  EXPECT_EQ(scanners, 0);
  EXPECT_EQ(folder.names(), std::set<std::string>{"a"});
  EXPECT_EQ(walk(index).keys.size(), 3U);
  EXPECT_EQ(scanners, 1);
  EXPECT_EQ(folder.names().count("a.sheaf-index"), 1U);
}

TEST(ScannedIndex, NotesOfAnIndexFileAreDroppedWithTables) {
  const TestFolder folder;
  folder.write("a", rising_lines(400));
  const auto source = open_file(folder.path("a"));
  const TextSchema schema = line_schema(10);
  const auto parts = [&](IndexMode mode, std::optional<std::int64_t> memory_limit_bytes) {
    ScannedIndex::Parts made =
        line_index(source, schema, {.mode = mode, .memory_limit_bytes = memory_limit_bytes});
    made.make_scanner = [make = made.make_scanner](const ScanPart& part) {
      return std::make_unique<ScannerOfManyStreams>(make(part));
    };
    made.stream_count = kStreams;
    return made;
  };
  static_cast<void>(walk(ScannedIndex(parts(IndexMode::rebuild, {}))));

  const ScannedIndex whole(parts(IndexMode::require, {}));
  const std::int64_t before = whole.memory_bytes();
  const Walk expected = walk(whole);
  const std::int64_t notes_bytes =
      std::ssize(expected.repeated) * kStreams * std::int64_t{sizeof(StreamCounts)};
  EXPECT_GT(whole.memory_bytes(), before + notes_bytes) << "they count";

  constexpr std::int64_t kLimit = 100'000;
  const ScannedIndex limited(parts(IndexMode::require, kLimit));
  ASSERT_LT(2 * kLimit, notes_bytes);
  for (int round = 0; round < 2; ++round) {
    for (ChunkIndex i{}; limited.chunk(i); i = next(i)) {
      EXPECT_EQ(limited.notes(i)->streams.size(), std::size_t{kStreams});
      EXPECT_LT(limited.memory_bytes(), before + kLimit);
    }
  }
  EXPECT_EQ(walk(limited).keys, expected.keys);

  const auto held = limited.notes(ChunkIndex{0});
  static_cast<void>(walk(limited));
  EXPECT_EQ(limited.notes(ChunkIndex{0}), held) << "referenced notes stay";
}

}  // namespace
}  // namespace sheaf::internal
