#include "format/arrow/ipc_dictionaries.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/arrow/ipc_batches.h"
#include "format/arrow/ipc_test_files.h"
#include "support/error_of.h"
#include "support/test_folder.h"
#include "support/test_sources.h"

namespace sheaf::arrow {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::TestSource;
using sheaf::testing::WatchedSource;
using testing::bytes_of;
using testing::column_of;
using testing::read_column;
using testing::read_text;
using testing::source_of;

const void* words_of(const ArrowBatches& table, std::int64_t batch) {
  return read_column(table, "w", {.batch = batch})->children[0]->dictionary->buffers[1];
}

TEST(IpcDictionaries, AStreamAppendsAndReplaces) {
  const auto table = open_ipc(source_of("dictionaries.stream"));
  ASSERT_EQ(table->batch_count(), 4);
  // Reads backwards: earlier reads make no difference.
  EXPECT_EQ(read_text(*table, "w", {.batch = 3}), "['x', null, 'x']");
  EXPECT_EQ(read_text(*table, "w", {.batch = 2}), "['x', null, 'x']");
  EXPECT_EQ(read_text(*table, "w", {.batch = 1}), "['c', null, 'a']");
  EXPECT_EQ(read_text(*table, "w", {.batch = 0}), "['b', null, 'a']");
  const auto words = [&](std::int64_t batch) {
    return read_column(*table, "w", {.batch = batch})->children[0]->dictionary->length;
  };
  EXPECT_EQ(words(0), 2);
  EXPECT_EQ(words(1), 3);
  EXPECT_EQ(words(2), 1);
}

TEST(IpcDictionaries, BatchesWithEqualDictionariesShareThem) {
  const auto table = open_ipc(source_of("dictionaries.stream"));
  EXPECT_EQ(words_of(*table, 2), words_of(*table, 3));
  EXPECT_NE(words_of(*table, 0), words_of(*table, 1));
  EXPECT_EQ(words_of(*table, 0), words_of(*table, 0));
}

TEST(IpcDictionaries, AllDictionariesOfAFileApplyToAllBatches) {
  const auto table = open_ipc(source_of("deltas.arrow"));
  ASSERT_EQ(table->batch_count(), 2);
  EXPECT_EQ(read_text(*table, "w", {.batch = 0}), "['b', null, 'a']");
  EXPECT_EQ(read_text(*table, "w", {.batch = 1}), "['c', null, 'a']");
  EXPECT_EQ(words_of(*table, 0), words_of(*table, 1));
}

TEST(IpcDictionaries, ValuesThatAreAppendedAreReadOnce) {
  const auto source = std::make_shared<TestSource>(bytes_of("dictionaries.stream"));
  const auto table = open_ipc(source);
  const auto reads_for = [&](std::int64_t batch) {
    const std::int64_t before = source->read_count();
    (void)read_text(*table, "w", {.batch = batch});
    return source->read_count() - before;
  };
  EXPECT_EQ(reads_for(0), 4);  // metadata and values, of the dictionary and of the rows
  EXPECT_EQ(reads_for(1), 4);  // without the first values
  const auto other = open_ipc(source);
  const std::int64_t before = source->read_count();
  EXPECT_EQ(read_text(*other, "w", {.batch = 1}), read_text(*table, "w", {.batch = 1}));
  EXPECT_EQ(source->read_count() - before, 6 + 2);
}

TEST(IpcDictionaries, AreReadWhenAColumnNeedsThem) {
  const auto source = std::make_shared<TestSource>(bytes_of("nested.stream"));
  const auto table = open_ipc(source);
  const auto reads_for = [&](std::string_view column) {
    const std::int64_t before = source->read_count();
    (void)read_text(*table, column);
    return source->read_count() - before;
  };
  EXPECT_EQ(reads_for("flags"), 2);
  EXPECT_EQ(reads_for("words"), 4);  // including the metadata and the values of the dictionary
  EXPECT_EQ(reads_for("words"), 2);
}

TEST(IpcDictionaries, AreNotReadForCallersThatKnowThem) {
  const auto source = std::make_shared<TestSource>(bytes_of("dictionaries.stream"));
  const auto table = open_ipc(source);
  const std::int64_t before = source->read_count();
  const std::int64_t column = column_of(table->schema(), "w");
  for (std::int64_t batch = 0; batch < table->batch_count(); ++batch) {
    const auto array = table->read({.batch = batch,
                                    .count = table->row_count(batch),
                                    .columns = {&column, 1},
                                    .needs_dictionaries = false});
    EXPECT_EQ(array->children[0]->length, 3);
    EXPECT_EQ(array->children[0]->dictionary, nullptr);
  }
  EXPECT_EQ(source->read_count() - before, 2 * table->batch_count());  // metadata and values
}

TEST(IpcDictionaries, OnlyTheirTablesHaveIndexFiles) {
  const TestFolder folder;
  folder.write("with.arrow", bytes_of("dictionaries.stream"));
  folder.write("without.arrow", bytes_of("types.stream"));
  const auto open_file = [&](const char* name) {
    return open_ipc(system_files().open(folder.path(name)));
  };
  EXPECT_EQ(open_file("with.arrow")->path(), folder.path("with.arrow"));
  EXPECT_EQ(open_file("without.arrow")->path(), "");
}

TEST(IpcDictionaries, AnIndexFileHasTheValuesOfAllFiles) {
  const TestFolder folder;
  folder.write("0.arrow", bytes_of("dictionaries.stream"));
  folder.write("1.arrow", bytes_of("dictionaries.stream"));
  FormatOptions options;
  std::vector<std::int64_t> bytes_read;  // without the bytes that fingerprints read
  std::vector<std::vector<std::string>> names;
  for (const IndexMode mode : {IndexMode::rebuild, IndexMode::require}) {
    std::vector<std::shared_ptr<const ArrowBatches>> members;
    std::vector<std::shared_ptr<const WatchedSource>> sources;
    for (const char* name : {"0.arrow", "1.arrow"}) {
      sources.push_back(
          std::make_shared<const WatchedSource>(system_files().open(folder.path(name))));
      members.push_back(open_ipc(sources.back()));
    }
    const auto read = [&] { return sources[0]->bytes_read + sources[1]->bytes_read; };
    const auto table = chain_batches(std::move(members));
    std::int64_t before = read();
    static_cast<void>(table->fingerprint());
    const std::int64_t fingerprint_bytes = read() - before;
    before = read();
    options.index.mode = mode;
    const auto data = open_arrow_data(table, options);
    const int fingerprint_count = mode == IndexMode::require ? 2 : 1;
    bytes_read.push_back(read() - before - fingerprint_count * fingerprint_bytes);
    names.push_back(*data->streams()[0].class_names);
    for (ChunkIndex c{}; data->index().chunk(c); c = next(c)) {
    }
  }
  EXPECT_EQ(names[0], (std::vector<std::string>{"a", "b", "c", "x"}));
  EXPECT_EQ(names[1], names[0]);
  EXPECT_GT(bytes_read[0], 0);
  EXPECT_EQ(bytes_read[1], 0);
}

TEST(IpcDictionaries, AFileDoesNotReplaceADictionary) {
  std::string bytes = bytes_of("deltas.arrow");
  IpcFile file = find_messages(*memory_source(bytes, "t.arrow"));
  ASSERT_EQ(file.dictionaries.size(), 2U);
  const auto source = memory_source(bytes, "t.arrow");
  file.dictionaries[1].is_delta = false;
  EXPECT_EQ(error_of([&] { IpcDictionaries(*source, file); }),
            "t.arrow: byte " + std::to_string(file.dictionaries[1].location.offset) +
                ": error: expected one dictionary of each column, and then values that are "
                "appended, found another dictionary with the id 0 [arrow-dictionary]");
  file.is_stream = true;
  EXPECT_NO_THROW(IpcDictionaries(*source, file));
  file.dictionaries[0].is_delta = true;
  EXPECT_THROW(IpcDictionaries(*source, file), DataError);
}

TEST(IpcDictionaries, AMissingDictionaryIsAnErrorUnlessAllIsNull) {
  const auto source = source_of("dictionaries.stream");
  const IpcFile file = find_messages(*source);
  const IpcDictionaries dictionaries(*source, file);
  EXPECT_EQ(error_of([&] { (void)dictionaries.values(0, 0, false); }),
            "dictionaries.stream: error: expected one dictionary of each column, and then values "
            "that are appended, found no dictionary with the id 0 for \"w\" [arrow-dictionary]");
  const auto nothing = dictionaries.values(0, 0, true);
  EXPECT_EQ(nothing->length, 0);
  ASSERT_EQ(nothing->buffers.size(), 3U);
  EXPECT_NE(nothing->buffers[1], nullptr);
  EXPECT_EQ(dictionaries.values(0, 1, false)->length, 2);
}

TEST(IpcDictionaries, DictionariesWithinDictionariesAreRefusedByName) {
  const auto table = open_ipc(source_of("nested_dictionary.stream"));
  EXPECT_EQ(read_text(*table, "i"), "[1, 2, 3]");
  EXPECT_NE(error_of([&] { (void)read_text(*table, "o"); })
                .find("expected a dictionary of values without a dictionary, found \"o\" "
                      "[arrow-nested-dictionary]"),
            std::string::npos);
}

}  // namespace
}  // namespace sheaf::arrow
