// What every parser of a range of a scanned text does: walk its rows, hold them against the index,
// report.

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

/// Rows of consecutive sequences of a chunk. Whole units are held against the hash that the index
/// has of them. Or rows of a block, that the index knows nothing of yet: what they are is noted.
class RowRange {
 public:
  /// Lifetime: all arguments but `range` must outlive it.
  RowRange(const ByteSource& source, const TextSchema& schema, const ScannedIndex& index,
           const ChunkRange& range);

  /// Rows of part.block.
  ///
  /// Lifetime: all arguments must outlive it.
  RowRange(const ByteSource& source, const TextSchema& schema, const ScannedIndex& index,
           const ScanPart& part);

  [[nodiscard]] bool next_row(Row& row) { return rows_.next(row); }
  [[nodiscard]] bool has_row_end() const noexcept { return rows_.has_row_end(); }

  /// As RowReader. Rows passed over belong to the sequence under way.
  [[nodiscard]] std::string_view ahead() const noexcept { return rows_.ahead(); }
  void pass_over(const char* end, std::int64_t row_count) noexcept {
    rows_.pass_over(end, row_count);
  }

  /// Take a row that begins a sequence. False where that is one the index dropped: its rows are to
  /// be passed over.
  ///
  /// Throws: IoError where it is not what the index has next.
  [[nodiscard]] bool begin_sequence(const Row& row, const SequenceKey& key);

  /// The rows are through.
  ///
  /// Throws: IoError where the index has more.
  void end();

  /// Hold the samples that were read against the index, where that comes from a file: those of each
  /// sequence that is not a hole.
  ///
  /// Throws: IoError where it has others.
  void check_sample_counts(const Chunk& chunk) const;

  /// Ask for the memory that the index foresees: all of it for a whole chunk, a share and some more
  /// for a part of one. Nothing for a block.
  void reserve(std::vector<ColumnWriter>& columns) const;

  /// Ask for the memory that a block will take if it goes on as it began, once that can be told. To
  /// be called between sequences.
  void extrapolate(std::vector<ColumnWriter>& columns) {
    if (sequence_offset_ >= extrapolate_at_) extrapolate_now(columns);
  }

  /// Where warnings go that are the scan's to note; null where there was one.
  [[nodiscard]] ScanWarnings* warnings() const noexcept {
    return block_ != nullptr ? &block_->warnings : nullptr;
  }

  /// Sequences of the range; of a block, those so far.
  [[nodiscard]] std::int64_t sequence_count() const noexcept {
    return block_ != nullptr ? sequence_ + 1 : last_ - first_;
  }

  /// The sequence under way: its number in the chunk, in the range, and its samples by the index.
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

  /// Whether its key is that of an earlier sequence.
  [[nodiscard]] bool is_repeated() const noexcept;

  /// Begin and end in the source.
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
  ScannedBlock* block_ = nullptr;               // null: the rows are a chunk's
  std::shared_ptr<const SequenceTable> table_;  // of the chunk, here and below
  ChunkInfo chunk_;
  std::shared_ptr<const ChunkNotes> notes_;
  std::int64_t first_ = 0;  // numbers of sequences in the chunk: [first_, last_)
  std::int64_t last_ = 0;
  std::int64_t begin_offset_;
  std::int64_t end_offset_;
  RowReader rows_;
  internal::Units units_;
  std::int64_t next_unit_ = 0;         // the first that begins at or behind the sequence
  std::int64_t next_unit_first_ = -1;  // where it begins; -1: units are not checked
  bool is_hashing_ = false;
  std::int64_t sequence_;  // first_ - 1 before the first
  SequenceKey key_;
  std::int64_t sequence_offset_ = 0;  // of a block
  std::int64_t extrapolate_at_ = std::numeric_limits<std::int64_t>::max();
};

/// Note of a block what its chunk says of the sequences, none of which is wrong, and keep the
/// chunk.
void keep_decoded(const TextSchema& schema, Chunk chunk, ScannedBlock& block);

/// Describes wrong places.
class DiagnosticWriter {
 public:
  DiagnosticWriter(const ByteSource& source, Diagnostics& diagnostics)
      : source_(source), diagnostics_(diagnostics) {}

  [[nodiscard]] bool wants_text(Severity severity = Severity::error) const noexcept {
    return diagnostics_.wants_text(severity);
  }

  /// Whether no other place of a sequence that is wrong will be noted.
  [[nodiscard]] bool are_full() const noexcept { return diagnostics_.is_full(); }

  /// Note a place of the range's sequence. Line, column, offset, severity and excerpt are the
  /// caller's.
  void add(const RowRange& range, std::string_view key_text, Diagnostic diagnostic,
           const ErrorKind& kind, const Stream* stream, std::string expected, std::string found,
           std::string hint = {});

  /// A diagnostic at a place of a row, with an excerpt if that is wanted.
  [[nodiscard]] Diagnostic at(const Row& row, const char* place, std::int64_t size,
                              Severity severity = Severity::error) const;

  /// A diagnostic at the beginning of the range's sequence, whose row is no longer in memory.
  [[nodiscard]] Diagnostic at_sequence(const RowRange& range,
                                       Severity severity = Severity::error) const;

 private:
  const ByteSource& source_;
  Diagnostics& diagnostics_;
};

}  // namespace sheaf::internal
