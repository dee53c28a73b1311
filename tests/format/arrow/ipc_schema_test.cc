#include "format/arrow/ipc_schema.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"

#include "format/arrow/flat_builder.h"
#include "format/arrow/ipc_messages.h"
#include "format/arrow/ipc_test_files.h"
#include "support/error_of.h"

namespace sheaf::arrow {
namespace {

using sheaf::testing::error_of;
using testing::source_of;

constexpr std::uint8_t kInt = 2;
constexpr std::uint8_t kList = 12;
constexpr std::uint8_t kStruct = 13;
constexpr std::uint8_t kMap = 17;
constexpr std::uint8_t kRuns = 22;

FlatDraft int_type() {
  FlatDraft type;
  type.number<std::int32_t>(0, 32);
  type.number<std::uint8_t>(1, 1);
  return type;
}

FlatDraft field_of(std::string_view name, std::uint8_t code, std::vector<FlatDraft> children = {}) {
  FlatDraft field;
  field.text(0, name);
  field.number<std::uint8_t>(2, code);
  field.table(3, code == kInt ? int_type() : FlatDraft());
  field.tables(5, std::move(children));
  return field;
}

FlatDraft schema_of(std::vector<FlatDraft> fields) {
  FlatDraft schema;
  schema.tables(1, std::move(fields));
  return schema;
}

IpcSchema read(const FlatDraft& schema, std::int16_t version = kVersion5) {
  const std::string bytes = flat_bytes(schema);
  const auto file = memory_source("", "t");
  return read_schema(flat_root({.file = file.get(), .bytes = std::as_bytes(std::span(bytes))}),
                     version);
}

TEST(IpcSchema, FieldsHaveTheirNodesAndBuffers) {
  const IpcSchema schema = find_messages(*source_of("nested.arrow")).schema;
  EXPECT_EQ(schema.columns[0].before.nodes, 0);
  EXPECT_EQ(schema.columns[0].children[0].path, "list.item");
  EXPECT_EQ(schema.columns[0].children[0].before.nodes, 1);
  EXPECT_EQ(schema.columns[0].children[0].before.buffers, 2);
  EXPECT_EQ(schema.columns[1].before.nodes, 2);
  EXPECT_EQ(schema.columns[1].before.buffers, 4);
  EXPECT_EQ(schema.columns[1].children[0].before.buffers, 6);
  EXPECT_EQ(schema.columns[2].before.buffers, 9);
  EXPECT_EQ(schema.all.views, 1);
  ASSERT_EQ(schema.dictionaries.size(), 2U);
  EXPECT_EQ(schema.dictionaries[1].values.path, "word_lists.item");
  EXPECT_EQ(schema.dictionaries[1].all.buffers, 3);
  EXPECT_FALSE(schema.dictionaries[1].is_nested);
}

TEST(IpcSchema, MetadataOfTheTableAndOfFieldsAreKept) {
  const ArrowNode type = find_messages(*source_of("types.stream")).schema.type;
  EXPECT_EQ(type.metadata, arrow_metadata({{"made", "by make.py"}}));
  bool is_found = false;
  for (const ArrowNode& column : type.children) {
    if (column.name != "int8") continue;
    is_found = true;
    EXPECT_EQ(column.metadata, arrow_metadata({{"unit", "none"}, {"", "empty"}}));
  }
  EXPECT_TRUE(is_found);
}

TEST(IpcSchema, DictionariesHaveTheTypeOfTheirNumbersAndValues) {
  const IpcSchema schema = find_messages(*source_of("dictionaries.stream")).schema;
  const ArrowNode& words = schema.type.children[0];
  EXPECT_EQ(words.format, "c");
  ASSERT_EQ(words.dictionary.size(), 1U);
  EXPECT_EQ(words.dictionary[0].format, "u");
}

TEST(IpcSchema, WithoutATypeTheNumbersOfADictionaryHave32Bits) {
  FlatDraft field = field_of("w", kInt);
  field.table(4, FlatDraft());
  const IpcSchema schema = read(schema_of({field}));
  EXPECT_EQ(schema.type.children[0].format, "i");
  EXPECT_EQ(schema.dictionaries.at(0).id, 0);
}

TEST(IpcSchema, BigEndianNumbersAreRefused) {
  FlatDraft schema = schema_of({});
  schema.number<std::int16_t>(0, 1);
  EXPECT_EQ(error_of([&] { (void)read(schema); }).substr(10),
            ": error: expected little-endian numbers, found big-endian numbers [arrow-byte-order]");
}

TEST(IpcSchema, TypesHaveTheChildrenThatTheyNeed) {
  const FlatDraft item = field_of("item", kInt);
  const FlatDraft pair = field_of("pair", kStruct, {item, item});
  EXPECT_NO_THROW((void)read(schema_of({field_of("a", kList, {item})})));
  EXPECT_THROW((void)read(schema_of({field_of("a", kList)})), DataError);
  EXPECT_THROW((void)read(schema_of({field_of("a", kList, {item, item})})), DataError);
  EXPECT_THROW((void)read(schema_of({field_of("a", kInt, {item})})), DataError);
  EXPECT_NO_THROW((void)read(schema_of({field_of("a", kMap, {pair})})));
  EXPECT_THROW((void)read(schema_of({field_of("a", kMap, {item})})), DataError);
  EXPECT_NO_THROW((void)read(schema_of({field_of("a", kRuns, {item, pair})})));
  EXPECT_THROW((void)read(schema_of({field_of("a", kRuns, {pair, item})})), DataError);
}

TEST(IpcSchema, TypesAreNestedSixtyFourDeepAtMost) {
  const auto nested = [](int levels) {
    FlatDraft field = field_of("x", kInt);
    for (int level = 1; level < levels; ++level) field = field_of("x", kList, {field});
    return schema_of({field});
  };
  EXPECT_NO_THROW((void)read(nested(64)));
  EXPECT_THROW((void)read(nested(65)), DataError);
}

// Without a check, a table with many offsets to it would be copied for each: 2^20 fields from 21
// tables.
TEST(IpcSchema, FieldsThatShareTheirBytesAreRefused) {
  FlatDraft field = field_of("leaf", kStruct);
  for (int level = 0; level < 20; ++level) field = field_of("pair", kStruct, {field, FlatDraft()});
  std::string bytes = flat_bytes(schema_of({field}));
  // Makes the second offset of each pair equal to the first.
  std::size_t pairs = 0;
  for (std::size_t at = 0; at + 12 <= bytes.size(); at += 4) {
    std::uint32_t words[3];
    std::memcpy(words, bytes.data() + at, sizeof words);
    if (words[0] != 2 || words[1] < 8 || words[2] <= words[1] || words[2] > bytes.size()) continue;
    words[2] = words[1] - 4;
    std::memcpy(bytes.data() + at, words, sizeof words);
    ++pairs;
  }
  ASSERT_GE(pairs, 20U);
  const auto file = memory_source("", "t");
  EXPECT_NE(error_of([&] {
              (void)read_schema(
                  flat_root({.file = file.get(), .bytes = std::as_bytes(std::span(bytes))}),
                  kVersion5);
            }).find("that lie in the same bytes"),
            std::string::npos);
}

}  // namespace
}  // namespace sheaf::arrow
