#include "format/arrow/ipc_writer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/arrow_node.h"

#include "format/arrow/ipc_batches.h"
#include "format/arrow/ipc_messages.h"
#include "format/arrow/ipc_test_files.h"

namespace sheaf::arrow {
namespace {

using testing::node_of;
using testing::read_column;
using testing::read_text;
using testing::source_of;
using testing::table_of;

// Returns a file with these batches.
std::string written(const std::vector<ArrowNode>& batches) {
  std::string bytes;
  const std::unique_ptr<ByteSink> sink = memory_sink(bytes, "t.arrow");
  IpcWriter writer(*sink, batches.front());
  for (const ArrowNode& batch : batches) writer.add(batch);
  writer.finish();
  sink->finish();
  EXPECT_EQ(writer.size_bytes(), std::ssize(bytes));
  return bytes;
}

ArrowNode rows_of(std::vector<ArrowNode> columns) {
  const std::int64_t length = columns.front().length;
  return {.format = "+s", .length = length, .buffers = {nullptr}, .children = std::move(columns)};
}

constexpr std::int32_t kNumbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
constexpr std::uint8_t kFewBits[] = {0b11111011, 0b11};

ArrowNode numbers() {
  return {.format = "i",
          .name = "n",
          .metadata = arrow_metadata({{"key", "value"}}),
          .is_nullable = true,
          .length = 10,
          .null_count = 1,
          .buffers = {kFewBits, kNumbers}};
}

TEST(IpcWriter, ColumnsRoundTripWithTheirFields) {
  ArrowNode required = numbers();
  required.name = "required";
  required.is_nullable = false;
  required.metadata = {};
  required.buffers[0] = nullptr;
  ArrowNode batch = rows_of({numbers(), required});
  batch.metadata = arrow_metadata({{"a", "b"}, {"", ""}});
  const auto table = table_of(written({batch, batch}));
  EXPECT_EQ(table->batch_count(), 2);
  EXPECT_EQ(table->row_count(1), 10);
  EXPECT_EQ(read_text(*table, "n", {.batch = 1}), "[1, 2, null, 4, 5, 6, 7, 8, 9, 10]");
  EXPECT_EQ(read_text(*table, "required"), "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]");
  EXPECT_EQ(read_column(*table, "n")->children[0]->null_count, 1);
  const ArrowSchema& schema = table->schema();
  EXPECT_EQ(schema.children[0]->flags, ARROW_FLAG_NULLABLE);
  EXPECT_EQ(schema.children[1]->flags, 0);
  const auto bytes_of_metadata = [](const ArrowSchema& from, const std::string& expected) {
    return std::string(from.metadata, expected.size()) == expected;
  };
  EXPECT_TRUE(bytes_of_metadata(schema, batch.metadata));
  EXPECT_TRUE(bytes_of_metadata(*schema.children[0], numbers().metadata));
  EXPECT_EQ(schema.children[1]->metadata, nullptr);
}

TEST(IpcWriter, AFileWithoutBatchesHasASchema) {
  std::string bytes;
  const std::unique_ptr<ByteSink> sink = memory_sink(bytes, "t.arrow");
  IpcWriter writer(*sink, rows_of({numbers()}));
  writer.finish();
  sink->finish();
  const auto table = table_of(bytes);
  EXPECT_EQ(table->batch_count(), 0);
  EXPECT_EQ(std::string(table->schema().children[0]->name), "n");
}

TEST(IpcWriter, BuffersBeginAtMultiplesOf64) {
  const std::string bytes = written({rows_of({numbers()}), rows_of({numbers()})});
  const IpcFile file = find_messages(*memory_source(bytes, "t"));
  for (const IpcLocation& location : file.batches) {
    EXPECT_EQ(location.body_offset() % 64, 0);
    EXPECT_EQ(location.body_bytes, 128);
  }
}

TEST(IpcWriter, BytesBeyondTheArraysDoNotChangeTheFile) {
  const std::uint8_t other_bits[] = {0b11111011, 0b11111111};
  ArrowNode other = numbers();
  other.buffers[0] = other_bits;
  EXPECT_EQ(written({rows_of({numbers()})}), written({rows_of({other})}));
}

TEST(IpcWriter, ValidityWithoutNullsIsLeftOut) {
  const std::uint8_t all_bits[] = {0xFF, 0xFF};
  ArrowNode valid = numbers();
  valid.buffers[0] = all_bits;
  ArrowNode absent = numbers();
  absent.buffers[0] = nullptr;
  EXPECT_EQ(written({rows_of({valid})}), written({rows_of({absent})}));
}

// Returns whether a type of the files in testdata/arrow can be written.
bool is_written(const ArrowSchema& schema) {
  const std::string_view format = schema.format;
  constexpr std::string_view kOthers[] = {"t", "d:", "v", "+v", "+u", "+m", "+r"};
  for (const std::string_view other : kOthers) {
    if (format.starts_with(other)) return false;
  }
  return schema.dictionary == nullptr && std::string_view(schema.name) != "word_lists";
}

TEST(IpcWriter, SlicesOfAllTypesRoundTrip) {
  int columns = 0;
  for (const std::string_view file : {"types.arrow", "nested.arrow"}) {
    const auto source = open_ipc(source_of(file));
    const ArrowSchema& schema = source->schema();
    for (std::int64_t i = 0; i < schema.n_children; ++i) {
      const ArrowSchema& column = *schema.children[i];
      if (!is_written(column)) continue;
      ++columns;
      const auto array = read_column(*source, column.name);
      const ArrowNode node = node_of(column, *array->children[0]);
      for (std::int64_t first = 0; first <= node.length; ++first) {
        for (std::int64_t count = 0; first + count <= node.length; ++count) {
          // The offset of the struct is added to the offset of the column.
          ArrowNode by_struct = rows_of({node});
          by_struct.offset = first;
          by_struct.length = count;
          ArrowNode by_column = rows_of({node});
          by_column.length = count;
          by_column.children[0].offset = first;
          by_column.children[0].length = count;
          const std::string expected =
              read_text(*source, column.name, {.first = first, .count = count});
          const std::string bytes = written({by_struct});
          EXPECT_EQ(read_text(*table_of(bytes), column.name), expected) << first << " " << count;
          EXPECT_EQ(written({by_column}), bytes);
        }
      }
    }
  }
  EXPECT_EQ(columns, 19 + 5);
}

}  // namespace
}  // namespace sheaf::arrow
