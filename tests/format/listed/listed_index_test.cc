#include "format/listed/listed_index.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"

#include "format/listed/list_scan.h"
#include "format/listed/toy_lines.h"
#include "support/error_of.h"
#include "support/write_file.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::ToyLines;
using sheaf::testing::write_file;

/// A toy list. An unknown count is the length of the path. A path that begins with "no" does not
/// exist.
class ToyIndex final : public ListedIndex {
 public:
  ToyIndex(FileSystem& files, IndexMode mode = IndexMode::off, std::int64_t samples_max = 1000,
           std::int64_t chunk_size_bytes = 1000)
      : ListedIndex(parts_of(files, mode, samples_max, chunk_size_bytes)) {
    build();
  }

  std::int64_t read_count = 0;  // counts that were read from files
  std::string first_path;

 private:
  static ListParts parts_of(FileSystem& files, IndexMode mode, std::int64_t samples_max,
                            std::int64_t chunk_size_bytes) {
    ListParts parts{.list = files.open("toy.list"),
                    .index = {.mode = mode},
                    .context = {.files = &files},
                    .identity = "toy",
                    .errors = {.no_sequence = {"toy-empty", "a sequence"},
                               .repeated_key = {"toy-repeated", "keys that differ"},
                               .too_long = {"toy-long", "short sequences"},
                               .index_file = {"toy-index", ""}},
                    .chunk_size_bytes = chunk_size_bytes,
                    .read_size_bytes = 1 << 20};
    parts.samples_max = samples_max;
    return parts;
  }

  bool scan(const TakeEntry& take) const override {
    ToyLines lines;
    return ListScan(list(), {.read_size_bytes = 1 << 20}, lines, take).run();
  }
  void set_first_file(std::string_view line, std::int64_t /*line_number*/,
                      std::int64_t /*offset*/) override {
    first_path = path_of(line);
    if (first_path.starts_with("no")) throw IoError(first_path + " is not there");
  }
  void forget_first_file() override { first_path.clear(); }
  bool read_counts(std::span<ListEntry* const> entries) override {
    bool has_all = true;
    for (ListEntry* const entry : entries) {
      const std::string path = path_of(text_at(entry->offset, entry->size));
      has_all &= !path.starts_with("no");
      entry->count = path.starts_with("no") ? 0 : static_cast<std::uint32_t>(path.size());
      ++read_count;
    }
    return has_all;
  }
  std::int64_t stored_bytes(const ListEntry& entry) const override { return entry.count * 10; }
  std::int64_t location_bytes(const ListEntry& entry) const override { return entry.location; }
  std::int64_t decoded_bytes(std::int64_t sample_count, std::int64_t stored_bytes) const override {
    EXPECT_EQ(stored_bytes, sample_count * 10);
    return sample_count * 8;
  }
  std::string path_of(std::string_view line) const override {
    return std::string(ToyLines::parse(line).path);
  }
  std::vector<std::int64_t> first_numbers() const override { return {std::ssize(first_path), 7}; }
  std::string difference(std::span<const std::int64_t> numbers) const override {
    return numbers.size() == 2 && numbers[0] == std::ssize(first_path) ? "" : "another first file";
  }
};

/// Returns "key:count@source+offset" for each sequence, with a "|" before each chunk.
std::string told(const ToyIndex& index) {
  std::string text;
  for (ChunkIndex number{}; index.chunk(number); number = next(number)) {
    text += '|';
    const auto table = index.sequences(number);
    EXPECT_EQ(index.chunk(number)->sequence_count, table->size());
    for (std::int64_t i = 0; i < table->size(); ++i) {
      for (const char* const key : {"a", "b", "c", "d"}) {
        if (table->key(i) == key_of_text(key)) text += key;
      }
      text += ":" + std::to_string(table->sample_count(i)) + "@" +
              std::to_string(table->location(i)->source) + "+" +
              std::to_string(table->location(i)->offset_bytes) + " ";
    }
  }
  return text;
}

TEST(ListedIndex, SplitsChunksByTheBytesOfSequences) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "toy.list", "a x 5 49\nb x 6 51\nc y 0 1\nd y 9 200\n");
  const ToyIndex index(*files);
  EXPECT_EQ(told(index), "|a:49@0+5 b:51@0+6 |c:1@1+0 |d:200@1+9 ") << "49 + 51 fill a chunk";
  EXPECT_EQ(index.first_path, "x");
  EXPECT_EQ(index.read_count, 0);
  EXPECT_EQ(index.chunk(ChunkIndex{1})->offset_bytes, 1000);
  EXPECT_EQ(index.chunk(ChunkIndex{2})->size_bytes, 2000) << "longer than a chunk";
  EXPECT_EQ(index.source_name(1), "y");
  EXPECT_EQ(index.source_name(2), "");
  EXPECT_GT(index.memory_bytes(), 0);
}

TEST(ListedIndex, ChunksEndAfter90000SamplesByDefault) {
  const std::unique_ptr<FileSystem> files = memory_files();
  for (const int first : {89'999, 90'000, 90'001}) {
    write_file(*files, "toy.list", "a x 0 " + std::to_string(first) + "\nb x 0 1\nc x 0 1\n");
    const ToyIndex index(*files, IndexMode::off, 1'000'000, 0);
    EXPECT_EQ(index.chunk(ChunkIndex{})->sequence_count, first - 89'999 > 1   ? 1
                                                         : first - 89'999 > 0 ? 2
                                                                              : 3)
        << first;
  }
}

TEST(ListedIndex, UnknownCountsAreReadAndLinesWithErrorsStay) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "toy.list", "a xyz 0 ?\nb\nc none 0 ?\nd x 0 2\n");
  const ToyIndex index(*files);
  EXPECT_EQ(told(index), "|a:3@0+0 b:0@1+0 c:0@2+0 d:2@3+0 ");
  EXPECT_EQ(index.read_count, 2);
  EXPECT_TRUE(index.warnings().empty());
}

TEST(ListedIndex, RepeatedAndLongSequencesAreLeftOutWithAWarning) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "toy.list", "b x 0 9\na x 0 1\nb x 1 2\nc x 2 1001\nd x 3 1000\na x 4 1\n");
  const ToyIndex index(*files);
  EXPECT_EQ(told(index), "|d:1000@0+3 ");
  const std::vector<Diagnostic> warnings = index.warnings();
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_EQ(warnings[0].code, "toy-repeated");
  EXPECT_EQ(warnings[0].count, 4);
  EXPECT_EQ(warnings[0].line, 1);
  EXPECT_EQ(warnings[1].code, "toy-long");
  EXPECT_EQ(warnings[1].byte_offset, 24);
  write_file(*files, "toy.list", "a x 0 1\na x 0 1\n");
  const std::string error = error_of<DataError>([&] { static_cast<void>(ToyIndex(*files)); });
  EXPECT_NE(error.find("[toy-empty]"), std::string::npos) << error;
}

TEST(ListedIndex, TheFirstFileIsThatOfTheFirstKeptSequence) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "toy.list", "a none 0 1\nb yes 0 1\na x 0 1\n");
  EXPECT_EQ(ToyIndex(*files).first_path, "yes");
  write_file(*files, "toy.list", "a none 0 1\nb yes 0 1\n");
  EXPECT_NE(error_of<IoError>([&] { static_cast<void>(ToyIndex(*files)); }).find("none"),
            std::string::npos);
}

TEST(ListedIndex, AnIndexFileGivesTheResultOfTheScan) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "toy.list", "a xyz 5 ?\nb x 1 7\nb x 1 7\nc x 7 99\nd x 1 2000\n");
  const ToyIndex first(*files, IndexMode::rebuild);
  const ToyIndex second(*files, IndexMode::require);
  EXPECT_EQ(told(second), told(first));
  EXPECT_EQ(second.read_count, 0) << "the file has the counts";
  EXPECT_EQ(second.first_path, "xyz");
  ASSERT_EQ(second.warnings().size(), 2U);
  EXPECT_EQ(second.warnings()[0].count, 2);
  EXPECT_EQ(second.warnings()[1].byte_offset, first.warnings()[1].byte_offset);
}

TEST(ListedIndex, UnknownCountsAreNotCached) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "toy.list", "a xyz 5 ?\nb none 1 ?\n");
  static_cast<void>(ToyIndex(*files, IndexMode::rebuild));
  EXPECT_FALSE(files->exists("toy.list.sheaf-index"));
}

TEST(ListedIndex, ConsecutiveLinesOfOneFileAreVisitedOnce) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "toy.list", "a x 0 1\nb x 1 1\nwrong\nc y 0 1\nd x 2 1\n");
  std::vector<std::string> paths;
  ToyIndex(*files).visit_paths([&](std::string_view path) { paths.emplace_back(path); });
  EXPECT_EQ(paths, (std::vector<std::string>{"x", "y", "x"}));
}

}  // namespace
}  // namespace sheaf::internal
