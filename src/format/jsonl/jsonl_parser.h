// Turns lines into columns.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/counts.h"

#include "core/column_writer.h"
#include "format/jsonl/jsonl_quick_row.h"
#include "format/jsonl/jsonl_schema.h"
#include "format/jsonl/jsonl_values.h"
#include "format/text/row_range.h"
#include "format/text/scanned_index.h"

namespace sheaf::jsonl {

/// Parses one range of a chunk, for one call of Deserializer::read().
class Parser {
 public:
  /// Pre:      as Deserializer::read().
  /// Lifetime: all arguments must outlive the parser.
  Parser(const ByteSource& source, const Schema& schema, const internal::ScannedIndex& index,
         const ChunkRange& range, Diagnostics& diagnostics);

  /// Parses a block. Notes its sequences in part.block.
  ///
  /// Lifetime: as above.
  Parser(const ByteSource& source, const Schema& schema, const internal::ScannedIndex& index,
         const internal::ScanPart& part, Diagnostics& diagnostics);

  /// Throws: IoError, also if the file has changed since it was indexed.
  [[nodiscard]] Chunk parse();

 private:
  template <typename Part>
  Parser(const ByteSource& source, const Schema& schema, const internal::ScannedIndex& index,
         const Part& part, Diagnostics& diagnostics, int);

  void begin_columns();
  void take_quickly();
  [[nodiscard]] bool take_with_key();
  void cut_back();
  void take_line(bool is_right);
  void take_fields();
  void take_field(const Field& field);
  void check_key();
  void fail_missing(std::size_t stream);
  void end_sequence();
  Chunk finish();

  /// Notes an error in the line, and so that the sequence is wrong.
  void fail(const Fault& fault, const Stream* stream = nullptr);

  const Schema& schema_;
  const internal::ScannedIndex& index_;
  internal::RowRange range_;
  internal::DiagnosticWriter errors_;
  std::vector<internal::ColumnWriter> columns_;
  QuickRow quick_;
  std::vector<ReadValue> readers_;  // [stream]
  std::vector<std::int64_t> holes_;
  std::vector<std::string> key_texts_;
  Line line_;

  Row row_;  // the current row
  LineKey key_;
  bool is_bad_ = false;
  std::vector<char> is_present_;  // [stream]
};

}  // namespace sheaf::jsonl
