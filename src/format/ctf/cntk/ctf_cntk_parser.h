// Turns rows of CTF into columns as CNTK 2.x does.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/deserializer.h"

#include "core/column_writer.h"
#include "format/ctf/cntk/ctf_cntk_rows.h"
#include "format/ctf/ctf_errors.h"
#include "format/ctf/ctf_index.h"
#include "format/ctf/ctf_schema.h"
#include "format/text/row_range.h"

namespace sheaf::ctf {

/// Parses one range of a chunk, for one call of Deserializer::read(). A wrong sample is left out,
/// but its sequence is delivered.
class CntkParser {
 public:
  /// As Parser.
  CntkParser(const ByteSource& source, const Schema& schema, const Beginning& beginning,
             const CtfIndex& index, const ChunkRange& range, Diagnostics& diagnostics);

  /// Throws: IoError, also if the file has changed since it was indexed.
  [[nodiscard]] Chunk parse();

 private:
  void begin_sequence();
  void end_sequence();
  void check_length();
  void read_row(const char* p);
  const char* read_item(const char* bar);
  [[nodiscard]] bool read_sample(std::size_t stream, const char* bar, const char*& p);
  template <typename T>
  [[nodiscard]] bool read_dense(std::size_t stream, const char* bar, const char*& p);
  template <typename T, typename Index>
  [[nodiscard]] bool read_sparse(std::size_t stream, const char*& p);
  template <typename T>
  [[nodiscard]] const char* read_number(const char* p, const Stream& stream, T& value);

  void fail(const ErrorKind& kind, const char* location, const char* end, const Stream* stream,
            std::string expected);
  void warn(const ErrorKind& kind, const char* location, std::string expected, std::string found,
            const Stream* stream = nullptr);
  void fail_sequence(const ErrorKind& kind, const Stream* stream, std::string expected,
                     std::string found, Severity severity);
  [[nodiscard]] std::int64_t column_before(std::int64_t row_offset) const noexcept;
  [[nodiscard]] std::string_view key_text() const noexcept;

  const Schema& schema_;
  Beginning beginning_;
  internal::RowRange range_;
  internal::DiagnosticWriter errors_;
  CntkGrouper grouper_;
  std::vector<internal::ColumnWriter> columns_;
  std::vector<std::int64_t> value_counts_;  // [stream]: in the current sequence
  std::vector<std::int64_t> holes_;
  std::vector<std::string> key_texts_;
  std::ptrdiff_t name_size_max_ = 0;

  Row row_;                    // the current row
  const char* end_ = nullptr;  // end of the row
  bool has_row_end_ = false;   // whether LF ends the row; otherwise the file does
  std::int64_t row_samples_ = 0;
};

}  // namespace sheaf::ctf
