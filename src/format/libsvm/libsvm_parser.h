// Turns rows of LibSVM format into columns.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/counts.h"

#include "core/column_writer.h"
#include "format/libsvm/libsvm_errors.h"
#include "format/libsvm/libsvm_rows.h"
#include "format/libsvm/libsvm_schema.h"
#include "format/text/field_kernels.h"
#include "format/text/row_range.h"
#include "format/text/scanned_index.h"

namespace sheaf::libsvm {

/// Parses one range of a chunk, for one call of Deserializer::read().
class Parser {
 public:
  /// Pre:      as Deserializer::read().
  /// Lifetime: all arguments must outlive the parser.
  Parser(const ByteSource& source, const Schema& schema, KeyMode mode,
         const internal::ScannedIndex& index, const ChunkRange& range, Diagnostics& diagnostics);

  /// Parses a block. Notes its sequences in part.block.
  ///
  /// Lifetime: as above.
  Parser(const ByteSource& source, const Schema& schema, KeyMode mode,
         const internal::ScannedIndex& index, const internal::ScanPart& part,
         Diagnostics& diagnostics);

  /// Throws: IoError, also if the file has changed since it was indexed.
  [[nodiscard]] Chunk parse();

 private:
  template <typename Part>
  Parser(const ByteSource& source, const Schema& schema, KeyMode mode,
         const internal::ScannedIndex& index, const Part& part, Diagnostics& diagnostics,
         std::uint64_t first_key);

  /// Reads the sample of one stream in the current row. A wrong sample makes the sequence wrong.
  using Read = void (Parser::*)(const Head& head);

  [[nodiscard]] Read label_reader() const;
  [[nodiscard]] Read features_reader() const;

  void begin_sequence(const Head& head);
  void end_sequence();
  void check_qid(const Head& head);
  Chunk finish();

  template <typename T>
  void read_label(const Head& head);
  template <typename T, typename Index>
  void read_label_list(const Head& head);
  template <typename Index>
  bool sort_labels(const Token& labels, std::int64_t count);
  template <typename T>
  void read_dense(const Head& head);
  template <typename T, typename Index>
  void read_sparse(const Head& head);

  /// Parses the pairs of the row. Passes each to `store(index from 0, value)`. Notes an error and
  /// returns false if a pair is wrong.
  template <typename T, typename Store>
  bool read_pairs(const char* p, std::int64_t previous, const Store& store);
  template <typename T, typename Index>
  std::int64_t take_pairs(const char*& p, std::int64_t limit, T* values, Index* indices);
  void fail_pair(const char* p, const char* colon, std::uint64_t index, std::int64_t previous);

  /// Parses a number and checks the byte that ends it. Notes an error and returns null if the
  /// number is wrong.
  template <typename T>
  const char* number(const char* p, const Stream& stream, const ErrorKind& kind, T& value);
  template <typename T>
  const char* long_number(const char* p, const Stream& stream, const ErrorKind& kind, T& value);

  void fail_label(const Head& head, const ErrorKind& kind);

  /// Notes an error in a token of the current row, and so that the sequence is wrong.
  void fail(const ErrorKind& kind, const Token& token, const Stream* stream, std::string expected,
            std::string hint = {});

  [[nodiscard]] const Stream& label_stream() const noexcept {
    return schema_.streams[static_cast<std::size_t>(schema_.label)];
  }
  [[nodiscard]] const Stream& features_stream() const noexcept {
    return schema_.streams[static_cast<std::size_t>(schema_.features)];
  }
  [[nodiscard]] internal::ColumnWriter& label_column() noexcept {
    return columns_[static_cast<std::size_t>(schema_.label)];
  }
  [[nodiscard]] internal::ColumnWriter& features_column() noexcept {
    return columns_[static_cast<std::size_t>(schema_.features)];
  }

  const internal::FieldKernels& kernels_;
  const Schema& schema_;
  KeyMode mode_;
  const internal::ScannedIndex& index_;
  internal::RowRange range_;
  internal::DiagnosticWriter errors_;
  SequenceGrouper grouper_;
  std::vector<internal::ColumnWriter> columns_;
  Read read_label_;     // null if the stream is not read
  Read read_features_;  // null if the stream is not read
  std::vector<std::int64_t> holes_;

  Row row_;              // the current row
  bool is_bad_ = false;  // whether the current sequence has an error
};

}  // namespace sheaf::libsvm
