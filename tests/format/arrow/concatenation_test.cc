#include "format/arrow/concatenation.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "format/arrow/ipc_body.h"
#include "format/arrow/ipc_messages.h"
#include "format/arrow/ipc_test_files.h"

namespace sheaf::arrow {
namespace {

using testing::source_of;

// Reads all rows of a column.
ArrowNode whole_column(const ByteSource& source, const IpcFile& file, std::size_t column,
                       std::size_t batch) {
  const IpcLocation& location = file.batches[batch];
  const IpcMetadata metadata(source, location);
  const IpcBatchHeader header(metadata.header(IpcKind::batch), file.schema.all,
                              location.body_bytes);
  ArrowNode array;
  BodyReader reader(header, {.body_offset = location.body_offset()});
  reader.add(file.schema.columns[column], {.begin = 0, .end = location.row_count}, array);
  reader.run();
  return array;
}

std::string text_of_node(const ArrowNode& type, const ArrowNode& array) {
  const auto schema = nothing_taken<ArrowSchema>();
  export_schema(type, *schema);
  const auto exported = nothing_taken<ArrowArray>();
  export_array(array, nullptr, *exported);
  return testing::text_of(*schema, *exported);
}

std::string joined_texts(const std::string& one, const std::string& other) {
  return one.substr(0, one.size() - 1) + ", " + other.substr(1);
}

TEST(Concatenation, ArraysOfAllTypesAreJoined) {
  int joined = 0;
  for (const std::string_view name : {"nested.arrow", "nested_lz4.arrow", "types.arrow"}) {
    const auto source = source_of(name);
    const IpcFile file = find_messages(*source);
    for (std::size_t column = 0; column < file.schema.columns.size(); ++column) {
      const IpcField& field = file.schema.columns[column];
      if (!can_concatenate(field)) continue;
      const std::size_t other = file.batches.size() > 1 ? 1 : 0;
      const ArrowNode first = whole_column(*source, file, column, 0);
      const ArrowNode second = whole_column(*source, file, column, other);
      const ArrayHead heads[] = {{.array = &first, .length = first.length},
                                 {.array = &second, .length = second.length},
                                 {.array = &first, .length = 0}};
      const ArrowNode all = concatenated(field, heads);
      const ArrowNode& type = file.schema.type.children[column];
      EXPECT_EQ(text_of_node(type, all),
                joined_texts(text_of_node(type, first), text_of_node(type, second)))
          << field.path;
      EXPECT_EQ(all.null_count, first.null_count + second.null_count) << field.path;
      ++joined;
    }
  }
  EXPECT_EQ(joined, 41 + 2 * 8);
}

TEST(Concatenation, NullsOfAPartAreNotCounted) {
  const auto source = source_of("types.arrow");
  const IpcFile file = find_messages(*source);
  const auto nulls_of_part = [&](std::size_t column, std::int64_t length) {
    const ArrowNode array = whole_column(*source, file, column, 0);
    const ArrayHead heads[] = {{.array = &array, .length = length}, {.array = &array, .length = 3}};
    return concatenated(file.schema.columns[column], heads).null_count;
  };
  EXPECT_EQ(nulls_of_part(2, 3), 2);
  EXPECT_EQ(nulls_of_part(2, 2), -1);
  EXPECT_EQ(nulls_of_part(file.schema.columns.size() - 1, 2), 0);  // the column has no nulls
}

TEST(Concatenation, UnionsRunsAndDictionariesCannotBeConcatenated) {
  const IpcFile file = find_messages(*source_of("nested.arrow"));
  for (const IpcField& field : file.schema.columns) {
    const bool is_refused = field.path == "words" || field.path == "word_lists" ||
                            field.path == "sparse" || field.path == "dense" || field.path == "runs";
    EXPECT_EQ(can_concatenate(field), !is_refused) << field.path;
  }
}

}  // namespace
}  // namespace sheaf::arrow
