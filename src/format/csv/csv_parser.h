// Turns rows of CSV into columns.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/chunk.h"

#include "format/csv/csv_columns.h"
#include "format/csv/csv_rows.h"
#include "format/csv/csv_schema.h"
#include "format/text/row_range.h"
#include "format/text/scanned_index.h"

namespace sheaf::csv {

/// Parses one range of a chunk, for one call of Deserializer::read().
class Parser {
 public:
  /// Pre:      as Deserializer::read().
  /// Lifetime: all arguments must outlive the parser.
  Parser(const ByteSource& source, const Schema& schema, const internal::ScannedIndex& index,
         const ChunkRange& range, Diagnostics& diagnostics);

  /// Throws: IoError, also if the file has changed since it was indexed.
  [[nodiscard]] Chunk parse();

 private:
  /// Reads the number at `p` that ends at a delimiter or at `end`. Returns the end of the number,
  /// or null if the cell is something else.
  using ReadPlain = const char* (*)(const char* p, const char* end, char delimiter, std::byte* to);

  /// A column of the file during reading.
  struct Reading {
    const Column* column = nullptr;
    StreamValues* values = nullptr;  // null if the column belongs to no stream
    const Stream* stream = nullptr;
    ReadPlain read_plain = nullptr;  // null if cells are not numbers, or may be missing
    std::int64_t offset_bytes = 0;   // of the value in its sample
  };

  [[nodiscard]] std::vector<Reading> readings();
  [[nodiscard]] std::int64_t row_count(const ChunkRange& range) const;
  void begin_sequence();
  void end_sequence();
  void check_key();
  /// Returns the text of the sequence's key, or an empty text if keys are numbers.
  [[nodiscard]] std::string_view key_text() const noexcept {
    return key_texts_.empty() ? std::string_view() : std::string_view(key_texts_.back());
  }

  void read_row();
  void read_cell(std::size_t number, const Cell& cell);
  void read_number(std::size_t number, const Cell& cell);
  void read_class(std::size_t number, const Cell& cell);
  [[nodiscard]] bool is_missing(const Column& column, const Cell& cell) const noexcept;
  [[nodiscard]] bool takes_value(std::size_t number, const Cell& cell, bool is_missing);
  void check_cell_count(std::size_t count, const char* next);

  /// Parses the whole of a text, which is the cell's text or replaces a missing cell.
  template <typename T>
  [[nodiscard]] bool lex(std::size_t number, const Cell& cell, std::string_view text, T& value);

  /// Notes an error at `location` of the current row, and so that the sequence is wrong. `number`
  /// is the number of the column.
  void fail(const ErrorKind& kind, std::size_t number, const char* location, std::int64_t size,
            std::string expected, std::string found, std::string hint = {});
  void fail_cell(const ErrorKind& kind, std::size_t number, const Cell& cell, std::string expected,
                 std::string hint = {});

  const Schema& schema_;
  const internal::ScannedIndex& index_;
  internal::RowRange range_;
  internal::DiagnosticWriter errors_;
  SequenceGrouper grouper_;
  std::vector<StreamValues> values_;
  std::vector<Reading> readings_;
  std::vector<std::int64_t> row_counts_;  // of each sequence; 0 for a hole
  std::vector<std::string> key_texts_;
  std::vector<std::int64_t> holes_;
  std::int64_t rows_room_ = 0;  // rows that fit into the reserved memory
  std::int64_t rows_ = 0;       // rows read

  Row row_;                     // the current row
  std::string text_;            // of a cell
  bool is_bad_ = false;         // whether the current sequence has an error
  std::int64_t row_count_ = 0;  // of the current sequence
};

}  // namespace sheaf::csv
