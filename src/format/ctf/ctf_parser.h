// Turns rows of CTF into columns, by strict rules.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/deserializer.h"

#include "core/column_writer.h"
#include "format/ctf/ctf_errors.h"
#include "format/ctf/ctf_index.h"
#include "format/ctf/ctf_rows.h"
#include "format/ctf/ctf_scanner.h"
#include "format/ctf/ctf_schema.h"
#include "format/ctf/ctf_short_rows.h"
#include "format/text/field_kernels.h"
#include "format/text/row_range.h"

namespace sheaf::ctf {

/// Parses one range of a chunk, for one call of Deserializer::read().
class Parser {
 public:
  /// Pre:      as Deserializer::read().
  /// Lifetime: all arguments must outlive the parser.
  Parser(const ByteSource& source, const Schema& schema, KeyMode mode, const CtfIndex& index,
         const ChunkRange& range, Diagnostics& diagnostics);

  /// Parses a block. Notes its sequences in part.block.
  ///
  /// Lifetime: as above.
  Parser(const ByteSource& source, const Schema& schema, KeyMode mode, const CtfIndex& index,
         const ScanPart& part, Diagnostics& diagnostics);

  /// Throws: IoError, also if the file has changed since it was indexed.
  [[nodiscard]] Chunk parse();

  // The visitor of visit_items().
  const char* sample(const char* bar, std::int64_t stream, const char* body, const char* end);
  void unknown(const char* bar, const char* name_end) {
    if (warnings_ != nullptr) warnings_->unknown_stream(kUnknownStream, row_, bar, name_end);
    if (!schema_.allows_missing) {
      note_unknown({bar + 1, static_cast<std::size_t>(name_end - bar - 1)});
    }
  }
  void nameless(const char* bar);
  void stray(const char* location);
  void control(const char* location);

 private:
  /// A sample being read.
  struct Sample {
    internal::ColumnWriter& writer;
    const Stream& stream;
    std::int64_t dim;
    const char* bar;
    const char* body;
    const char* end;  // end of the row
  };

  /// Parses a sample. Returns its end, or the "|" after an error.
  using Lex = const char* (Parser::*)(const Sample&);

  /// A stream, with the data for reading its samples.
  struct Target {
    Lex lex = nullptr;
    std::int64_t dim = 0;
    std::int64_t last_line = 0;  // line of the last row that names the stream
  };

  template <typename Part>
  Parser(const ByteSource& source, const Schema& schema, KeyMode mode, const CtfIndex& index,
         const Part& part, Diagnostics& diagnostics, bool notes_ids);

  /// Reads the short rows after the current row.
  using TakeShortRows = void (Parser::*)();

  [[nodiscard]] static Lex lex_of(const Stream& stream);
  template <typename T>
  [[nodiscard]] static Lex lex_of_type(const Stream& stream);

  [[nodiscard]] static TakeShortRows take_short_rows_of(std::span<const Stream> streams);
  template <typename T>
  [[nodiscard]] static TakeShortRows take_short_rows_of_type(bool is_wide);
  template <typename T, typename Index>
  void take_short_rows();

  void begin_sequence(const Head& head);
  void end_sequence();
  void check_head(const Head& head);
  Chunk finish();

  template <typename T>
  const char* dense_sample(const Sample& sample);
  template <typename T, typename Index>
  const char* short_sample(const Sample& sample);
  template <typename T, typename Index>
  const char* sparse_sample(const Sample& sample);
  template <typename T>
  const char* pair(const Sample& sample, const char* p, std::uint64_t& index, T& value);
  template <typename T, typename Index>
  bool sort_pairs(const Sample& sample, std::int64_t count);

  /// Parses a number and checks the byte that ends it. Notes an error and returns null if the
  /// number is wrong.
  template <typename T>
  const char* number(const Sample& sample, const char* p, T& value);
  template <typename T>
  const char* long_number(const Sample& sample, const char* p, T& value);

  void fail_pair(const Sample& sample, const char* p, const char* colon);

  /// Notes an error at `location` of the current row, and so that the sequence is wrong.
  void fail(const ErrorKind& kind, const char* location, std::int64_t size, const Stream* stream,
            std::string expected, std::string found);
  /// The same for a token. The token is also the text that was found.
  void fail_token(const ErrorKind& kind, const char* token, const char* end, const Stream* stream,
                  std::string expected);
  void fail_repeated_id(const Head& head);
  void fail_missing(std::size_t stream_number);

  /// Notes a stream that the options do not declare. It may be the misspelled name of a missing
  /// stream.
  void note_unknown(std::string_view name);

  /// Returns the hint for a stream that the current sequence lacks.
  [[nodiscard]] std::string missing_hint(std::size_t stream_number) const;

  /// Returns the current key if keys are texts.
  [[nodiscard]] std::string_view key_text() const noexcept;

  const internal::FieldKernels& kernels_;
  const Schema& schema_;
  const CtfIndex& index_;
  internal::RowRange range_;
  internal::DiagnosticWriter errors_;
  internal::ScanWarnings* warnings_;  // null if a scan noted them
  bool notes_ids_;                    // as warnings
  SequenceGrouper grouper_;
  std::vector<internal::ColumnWriter> columns_;
  std::vector<Target> targets_;  // [stream]
  ShortRows short_rows_;
  TakeShortRows take_short_rows_;  // null if the types of the streams differ
  std::vector<std::int64_t> holes_;
  std::vector<std::string> key_texts_;

  Row row_;                                   // the current row
  std::int64_t first_line_ = 0;               // of the current sequence
  bool is_bad_ = false;                       // whether the current sequence has an error
  std::array<std::string, 8> unknown_names_;  // the first ones of the current sequence
  std::size_t unknown_count_ = 0;
};

}  // namespace sheaf::ctf
