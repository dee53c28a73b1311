// The work that every parser of a scanned text shares: reading rows, checking them against the
// index, and reporting errors.

#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/counts.h"

#include "core/column_writer.h"
#include "core/error_kind.h"
#include "format/text/row_reader.h"
#include "format/text/scanned_block.h"
#include "format/text/scanned_chunk.h"
#include "format/text/scanned_index.h"
#include "index/units.h"

namespace sheaf::internal {

/// The rows of consecutive sequences of a chunk, or of a block. The rows of a whole unit are
/// checked against the unit's hash in the index. The index knows nothing about a block yet, so the
/// sequences of a block are noted.
class RowRange {
 public:
  /// Lifetime: all arguments except `range` must outlive the RowRange.
  RowRange(const ByteSource& source, const TextSchema& schema, const ScannedIndex& index,
           const ChunkRange& range);

  /// The rows of part.block.
  ///
  /// Lifetime: all arguments must outlive the RowRange.
  RowRange(const ByteSource& source, const TextSchema& schema, const ScannedIndex& index,
           const ScanPart& part);

  [[nodiscard]] bool next_row(Row& row) { return rows_.next(row); }
  [[nodiscard]] bool has_row_end() const noexcept { return rows_.has_row_end(); }

  /// As RowReader::ahead() and pass_over(). Rows passed over belong to the current sequence.
  [[nodiscard]] std::string_view ahead() const noexcept { return rows_.ahead(); }
  void pass_over(const char* end, std::int64_t row_count) noexcept {
    rows_.pass_over(end, row_count);
  }

  /// Takes a row that begins a sequence. Returns false if the index dropped that sequence; the
  /// caller then skips its rows.
  ///
  /// Throws: IoError if the index expects another sequence.
  [[nodiscard]] bool begin_sequence(const Row& row, const SequenceKey& key);

  /// Ends the range after its last row.
  ///
  /// Throws: IoError if the index has more sequences.
  void end();

  /// Checks the sample counts of all sequences that are not holes against an index that was read
  /// from a file.
  ///
  /// Throws: IoError if a count differs.
  void check_sample_counts(const Chunk& chunk) const;

  /// Reserves the memory that the index predicts: all of it for a whole chunk, a share and a margin
  /// for a part of one. Reserves nothing for a block.
  void reserve(std::vector<ColumnWriter>& columns) const;

  /// Reserves the memory for the rest of a block as soon as enough is decoded to extrapolate from.
  /// Call this between sequences.
  void extrapolate(std::vector<ColumnWriter>& columns) {
    if (sequence_offset_ >= extrapolate_at_) extrapolate_now(columns);
  }

  /// Returns where the scan notes its warnings, or null if there is no scan.
  [[nodiscard]] ScanWarnings* warnings() const noexcept {
    return block_ != nullptr ? &block_->warnings : nullptr;
  }

  /// Returns the sequences of the range, or the sequences so far of a block.
  [[nodiscard]] std::int64_t sequence_count() const noexcept {
    return block_ != nullptr ? sequence_ + 1 : last_ - first_;
  }

  /// The current sequence: its number in the chunk, its number in the range, and its samples as the
  /// index has them.
  [[nodiscard]] std::int64_t sequence() const noexcept { return sequence_; }
  [[nodiscard]] std::int64_t number() const noexcept { return sequence_ - first_; }
  [[nodiscard]] std::int64_t sample_count() const noexcept {
    return table_->sample_count(sequence_);
  }
  [[nodiscard]] std::int64_t first_line() const noexcept {
    return block_ != nullptr ? block_->sequences.back().line
                             : chunk_.first_line + table_->first_line(sequence_);
  }
  [[nodiscard]] std::int64_t offset() const noexcept {
    return block_ != nullptr ? sequence_offset_
                             : chunk_.offset_bytes + table_->offset_bytes(sequence_);
  }
  [[nodiscard]] const SequenceKey& key() const noexcept { return key_; }

  /// Returns whether an earlier sequence has the same key.
  [[nodiscard]] bool is_repeated() const noexcept;

  /// The begin and the end of the range in the source.
  [[nodiscard]] std::int64_t begin_offset() const noexcept { return begin_offset_; }
  [[nodiscard]] std::int64_t end_offset() const noexcept { return end_offset_; }

 private:
  void move_to_unit(std::int64_t unit) noexcept;
  void check_hash();
  void note_sequence(const Row& row);
  [[nodiscard]] std::int64_t sample_count_of(const Chunk& chunk, std::int64_t number) const;
  void extrapolate_now(std::vector<ColumnWriter>& columns);
  [[noreturn]] void throw_changed(std::int64_t line) const;

  const ByteSource& source_;
  const TextSchema& schema_;
  const ScannedIndex& index_;
  ScannedBlock* block_ = nullptr;               // null if the rows are those of a chunk
  std::shared_ptr<const SequenceTable> table_;  // of the chunk, as are the next two
  ChunkInfo chunk_;
  std::shared_ptr<const ChunkNotes> notes_;
  std::int64_t first_ = 0;  // numbers of sequences in the chunk: [first_, last_)
  std::int64_t last_ = 0;
  std::int64_t begin_offset_;
  std::int64_t end_offset_;
  RowReader rows_;
  internal::Units units_;
  std::int64_t next_unit_ = 0;         // the first unit that begins at or after the sequence
  std::int64_t next_unit_first_ = -1;  // its first sequence; -1 if units are not checked
  bool is_hashing_ = false;
  std::int64_t sequence_;  // first_ - 1 before the first sequence
  SequenceKey key_;
  std::int64_t sequence_offset_ = 0;  // of a block only
  std::int64_t extrapolate_at_ = std::numeric_limits<std::int64_t>::max();
};

/// Notes the counts of a decoded chunk's sequences in the block, and keeps the chunk.
///
/// Pre: none of the sequences is wrong.
void keep_decoded(const TextSchema& schema, Chunk chunk, ScannedBlock& block);

/// Writes diagnostics about errors in a range.
class DiagnosticWriter {
 public:
  DiagnosticWriter(const ByteSource& source, Diagnostics& diagnostics)
      : source_(source), diagnostics_(diagnostics) {}

  [[nodiscard]] bool wants_text(Severity severity = Severity::error) const noexcept {
    return diagnostics_.wants_text(severity);
  }

  /// Returns whether no more errors will be noted for a sequence that is wrong.
  [[nodiscard]] bool are_full() const noexcept { return diagnostics_.is_full(); }

  /// Adds a diagnostic about the range's current sequence. The caller sets line, column, offset,
  /// severity and excerpt.
  void add(const RowRange& range, std::string_view key_text, Diagnostic diagnostic,
           const ErrorKind& kind, const Stream* stream, std::string expected, std::string found,
           std::string hint = {});

  /// Returns a diagnostic at a byte of a row, with an excerpt if texts are wanted.
  [[nodiscard]] Diagnostic at(const Row& row, const char* location, std::int64_t size,
                              Severity severity = Severity::error) const;

  /// Returns a diagnostic at the beginning of the range's current sequence, whose row is no longer
  /// in memory.
  [[nodiscard]] Diagnostic at_sequence(const RowRange& range,
                                       Severity severity = Severity::error) const;

 private:
  const ByteSource& source_;
  Diagnostics& diagnostics_;
};

}  // namespace sheaf::internal
