#include "format/columns/table_index_file.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/executor.h"

#include "conformance/read_all.h"
#include "format/columns/arrow_tables.h"
#include "support/error_of.h"
#include "support/test_folder.h"

namespace sheaf::columns {
namespace {

ArrowNode lists_of(std::vector<std::int32_t> offsets) {
  std::vector<float> values(static_cast<std::size_t>(offsets.back()));
  return struct_of(
      {named("x", list_of(std::move(offsets), numbers_of<float>("f", std::move(values))))});
}

std::vector<ArrowNode> three_batches() {
  std::vector<ArrowNode> batches;
  batches.push_back(lists_of({0, 1, 3, 6}));
  batches.push_back(lists_of({0, 4}));
  batches.push_back(lists_of({0, 0, 2}));
  return batches;
}

class TableIndexFiles : public ::testing::Test {
 protected:
  [[nodiscard]] std::shared_ptr<MemoryBatches> table(std::vector<ArrowNode> batches) const {
    auto made = std::make_shared<MemoryBatches>(std::move(batches));
    made->file = folder_.path("t.parquet");
    return made;
  }

  [[nodiscard]] static std::unique_ptr<Deserializer> opened(
      std::shared_ptr<const MemoryBatches> table, IndexMode mode) {
    FormatOptions options;
    options.index.mode = mode;
    return open_table(std::move(table), {}, options);
  }

  [[nodiscard]] bool is_written() const { return std::filesystem::exists(folder_.path(kName)); }

  const std::string kName = "t.parquet.sheaf-index";
  const TestFolder folder_;
  const std::unique_ptr<Executor> threads_ = thread_pool(3);
};

using sheaf::testing::error_of;

std::string lengths_of(const Deserializer& data) {
  std::string text;
  for (ChunkIndex c{}; const auto info = data.index().chunk(c); c = next(c)) {
    text += "/" + std::to_string(info->decoded_size_bytes);
    const auto rows = data.index().sequences(c);
    for (std::int64_t i = 0; i < rows->size(); ++i) {
      text += " " + to_string(rows->key(i)) + ":" + std::to_string(rows->sample_count(i));
    }
  }
  return text;
}

TEST_F(TableIndexFiles, AreReadInsteadOfTheTable) {
  const auto first = table(three_batches());
  const auto scanned = opened(first, IndexMode::rebuild);
  scanned->build_index(*threads_, nullptr);
  ASSERT_TRUE(is_written());
  const auto second = table(three_batches());
  const auto kept = opened(second, IndexMode::require);
  const std::int64_t before = second->reads;
  kept->build_index(*threads_, nullptr);
  EXPECT_EQ(lengths_of(*kept), lengths_of(*scanned));
  EXPECT_EQ(second->reads, before);
  EXPECT_EQ(shown(*kept), shown(*scanned));
  EXPECT_TRUE(kept->warnings().empty());
}

TEST_F(TableIndexFiles, AreWrittenOnceAllChunksAreKnown) {
  const auto data = opened(table(three_batches()), IndexMode::rebuild);
  for (const std::int64_t chunk : {2, 0, 0}) {
    static_cast<void>(data->index().chunk(ChunkIndex{chunk}));
    EXPECT_FALSE(is_written());
  }
  static_cast<void>(data->index().chunk(ChunkIndex{1}));
  EXPECT_TRUE(is_written());
  const auto in_order = opened(table(three_batches()), IndexMode::require);
  EXPECT_EQ(lengths_of(*in_order), lengths_of(*data));
}

TEST_F(TableIndexFiles, AreNotWrittenIfTooManyChunksWait) {
  const auto waiting_max = static_cast<std::int64_t>(TableIndexFile::kWaitingMax);
  for (const std::int64_t waiting : {waiting_max, waiting_max + 1}) {
    std::vector<ArrowNode> batches;
    for (std::int64_t i = 0; i <= waiting; ++i) batches.push_back(lists_of({0, 1}));
    const auto data = opened(table(std::move(batches)), IndexMode::rebuild);
    for (std::int64_t i = waiting; i >= 0; --i) {
      static_cast<void>(data->index().chunk(ChunkIndex{i}));
    }
    EXPECT_EQ(is_written(), waiting == waiting_max);
    std::filesystem::remove(folder_.path(kName));
    EXPECT_TRUE(folder_.names().empty());
  }
}

TEST_F(TableIndexFiles, AreWrittenForLargeTablesByDefault) {
  constexpr std::int64_t kLeast = internal::IndexFileKeeper::kWriteMinBytes;
  for (const std::int64_t size : {kLeast - 1, kLeast}) {
    std::vector<ArrowNode> batches;
    batches.push_back(lists_of({0, 1}));
    const auto one = table(std::move(batches));
    one->size_bytes = size;
    static_cast<void>(lengths_of(*opened(one, IndexMode::automatic)));
    EXPECT_EQ(is_written(), size == kLeast);
  }
}

TEST_F(TableIndexFiles, AreNotUsedForOtherTables) {
  static_cast<void>(lengths_of(*opened(table(three_batches()), IndexMode::rebuild)));
  const auto other = table(three_batches());
  other->content = "another";
  EXPECT_NE(error_of<ConfigError>([&] {
              static_cast<void>(opened(other, IndexMode::require));
            }).find("index: required, but"),
            std::string::npos);
  const auto data = opened(other, IndexMode::automatic);
  ASSERT_EQ(data->warnings().size(), 1U);
  EXPECT_EQ(data->warnings()[0].code, "arrow-index-file");
  EXPECT_EQ(lengths_of(*data), lengths_of(*opened(table(three_batches()), IndexMode::off)));

  // The fingerprint does not contain the number of rows.
  std::vector<ArrowNode> fewer = three_batches();
  fewer.pop_back();
  EXPECT_NE(error_of<ConfigError>([&] {
              static_cast<void>(opened(table(std::move(fewer)), IndexMode::require));
            }).find("made from data 3000-"),
            std::string::npos);
  std::vector<ArrowNode> others = three_batches();
  std::swap(others[0], others[1]);
  EXPECT_NE(error_of<ConfigError>([&] {
              static_cast<void>(opened(table(std::move(others)), IndexMode::require));
            }).find("its chunk 0 has 3 rows, not 1"),
            std::string::npos);
}

TEST_F(TableIndexFiles, AreRemovedIfDamaged) {
  static_cast<void>(lengths_of(*opened(table(three_batches()), IndexMode::rebuild)));
  std::string bytes = folder_.read(kName);
  bytes[20] = static_cast<char>(bytes[20] ^ 1);  // in the first block
  folder_.write(kName, bytes);
  const auto data = opened(table(three_batches()), IndexMode::automatic);
  EXPECT_NE(error_of<IoError>([&] {
              static_cast<void>(data->index().chunk(ChunkIndex{0}));
            }).find("it is removed, and the next run scans the data"),
            std::string::npos);
  EXPECT_FALSE(is_written());
}

// Dictionaries that grow, change, and stay.
std::vector<ArrowNode> batches_of_classes() {
  std::vector<ArrowNode> batches;
  const auto add = [&](std::vector<std::int8_t> numbers, const std::vector<std::string>& names) {
    batches.push_back(struct_of({named("c", classes_of(numbers, names)),
                                 named("d", classes_of(std::move(numbers), {"x", "y", "z"}))}));
  };
  add({0, 1}, {"b", "a"});
  add({2, 0}, {"b", "a", "c"});
  add({1, 0}, {"d", "a"});
  add({1, 1}, {"d", "a"});
  return batches;
}

std::string classes_of_streams(const Deserializer& data) {
  std::string text;
  for (const Stream& stream : data.streams()) {
    text += stream.name + ":";
    for (const std::string& name : *stream.class_names) text += " " + name;
    text += ";";
  }
  return text;
}

TEST_F(TableIndexFiles, KeepClasses) {
  const auto first = table(batches_of_classes());
  const auto scanned = opened(first, IndexMode::rebuild);
  EXPECT_EQ(first->dictionary_reads, 8);  // of two columns
  static_cast<void>(lengths_of(*scanned));
  ASSERT_TRUE(is_written());
  const auto second = table(batches_of_classes());
  const auto kept = opened(second, IndexMode::require);
  EXPECT_EQ(second->reads, 0);
  EXPECT_EQ(classes_of_streams(*kept), "c: b a c d;d: x y z;");
  EXPECT_EQ(classes_of_streams(*scanned), classes_of_streams(*kept));
  EXPECT_EQ(shown(*kept), shown(*scanned));
  EXPECT_EQ(second->dictionary_reads, 0);

  const auto unused = table(batches_of_classes());
  static_cast<void>(opened(unused, IndexMode::off));
  EXPECT_EQ(unused->dictionary_reads, 8);
}

TEST_F(TableIndexFiles, KeepClassesForOtherStreamsOfTheTable) {
  static_cast<void>(lengths_of(*opened(table(batches_of_classes()), IndexMode::rebuild)));
  const auto other = table(batches_of_classes());
  const auto data = open_table(other, {{.name = "c", .dtype = ElementType::i64}});
  EXPECT_EQ(classes_of_streams(*data), "c: b a c d;");
  EXPECT_EQ(other->dictionary_reads, 0);
}

TEST_F(TableIndexFiles, KeepNoClassesOfOtherTables) {
  static_cast<void>(lengths_of(*opened(table(batches_of_classes()), IndexMode::rebuild)));
  std::vector<ArrowNode> others = batches_of_classes();
  std::swap(others[0], others[2]);
  const auto other = table(std::move(others));
  other->content = "another";
  const auto data = opened(other, IndexMode::automatic);
  EXPECT_EQ(classes_of_streams(*data), "c: d a b c;d: x y z;");
  ASSERT_EQ(data->warnings().size(), 1U);
  EXPECT_EQ(data->warnings()[0].code, "arrow-index-file");
}

TEST_F(TableIndexFiles, DamagedClassesAreReadAgain) {
  static_cast<void>(lengths_of(*opened(table(batches_of_classes()), IndexMode::rebuild)));
  const std::string whole = folder_.read(kName);
  const std::size_t name = whole.find("\x01x\x01y\x01z");
  ASSERT_NE(name, std::string::npos);
  std::string bytes = whole;
  bytes[name + 1] = 'q';
  folder_.write(kName, bytes);
  EXPECT_NE(error_of<ConfigError>([&] {
              static_cast<void>(opened(table(batches_of_classes()), IndexMode::require));
            }).find("damaged"),
            std::string::npos);
  const auto again = table(batches_of_classes());
  const auto data = opened(again, IndexMode::automatic);
  EXPECT_EQ(again->dictionary_reads, 8);
  EXPECT_EQ(classes_of_streams(*data), "c: b a c d;d: x y z;");
  EXPECT_EQ(data->warnings().size(), 1U);
}

// Notes of another program, under correct checksums.
TEST_F(TableIndexFiles, NotesThatAreNoClassesAreNotUsed) {
  static_cast<void>(lengths_of(*opened(table(batches_of_classes()), IndexMode::rebuild)));
  std::string why;
  FileSystem& files = system_files();
  const auto file = internal::IndexFile::open(files, folder_.path(kName), why);
  ASSERT_NE(file, nullptr);
  for (const std::string_view notes : {"", "{}", "\x02"}) {
    internal::IndexFileWriter writer(files, folder_.path(kName), file->identity());
    for (std::int64_t i = 0; i < file->chunk_count(); ++i) writer.add(file->record(i));
    writer.finish(notes);
    EXPECT_NE(error_of<ConfigError>([&] {
                static_cast<void>(opened(table(batches_of_classes()), IndexMode::require));
              }).find("damaged: its notes are not the classes of the columns"),
              std::string::npos)
        << notes;
  }
}

TEST_F(TableIndexFiles, AreNotWrittenForTablesWithoutAPath) {
  const auto data = std::make_shared<MemoryBatches>(three_batches());
  EXPECT_EQ(opened(data, IndexMode::require)->index().chunk(ChunkIndex{0})->sample_count, 6);
  EXPECT_TRUE(folder_.names().empty());
}

TEST_F(TableIndexFiles, BuildingReadsEachBatchOnceForASinkOfValues) {
  const std::string expected = shown(*open_table(table(three_batches())));
  for (const bool has_file : {false, true}) {
    for (const std::int64_t chunk_count_max : {2, 3}) {
      const auto counted = table(three_batches());
      const auto data = opened(counted, has_file ? IndexMode::require : IndexMode::rebuild);
      const std::int64_t before = counted->reads;
      const auto ranges = conformance::build_index(*data, *threads_, chunk_count_max);
      const bool is_decoded = chunk_count_max == 3;
      EXPECT_EQ(counted->reads - before, is_decoded || !has_file ? 3 : 0);
      ASSERT_EQ(ranges.size(), is_decoded ? 3U : 0U);
      for (std::size_t i = 0; i < ranges.size(); ++i) {
        const ChunkIndex chunk{static_cast<std::int64_t>(i)};
        const std::int64_t count = data->index().chunk(chunk)->sequence_count;
        EXPECT_EQ(ranges[i].range, (ChunkRange{chunk, 0, count}));
        ASSERT_NE(ranges[i].chunk, nullptr);
        EXPECT_EQ(conformance::decoded_range(*data, ranges[i]),
                  conformance::read_range(*data, ranges[i].range));
      }
      EXPECT_EQ(shown(*data), expected);
    }
  }
}

TEST_F(TableIndexFiles, WrongRowsAreReportedByReads) {
  std::vector<ArrowNode> batches;
  batches.push_back(lists_of({0, 1}));
  batches.push_back(struct_of(
      {named("x", list_of({0, 2, 1}, numbers_of<float>("f", {1, 2})))}));  // falling offsets
  const auto wrong = table(std::move(batches));
  wrong->damaged = 0;
  const auto data = opened(wrong, IndexMode::off);
  const auto ranges = conformance::build_index(*data, *threads_, 2);
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges[0].chunk, nullptr);
  EXPECT_EQ(ranges[1].chunk, nullptr);
  EXPECT_EQ(data->index().chunk(ChunkIndex{0})->sequence_count, 1);
}

}  // namespace
}  // namespace sheaf::columns
