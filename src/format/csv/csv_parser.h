// From rows of CSV to columns.

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

/// Parses one range of a chunk; made for one call of Deserializer::read().
class Parser {
 public:
  /// Pre:      as Deserializer::read().
  /// Lifetime: all arguments must outlive the parser.
  Parser(const ByteSource& source, const Schema& schema, const internal::ScannedIndex& index,
         const ChunkRange& range, Diagnostics& diagnostics);

  /// Throws: IoError, also where the file is not what was indexed.
  [[nodiscard]] Chunk parse();

 private:
  /// Reads the number at `p` that a delimiter or `end` ends. Returns where it ends, or null where
  /// something else is there.
  using ReadPlain = const char* (*)(const char* p, const char* end, char delimiter, std::byte* to);

  /// A column of the file, as it is read.
  struct Reading {
    const Column* column = nullptr;
    StreamValues* values = nullptr;  // null: of no stream
    const Stream* stream = nullptr;
    ReadPlain read_plain = nullptr;  // null: cells are no numbers, or may be missing
    std::int64_t offset_bytes = 0;   // of the value in its sample
  };

  [[nodiscard]] std::vector<Reading> readings();
  [[nodiscard]] std::int64_t row_count(const ChunkRange& range) const;
  void begin_sequence();
  void end_sequence();
  void check_key();
  /// The text of the sequence's key; empty where keys are numbers.
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

  /// Lex the whole of a text, which is the cell's or stands for a missing cell.
  template <typename T>
  [[nodiscard]] bool lex(std::size_t number, const Cell& cell, std::string_view text, T& value);

  /// Note that a place of the row under way is wrong, and with it the sequence. `number` is that of
  /// the column.
  void fail(const ErrorKind& kind, std::size_t number, const char* place, std::int64_t size,
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
  std::vector<std::int64_t> row_counts_;  // of sequences; 0 of holes
  std::vector<std::string> key_texts_;
  std::vector<std::int64_t> holes_;
  std::int64_t rows_room_ = 0;  // rows that there is room for
  std::int64_t rows_ = 0;       // rows read

  Row row_;                     // under way
  std::string text_;            // of a cell
  bool is_bad_ = false;         // whether the sequence under way has a wrong place
  std::int64_t row_count_ = 0;  // of the sequence under way
};

}  // namespace sheaf::csv
