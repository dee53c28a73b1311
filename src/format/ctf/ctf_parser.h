// From rows of CTF to columns.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sheaf/byte_source.h"
#include "sheaf/chunk.h"
#include "sheaf/deserializer.h"
#include "sheaf/diagnostic.h"

#include "format/ctf/ctf_errors.h"
#include "format/ctf/ctf_index.h"
#include "format/ctf/ctf_rows.h"
#include "format/ctf/ctf_schema.h"

namespace sheaf::ctf {

/// Parses one range of a chunk; made for one call of Deserializer::read().
class Parser {
 public:
  /// Pre:      as Deserializer::read().
  /// Lifetime: all arguments must outlive the parser.
  Parser(const ByteSource& source, const Schema& schema, KeyMode mode, const CtfIndex& index,
         const ChunkRange& range, Diagnostics& diagnostics);

  /// Throws: IoError, also where the file is not what was indexed.
  [[nodiscard]] Chunk parse();

  // Visitor of items.
  const char* sample(const char* bar, std::int64_t stream, const char* body, const char* end);
  void nameless(const char* bar);
  void stray(const char* place);
  void control(const char* place);

 private:
  /// A column under construction. The marks are its sizes where the sequence under way began.
  struct ColumnBuilder {
    Column column;
    std::int64_t sample_count = 0;
    std::int64_t value_count = 0;
    std::int64_t sample_mark = 0;
    std::int64_t value_mark = 0;
    std::int64_t last_line = 0;  // of the last row that names the stream; 0: none in the sequence
  };

  void reserve();
  void begin_sequence(const Head& head);
  void end_sequence();
  void check_head(const Head& head);
  Chunk finish();

  template <typename T>
  const char* dense_sample(ColumnBuilder& builder, const Stream& stream, const char* bar,
                           const char* body, const char* end);
  template <typename T, typename Index>
  const char* sparse_sample(ColumnBuilder& builder, const Stream& stream, const char* body,
                            const char* end);
  template <typename T, typename Index>
  void sort_pairs(ColumnBuilder& builder, const Stream& stream, std::int64_t first,
                  const char* body, const char* end);

  /// Lex a number and what ends it; null, and the error noted, where it is wrong.
  template <typename T>
  const char* number(const Stream& stream, const char* p, const char* end, T& value);

  /// Note that the byte at `place` of the row under way is wrong, and with it the sequence.
  void fail(const ErrorKind& kind, const char* place, std::int64_t size, const Stream* stream,
            std::string expected, std::string found);
  /// The same for a token, which is also what was found.
  void fail_token(const ErrorKind& kind, const char* token, const char* end, const Stream* stream,
                  std::string expected);
  void fail_missing(const Stream& stream);
  void add_diagnostic(Diagnostic diagnostic, const ErrorKind& kind, const Stream* stream,
                      std::string expected, std::string found);
  [[noreturn]] void throw_changed() const;

  const ByteSource& source_;
  const Schema& schema_;
  const CtfIndex& index_;
  Diagnostics& diagnostics_;
  ChunkInfo chunk_;
  std::shared_ptr<const SequenceTable> table_;
  std::int64_t first_;  // numbers of sequences in the chunk: [first_, last_)
  std::int64_t last_;
  std::int64_t begin_offset_;  // in the source: [begin_offset_, end_offset_)
  std::int64_t end_offset_;
  std::span<const std::int64_t> repeated_;
  std::span<const StreamCounts> stream_counts_;
  SequenceGrouper grouper_;
  std::vector<ColumnBuilder> columns_;
  std::vector<std::int64_t> holes_;

  Row row_;                    // under way
  std::int64_t sequence_ = 0;  // number of the one under way; first_ - 1 before the first
  bool is_bad_ = false;        // whether it has a wrong place
};

}  // namespace sheaf::ctf
