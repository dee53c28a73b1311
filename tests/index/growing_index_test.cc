#include "index/growing_index.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/executor.h"

#include "index/fake_chunks.h"
#include "support/allocated_memory.h"
#include "support/test_folder.h"

namespace sheaf::internal {
namespace {

using FakeKeys = std::vector<std::vector<std::uint64_t>>;

std::shared_ptr<FakeChunks> fake(FakeKeys keys) {
  return std::make_shared<FakeChunks>(std::move(keys));
}

constexpr std::int64_t kDataBytes = 1'000'000;

/// Returns chunks of 50 sequences whose keys follow no rule, so a table takes memory.
FakeKeys scattered(std::int64_t chunk_count) {
  FakeKeys keys(static_cast<std::size_t>(chunk_count));
  std::uint64_t key = 1;
  for (std::vector<std::uint64_t>& chunk : keys) {
    for (int i = 0; i < 50; ++i) chunk.push_back(key = key * 6'364'136'223'846'793'005U + 1);
  }
  return keys;
}

FakeKeys keys_in(const GrowingIndex& index) {
  FakeKeys keys;
  for (ChunkIndex i{}; index.chunk(i); i = next(i)) {
    const auto table = index.sequences(i);
    keys.emplace_back();
    for (std::int64_t k = 0; k < table->size(); ++k) keys.back().push_back(table->key(k).low);
  }
  return keys;
}

/// The ranges that an index hands over while it is built.
class Given final : public DecodedSink {
 public:
  explicit Given(std::int64_t chunk_count_max) : chunk_count_max_(chunk_count_max) {}

  [[nodiscard]] std::int64_t chunk_count_max() const noexcept override { return chunk_count_max_; }
  void add(const ChunkRange& /*range*/, Kept given, std::int64_t /*first*/) override {
    if (refuses) throw std::runtime_error("no");
    kept.push_back(std::move(given));
  }
  void found(const ChunkInfo& chunk) override { found_bytes += chunk.size_bytes; }

  std::vector<Kept> kept;
  std::int64_t found_bytes = 0;
  bool refuses = false;

 private:
  std::int64_t chunk_count_max_;
};

class GrowingIndexTest : public ::testing::Test {
 protected:
  std::unique_ptr<GrowingIndex> index(std::shared_ptr<const FakeChunks> chunks,
                                      IndexOptions options = {.mode = IndexMode::off},
                                      bool may_repeat_keys = true) {
    options.directory = "folder";
    return std::make_unique<GrowingIndex>(std::move(chunks),
                                          fake_file(kDataBytes, options, *files_), may_repeat_keys);
  }

  std::unique_ptr<FileSystem> files_ = memory_files();
};

TEST_F(GrowingIndexTest, ScansOnDemand) {
  const auto chunks = fake({{1, 2}, {3}, {4, 5, 6}});
  const auto grown = index(chunks);
  EXPECT_EQ(chunks->scan_count, 0);
  EXPECT_EQ(grown->chunk(ChunkIndex{1})->offset_bytes, 2 * kFakeBytes);
  EXPECT_EQ(grown->sequences(ChunkIndex{2})->key(1).low, 5U);
  EXPECT_EQ(grown->notes(ChunkIndex{2})->streams.at(0).sample_count, 3);
  EXPECT_FALSE(grown->chunk(ChunkIndex{3}));
  EXPECT_THROW(static_cast<void>(grown->sequences(ChunkIndex{3})), InternalError);
  EXPECT_THROW(static_cast<void>(grown->notes(ChunkIndex{3})), InternalError);
  EXPECT_EQ(chunks->scan_count, 1);
  EXPECT_EQ(grown->warnings().at(0).found, "scanned");
}

TEST_F(GrowingIndexTest, IsRestoredFromItsFile) {
  const FakeKeys keys = {{5, 3}, {5}, {7, 3}};
  static_cast<void>(keys_in(*index(fake(keys), {.mode = IndexMode::rebuild})));
  const auto chunks = fake(keys);
  const auto again = index(chunks, {.mode = IndexMode::require});
  EXPECT_TRUE(again->has_file());
  EXPECT_EQ(keys_in(*again), keys);
  EXPECT_EQ(again->notes(ChunkIndex{1})->repeated, std::vector<std::int64_t>{0});
  EXPECT_EQ(again->notes(ChunkIndex{2})->repeated, std::vector<std::int64_t>{1});
  EXPECT_EQ(again->notes(ChunkIndex{2})->unit_hashes.size(), 1U);
  EXPECT_EQ(chunks->scan_count, 0);
  EXPECT_EQ(again->warnings().at(0).found, "scanned") << "they are in the file";
}

TEST_F(GrowingIndexTest, MissingNotesAreAddedToAFile) {
  static_cast<void>(keys_in(*index(fake({{1}}), {.mode = IndexMode::rebuild})));
  const auto chunks = fake({{1}});
  chunks->new_notes = "better";
  EXPECT_TRUE(index(chunks, {.mode = IndexMode::automatic})->has_file());
  EXPECT_EQ(index(fake({{1}}), {.mode = IndexMode::require})->warnings().at(0).found, "better");
}

TEST_F(GrowingIndexTest, ADamagedFileIsNotUsed) {
  static_cast<void>(keys_in(*index(fake({{1}}), {.mode = IndexMode::rebuild})));
  const auto chunks = fake({{1}});
  chunks->new_notes = "bad";
  EXPECT_TRUE(index(chunks, {.mode = IndexMode::automatic})->has_file());
  const auto scanned = index(chunks, {.mode = IndexMode::automatic});
  EXPECT_FALSE(scanned->has_file());
  EXPECT_NE(scanned->warnings().at(0).found.find("damaged: it is bad"), std::string::npos);
}

TEST_F(GrowingIndexTest, ChunksAreReportedLateIfKeysDoNotFit) {
  FakeKeys keys = scattered(400);
  keys.front().front() = 77;
  keys.back().back() = 77;
  for (const IndexMode mode : {IndexMode::off, IndexMode::rebuild, IndexMode::require}) {
    SCOPED_TRACE(static_cast<int>(mode));
    const auto late = index(fake(keys), {.mode = mode, .memory_limit_bytes = 20'000});
    EXPECT_TRUE(late->chunk(ChunkIndex{399}));
    EXPECT_EQ(keys_in(*late), keys);
    EXPECT_EQ(late->notes(ChunkIndex{399})->repeated, std::vector<std::int64_t>{49});
    EXPECT_TRUE(late->notes(ChunkIndex{398})->repeated.empty());
  }
}

TEST_F(GrowingIndexTest, DropsTablesBeyondItsMemoryDuringReads) {
  const FakeKeys keys = scattered(200);
  static_cast<void>(keys_in(*index(fake(keys), {.mode = IndexMode::rebuild})));
  for (const IndexMode mode : {IndexMode::off, IndexMode::require}) {
    SCOPED_TRACE(static_cast<int>(mode));
    const auto chunks = fake(keys);
    const auto limited = index(chunks, {.mode = mode, .memory_limit_bytes = 4000}, false);
    std::vector<std::thread> readers;
    std::vector<std::int64_t> wrong(4);
    for (std::size_t reader = 0; reader < wrong.size(); ++reader) {
      readers.emplace_back([&, reader] {
        for (std::size_t n = 0; n < 3 * keys.size(); ++n) {
          const std::size_t i = (n * 37 + reader * 50) % keys.size();
          const auto number = ChunkIndex{static_cast<std::int64_t>(i)};
          if (!limited->chunk(number)) ++wrong[reader];
          const auto table = limited->sequences(number);
          if (table->size() != 50 || table->key(49).low != keys[i][49]) ++wrong[reader];
          if (limited->notes(number)->streams.at(0).sample_count != 50) ++wrong[reader];
        }
      });
    }
    for (std::thread& reader : readers) reader.join();
    EXPECT_EQ(wrong, std::vector<std::int64_t>(4));
    EXPECT_LT(limited->memory_bytes(),
              index(fake(keys), {.mode = mode}, false)->memory_bytes() + 200 * 300 + 8000);
  }
}

TEST_F(GrowingIndexTest, AChunkOfOneSequenceTakesLessThan100Bytes) {
  constexpr std::int64_t kCount = 100'000;
  FakeKeys keys;
  for (std::int64_t i = 0; i < kCount; ++i) keys.push_back({static_cast<std::uint64_t>(i) * 7919});
  const TestFolder folder;
  const auto chunks = fake(keys);
  for (const IndexMode mode : {IndexMode::off, IndexMode::rebuild, IndexMode::require}) {
    SCOPED_TRACE(static_cast<int>(mode));
    IndexFileKeeper::Parts file =
        fake_file(kDataBytes, {.mode = mode, .directory = folder.path("")}, system_files());
    const std::int64_t before = testing::allocated_memory();
    if (before == 0) GTEST_SKIP() << "the allocator does not count";
    const GrowingIndex grown(chunks, std::move(file), true);
    for (ChunkIndex i{}; grown.chunk(i); i = next(i)) {
      ASSERT_EQ(grown.sequences(i)->size(), 1);
      ASSERT_EQ(grown.notes(i)->streams.size(), 1U);
    }
    const std::int64_t taken = testing::allocated_memory() - before;
    testing::expect_about(grown.memory_bytes(), taken);
    EXPECT_LT(taken, 100 * kCount);
  }
}

TEST_F(GrowingIndexTest, NoTableIsRescannedWithoutALimit) {
  for (const std::size_t size : {1U, 2U, 3U, 5U, 10U, 20U}) {
    FakeKeys keys = scattered(5000);
    for (std::vector<std::uint64_t>& chunk : keys) chunk.resize(size);
    const auto chunks = fake(keys);
    const auto grown = index(chunks, {.mode = IndexMode::off}, false);
    EXPECT_EQ(keys_in(*grown), keys);
    EXPECT_EQ(keys_in(*grown), keys);
    EXPECT_EQ(chunks->found_again_count, 0);
  }
}

TEST_F(GrowingIndexTest, MemoryOfLargeTablesIsReported) {
  const auto chunks = fake(scattered(300));
  IndexFileKeeper::Parts file = fake_file(kDataBytes, {.mode = IndexMode::off}, *files_);
  const std::int64_t before = testing::allocated_memory();
  if (before == 0) GTEST_SKIP() << "the allocator does not count";
  const auto grown = std::make_unique<GrowingIndex>(chunks, std::move(file), false);
  EXPECT_FALSE(grown->chunk(ChunkIndex{300}));
  const std::int64_t taken = testing::allocated_memory() - before;
  testing::expect_about(grown->memory_bytes(), taken);
}

TEST_F(GrowingIndexTest, NothingIsDecodedIfTheSinkIsTooSmall) {
  const auto built = index(fake({{1}, {2}}));
  Given given(2);
  built->build(*thread_pool(2), &given);
  EXPECT_TRUE(given.kept.empty());
  EXPECT_EQ(given.found_bytes, 2 * kFakeBytes) << "the sink still gets the chunks";
}

TEST_F(GrowingIndexTest, IsBuiltOnceByAllThreads) {
  const FakeKeys keys = {{1, 2}, {2}, {4}};
  const auto chunks = fake(keys);
  const auto built = index(chunks);
  EXPECT_TRUE(built->chunk(ChunkIndex{0})) << "known chunks stay";
  const auto threads = thread_pool(2);
  Given given(10);
  const auto one = thread_pool(1);
  built->build(*one, &given);
  EXPECT_TRUE(given.kept.empty()) << "one thread is not worth it";
  EXPECT_EQ(given.found_bytes, 0);
  built->build(*threads, &given);
  EXPECT_EQ(given.found_bytes, 4 * kFakeBytes);
  ASSERT_EQ(given.kept.size(), 3U);
  EXPECT_TRUE(given.kept[0]);
  EXPECT_FALSE(given.kept[1]) << "its key is an earlier one's";
  given.kept.clear();
  const int scans = chunks->scan_count;
  built->build(*threads, &given);
  EXPECT_TRUE(given.kept.empty());
  EXPECT_EQ(keys_in(*built), keys);
  EXPECT_EQ(chunks->scan_count, scans);
}

TEST_F(GrowingIndexTest, ABuildThatFailsCanBeRepeated) {
  const FakeKeys keys = {{1, 2}, {3}};
  const auto built = index(fake(keys), {.mode = IndexMode::rebuild});
  const auto threads = thread_pool(2);
  Given given(10);
  given.refuses = true;
  EXPECT_THROW(built->build(*threads, &given), std::runtime_error);
  given.refuses = false;
  built->build(*threads, &given);
  EXPECT_EQ(given.kept.size(), 2U);
  EXPECT_EQ(keys_in(*built), keys);
  EXPECT_EQ(keys_in(*index(fake(keys), {.mode = IndexMode::require})), keys);
}

}  // namespace
}  // namespace sheaf::internal
