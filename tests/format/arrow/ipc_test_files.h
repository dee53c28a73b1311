// Files written by pyarrow, and arrays as text.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/arrow_data.h"
#include "sheaf/extend/arrow_node.h"
#include "sheaf/extend/byte_source.h"

namespace sheaf::arrow::testing {

/// Returns the bytes of a file that testdata/arrow/make.py wrote.
std::string bytes_of(std::string_view file);

/// Returns such a file as a source with the name of the file.
std::shared_ptr<const ByteSource> source_of(std::string_view file);

/// Returns a table from bytes, named "t.arrow".
std::shared_ptr<const ArrowBatches> table_of(std::string bytes);

/// Returns the number of a column.
std::int64_t column_of(const ArrowSchema& schema, std::string_view name);

/// Returns the values of an array as text, such as "[1, null, 'abc']". Times, decimals and
/// half-precision floats appear as whole numbers.
std::string text_of(const ArrowSchema& schema, const ArrowArray& array);

/// Returns an array as a node with its type.
///
/// Lifetime: the buffers live as long as the array.
ArrowNode node_of(const ArrowSchema& schema, const ArrowArray& array);

/// A range of rows in a batch.
struct ReadPart {
  std::int64_t batch = 0;
  std::int64_t first = 0;
  std::int64_t count = -1;  // -1 means all rows from `first` on
};

/// Reads rows of a column, as text.
std::string read_text(const ArrowBatches& table, std::string_view column, ReadPart part = {});

/// Reads rows of a column.
std::shared_ptr<const ArrowArray> read_column(const ArrowBatches& table, std::string_view column,
                                              ReadPart part = {}, bool lengths_only = false);

/// Reads all columns of all batches, and visits each value. Returns the total size of the values as
/// text. Throws the exceptions of reading.
std::int64_t read_all(const ArrowBatches& table);

}  // namespace sheaf::arrow::testing
