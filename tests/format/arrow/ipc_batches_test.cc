#include "format/arrow/ipc_batches.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/arrow/ipc_test_files.h"
#include "support/error_of.h"
#include "support/test_sources.h"

namespace sheaf::arrow {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::TestSource;
using testing::bytes_of;
using testing::read_all;
using testing::read_column;
using testing::read_text;
using testing::source_of;
using testing::table_of;

// Returns every column of types.arrow, with its format and its values.
const std::map<std::string, std::pair<std::string_view, std::string_view>>& plain_types() {
  static const std::map<std::string, std::pair<std::string_view, std::string_view>> types = {
      {"n", {"n", "[null, null, null]"}},
      {"b", {"b", "[true, null, false]"}},
      {"int8", {"c", "[-1, null, 100]"}},
      {"uint8", {"C", "[1, null, 200]"}},
      {"int16", {"s", "[-1, null, 100]"}},
      {"uint16", {"S", "[1, null, 200]"}},
      {"int32", {"i", "[-1, null, 100]"}},
      {"uint32", {"I", "[1, null, 200]"}},
      {"int64", {"l", "[-1, null, 100]"}},
      {"uint64", {"L", "[1, null, 200]"}},
      {"float16", {"e", "[15360, null, 16384]"}},
      {"float32", {"f", "[1.5, null, -2.]"}},
      {"float64", {"g", "[1.25, null, -2.]"}},
      {"string", {"u", "['one', null, 'more than twelve bytes']"}},
      {"large_string", {"U", "['one', null, 'more than twelve bytes']"}},
      {"string_view", {"vu", "['one', null, 'more than twelve bytes']"}},
      {"binary", {"z", "['', null, 'more than twelve bytes']"}},
      {"large_binary", {"Z", "['', null, 'more than twelve bytes']"}},
      {"binary_view", {"vz", "['', null, 'more than twelve bytes']"}},
      {"fixed_binary", {"w:3", "['abc', null, 'def']"}},
      {"decimal32", {"d:8,2,32", "[125, null, 700]"}},
      {"decimal64", {"d:8,2,64", "[125, null, 700]"}},
      {"decimal128", {"d:8,2", "[125, null, 700]"}},
      {"decimal256", {"d:8,2,256", "[125, null, 700]"}},
      {"date32", {"tdD", "[2, null, 2]"}},
      {"date64", {"tdm", "[172800000, null, 172800000]"}},
      {"time_s", {"tts", "[5, null, 6]"}},
      {"time_ms", {"ttm", "[5, null, 6]"}},
      {"time_us", {"ttu", "[5, null, 6]"}},
      {"time_ns", {"ttn", "[5, null, 6]"}},
      {"timestamp_s", {"tss:", "[5, null, 6]"}},
      {"timestamp_ms", {"tsm:", "[5, null, 6]"}},
      {"timestamp_us", {"tsu:", "[5, null, 6]"}},
      {"timestamp_ns", {"tsn:", "[5, null, 6]"}},
      {"duration_s", {"tDs", "[5, null, -6]"}},
      {"duration_ms", {"tDm", "[5, null, -6]"}},
      {"duration_us", {"tDu", "[5, null, -6]"}},
      {"duration_ns", {"tDn", "[5, null, -6]"}},
      {"zone", {"tsu:Europe/Berlin", "[5, null, 6]"}},
      {"interval", {"tin", "[1/2/3, null, 4/5/6]"}},
      {"required", {"i", "[7, 8, 9]"}}};
  return types;
}

TEST(IpcBatches, AllTypesWithoutChildrenAreRead) {
  for (const std::string_view file : {"types.arrow", "types.stream"}) {
    const auto table = open_ipc(source_of(file));
    ASSERT_EQ(table->batch_count(), 1) << file;
    ASSERT_EQ(table->row_count(0), 3) << file;
    const ArrowSchema& schema = table->schema();
    EXPECT_EQ(std::string(schema.format), "+s");
    ASSERT_EQ(schema.n_children, std::ssize(plain_types()));
    for (std::int64_t i = 0; i < schema.n_children; ++i) {
      const ArrowSchema& column = *schema.children[i];
      const auto& [format, values] = plain_types().at(column.name);
      EXPECT_EQ(column.format, format) << column.name;
      EXPECT_EQ(read_text(*table, column.name), values) << column.name;
      const bool is_required = std::string_view(column.name) == "required";
      EXPECT_EQ(column.flags, is_required ? 0 : ARROW_FLAG_NULLABLE) << column.name;
    }
  }
}

TEST(IpcBatches, NullsAreCountedIfAllRowsAreRead) {
  const auto table = open_ipc(source_of("types.arrow"));
  EXPECT_EQ(read_column(*table, "int8")->children[0]->null_count, 1);
  EXPECT_EQ(read_column(*table, "int8", {.first = 1})->children[0]->null_count, -1);
  EXPECT_EQ(read_column(*table, "n", {.first = 1})->children[0]->null_count, 2);
  const auto required = read_column(*table, "required", {.first = 1});
  EXPECT_EQ(required->children[0]->null_count, 0);
  EXPECT_EQ(required->children[0]->buffers[0], nullptr);
}

// Returns every column of the nested files, with its values.
const std::vector<std::pair<std::string_view, std::vector<std::string>>>& nested_types() {
  static const std::vector<std::pair<std::string_view, std::vector<std::string>>> types = {
      {"list",
       {"[1]", "null", "[]", "[2, 3]", "[4]", "[5, null]", "[6]", "[7, 8, 9]", "null", "[10]", "[]",
        "[11]"}},
      {"large_list",
       {"[]", "['t1']", "['t2t2', 't2t2']", "[]", "['t4t4t4t4']", "['t5t5t5t5t5', 't5t5t5t5t5']",
        "[]", "['t7t7t7t7t7t7t7']", "['t8t8t8t8t8t8t8t8', 't8t8t8t8t8t8t8t8']", "[]",
        "['t10t10t10t10t10t10t10t10t10t10']",
        "['t11t11t11t11t11t11t11t11t11t11t11', 't11t11t11t11t11t11t11t11t11t11t11']"}},
      {"fixed_list",
       {"[0, 1]", "[1, 2]", "[2, 3]", "null", "[4, 5]", "[5, 6]", "[6, 7]", "[7, 8]", "[8, 9]",
        "[9, 10]", "[10, 11]", "[11, 12]"}},
      {"struct",
       {"{a: 0, b: []}", "{a: 1, b: [true]}", "null", "{a: 3, b: [true]}", "{a: 4, b: []}",
        "{a: 5, b: [true]}", "{a: 6, b: []}", "{a: 7, b: [true]}", "{a: 8, b: []}",
        "{a: 9, b: [true]}", "{a: 10, b: []}", "{a: 11, b: [true]}"}},
      {"map",
       {"[]", "[{key: 'k1', value: 1}]", "[{key: 'k2', value: 2}, {key: 'k2', value: 2}]", "[]",
        "[{key: 'k4', value: 4}]", "[{key: 'k5', value: 5}, {key: 'k5', value: 5}]", "[]",
        "[{key: 'k7', value: 7}]", "[{key: 'k8', value: 8}, {key: 'k8', value: 8}]", "[]",
        "[{key: 'k10', value: 10}]", "[{key: 'k11', value: 11}, {key: 'k11', value: 11}]"}},
      {"flags",
       {"true", "false", "false", "true", "false", "false", "true", "false", "false", "null",
        "false", "false"}},
      {"words",
       {"'red'", "'green'", "'red'", "null", "'red'", "'green'", "'red'", "null", "'red'",
        "'green'", "'red'", "null"}},
      {"word_lists",
       {"['up']", "[]", "['down', 'up']", "['up']", "[]", "['down']", "['left']", "[]", "['up']",
        "[]", "['down']", "[]"}},
      {"sparse", {"0", "'s1'", "2", "'s3'", "4", "'s5'", "6", "'s7'", "8", "'s9'", "10", "'s11'"}},
      {"dense",
       {"0", "'d0'", "'d1'", "1", "'d2'", "'d3'", "2", "'d4'", "'d5'", "3", "'d6'", "'d7'"}}};
  return types;
}

// Returns the columns with types that version V4 lacked.
const std::vector<std::pair<std::string_view, std::vector<std::string>>>& new_types() {
  static const std::vector<std::pair<std::string_view, std::vector<std::string>>> types = {
      {"list_view",
       {"[14, 15]", "[10]", "[]", "[12, 13, 14]", "[12, 13]", "[11]", "[10, 11, 12, 13]", "[]",
        "[15]", "[10, 11]", "[14]", "[11, 12, 13]"}},
      {"text_view",
       {"''", "'text number 1'", "'text number 2text number 2'", "''", "'text number 4'", "null",
        "''", "'text number 7'", "'text number 8text number 8'", "''", "'text number 10'",
        "'text number 11text number 11'"}},
      {"runs",
       {"'x'", "'x'", "'x'", "null", "null", "null", "null", "null", "'z'", "'z'", "'z'", "'z'"}}};
  return types;
}

std::string joined(const std::vector<std::string>& values, std::int64_t first, std::int64_t count) {
  std::string text = "[";
  for (std::int64_t i = first; i < first + count; ++i) {
    if (i > first) text += ", ";
    text += values[static_cast<std::size_t>(i)];
  }
  return text + "]";
}

// Reads all parts of a column. The values are those of the rows from `first` on.
void expect_all_parts(const ArrowBatches& table, std::int64_t batch, std::string_view column,
                      const std::vector<std::string>& values, std::int64_t first) {
  const std::int64_t rows = table.row_count(batch);
  for (std::int64_t begin = 0; begin <= rows; ++begin) {
    for (std::int64_t count = 0; begin + count <= rows; ++count) {
      EXPECT_EQ(read_text(table, column, {.batch = batch, .first = begin, .count = count}),
                joined(values, first + begin, count))
          << table.name() << " " << column << " " << batch << " " << begin << " " << count;
    }
  }
}

TEST(IpcBatches, AllPartsOfNestedArraysAreRead) {
  for (const std::string_view file :
       {"nested.arrow", "nested.stream", "nested_lz4.arrow", "nested_zstd.stream"}) {
    const auto table = open_ipc(source_of(file));
    ASSERT_EQ(table->batch_count(), 3) << file;
    EXPECT_EQ(table->row_count(0), 12);
    EXPECT_EQ(table->row_count(1), 5);
    EXPECT_EQ(table->row_count(2), 0);
    const bool is_compressed = file.find('_') != std::string_view::npos;
    EXPECT_EQ(table->reads_parts(), !is_compressed);
    for (const auto& types : {nested_types(), new_types()}) {
      for (const auto& [column, values] : types) {
        expect_all_parts(*table, 0, column, values, 0);
        expect_all_parts(*table, 1, column, values, 3);
        expect_all_parts(*table, 2, column, values, 0);
      }
    }
  }
}

TEST(IpcBatches, VersionFourFilesAndStreamsWithoutMarkersAreRead) {
  for (const std::string_view file : {"version4.arrow", "legacy.stream"}) {
    const auto table = open_ipc(source_of(file));
    ASSERT_EQ(table->batch_count(), 1) << file;
    for (const auto& [column, values] : nested_types()) {
      expect_all_parts(*table, 0, column, values, 0);
    }
  }
}

TEST(IpcBatches, SeveralColumnsComeInTheRequestedOrder) {
  const auto table = open_ipc(source_of("nested.arrow"));
  const std::vector<std::int64_t> columns = {5, 0, 5};
  const auto array = table->read({.batch = 0, .first = 3, .count = 2, .columns = columns});
  EXPECT_EQ(array->length, 2);
  ASSERT_EQ(array->n_children, 3);
  EXPECT_EQ(testing::text_of(*table->schema().children[5], *array->children[0]), "[true, false]");
  EXPECT_EQ(testing::text_of(*table->schema().children[0], *array->children[1]), "[[2, 3], [4]]");
  EXPECT_EQ(testing::text_of(*table->schema().children[5], *array->children[2]), "[true, false]");
  const auto nothing = table->read({.batch = 0, .first = 3, .count = 2});
  EXPECT_EQ(nothing->length, 2);
  EXPECT_EQ(nothing->n_children, 0);
}

TEST(IpcBatches, ReadingLengthsReadsNoValues) {
  const auto table = open_ipc(source_of("nested.arrow"));
  for (const std::int64_t first : {0, 3}) {
    const auto lists = read_column(*table, "list", {.first = first}, true);
    const ArrowArray& list = *lists->children[0];
    const auto* const offsets = static_cast<const std::int32_t*>(list.buffers[1]);
    EXPECT_EQ(offsets[list.length] - offsets[0], first == 0 ? 12 : 11);
    EXPECT_EQ(list.children[0]->buffers[1], nullptr);
    const auto texts = read_column(*table, "large_list", {.first = first}, true);
    EXPECT_EQ(texts->children[0]->children[0]->buffers[2], nullptr);
    EXPECT_NE(texts->children[0]->children[0]->buffers[1], nullptr);
    const auto views = read_column(*table, "text_view", {.first = first}, true);
    EXPECT_NE(views->children[0]->buffers[1], nullptr);
    EXPECT_EQ(views->children[0]->buffers[2], nullptr);
    const auto words = read_column(*table, "words", {.first = first}, true);
    EXPECT_NE(words->children[0]->buffers[1], nullptr);
    EXPECT_NE(words->children[0]->dictionary->buffers[2], nullptr);
    const auto flags = read_column(*table, "flags", {.first = first}, true);
    EXPECT_EQ(flags->children[0]->buffers[1], nullptr);
  }
}

TEST(IpcBatches, OnlyRequestedColumnsAndRowsAreRead) {
  const auto source = std::make_shared<TestSource>(bytes_of("types.stream"));
  const auto table = open_ipc(source);
  const std::int64_t before = source->read_bytes();
  const std::int64_t reads = source->read_count();
  EXPECT_EQ(read_text(*table, "int64", {.first = 2, .count = 1}), "[100]");
  // One read for the metadata, and one for the value and its validity, which lie close together.
  EXPECT_EQ(source->read_count() - reads, 2);
  const ArrowLocation location = table->location(0);
  EXPECT_LT(source->read_bytes() - before, location.size_bytes);
}

TEST(IpcBatches, LocationsNameAndFingerprintAreThoseOfTheSource) {
  const auto source = source_of("nested.stream");
  const auto table = open_ipc(source);
  EXPECT_EQ(table->name(), "nested.stream");
  EXPECT_EQ(table->fingerprint(), to_string(source->fingerprint()));
  std::int64_t end = 0;
  for (std::int64_t batch = 0; batch < 3; ++batch) {
    const ArrowLocation location = table->location(batch);
    EXPECT_GE(location.offset_bytes, end);
    EXPECT_GT(location.size_bytes, 0);
    end = location.offset_bytes + location.size_bytes;
  }
  EXPECT_EQ(end, source->size() - 8);  // the end-of-stream mark
}

TEST(IpcBatches, BuffersAreAlignedForTheirValues) {
  const auto table = open_ipc(source_of("nested.arrow"));
  for (std::int64_t first = 0; first < 12; ++first) {
    const auto lists = read_column(*table, "large_list", {.first = first});
    const auto address = reinterpret_cast<std::uintptr_t>(lists->children[0]->buffers[1]);
    EXPECT_EQ(address % 8, 0U);
  }
}

TEST(IpcBatches, AFileTruncatedAfterOpeningIsAnIoError) {
  const auto source = std::make_shared<TestSource>(bytes_of("nested.stream"));
  const auto table = open_ipc(source);
  source->cut(3000);
  EXPECT_THROW((void)read_all(*table), IoError);
}

// Opens and reads a damaged file. The file may be refused, or have other values.
void open_and_read(std::string bytes) {
  try {
    (void)read_all(*table_of(std::move(bytes)));
  } catch (const DataError& error) {
    const Diagnostic& wrong = error.diagnostics().back();
    EXPECT_FALSE(wrong.code.empty());
    EXPECT_FALSE(wrong.found.empty());
  } catch (const std::out_of_range&) {
    // The caller must check views and the numbers of dictionary values.
  }
}

TEST(IpcBatches, ATruncatedFileIsRefusedOrHasFewerBatches) {
  for (const std::string_view file :
       {"deltas.arrow", "nested_lz4.arrow", "nested_zstd.stream", "legacy.stream"}) {
    const std::string bytes = bytes_of(file);
    for (std::size_t size = 0; size < bytes.size(); ++size) open_and_read(bytes.substr(0, size));
  }
  const std::string file = bytes_of("deltas.arrow");
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_THROW((void)table_of(file.substr(0, size)), DataError) << size;
  }
}

TEST(IpcBatches, AStreamMayEndAfterAnyMessageWithoutAMarker) {
  const std::string bytes = bytes_of("nested.stream");
  const auto whole = table_of(bytes);
  std::int64_t good = 0;
  for (std::int64_t size = 0; size < std::ssize(bytes); ++size) {
    try {
      (void)table_of(bytes.substr(0, static_cast<std::size_t>(size)));
      ++good;
    } catch (const DataError&) {
      for (std::int64_t batch = 0; batch < 3; ++batch) {
        const ArrowLocation location = whole->location(batch);
        EXPECT_NE(size, location.offset_bytes + location.size_bytes);
      }
    }
  }
  EXPECT_EQ(good, 6);  // the schema, two dictionaries and three batches
}

// With a sanitizer, a refusal takes twelve times as long, so such builds damage every fourth byte
// only.
TEST(IpcBatches, AnyWrongBitStaysWithinBounds) {
#if defined(SHEAF_SANITIZED)
  constexpr std::size_t kStep = 4;
#else
  constexpr std::size_t kStep = 1;
#endif
  std::size_t first = 0;
  for (const std::string_view file :
       {"dictionaries.stream", "deltas.arrow", "nested_lz4.arrow", "nested_zstd.stream",
        "nested.arrow", "version4.arrow", "legacy.stream"}) {
    std::string bytes = bytes_of(file);
    for (std::size_t i = first; i < bytes.size(); i += kStep) {
      const char before = bytes[i];
      bytes[i] = static_cast<char>(before ^ (1 << (i / kStep % 8)));
      open_and_read(bytes);
      bytes[i] = before;
    }
    first = (first + 1) % kStep;  // The next file gets other bytes.
  }
}

TEST(IpcBatches, FeatherOfVersionOneIsRefusedByName) {
  EXPECT_EQ(error_of([] { (void)table_of("FEA1....FEA1"); }),
            "t.arrow: byte 0: error: expected Feather of version 2, which is an Arrow file, found "
            "Feather of version 1 [arrow-feather]");
}

}  // namespace
}  // namespace sheaf::arrow
