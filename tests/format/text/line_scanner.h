/// \file
/// A minimal text format, to index and to read. Each line is a number, and a sequence of one sample
/// with the number as its key. A line without digits belongs to the sequence before.

#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/text/row_reader.h"
#include "format/text/scanned_block.h"
#include "format/text/scanned_chunk.h"
#include "format/text/scanned_index.h"

namespace sheaf::internal {

inline TextSchema line_schema(std::int64_t chunk_size_bytes) {
  return {.streams = {{.name = "x", .sample_shape = Shape{1}}},
          .chunk_size_bytes = chunk_size_bytes,
          .read_size_bytes = 64 << 10};
}

/// Returns the key of a row that begins a sequence.
inline std::optional<SequenceKey> key_of_line(const Row& row) {
  if (row.begin == row.end || *row.begin < '0' || *row.begin > '9') return std::nullopt;
  return SequenceKey{.low = std::stoull(std::string(row.text()))};
}

class LineScanner final : public Scanner {
 public:
  LineScanner(const ByteSource& source, const TextSchema& schema, const ScanPart& part)
      : rows_(source, part.begin, part.end, part.first_line, schema.read_size_bytes),
        builder_(schema, part),
        block_(part.block),
        end_(part.end),
        count_(part.first_sequence) {}

  std::optional<ScannedChunk> next() override {
    Row row;
    while (rows_.next(row)) {
      const std::optional<SequenceKey> key = key_of_line(row);
      if (!key) continue;
      std::optional<ScannedChunk> chunk = end_sequence(row.offset);
      sequence_ = ChunkBuilder::Sequence{.key = *key,
                                         .offset = row.offset,
                                         .end = 0,
                                         .line = row.line,
                                         .sample_count = 1,
                                         .key_text_size = 0};
      if (chunk) return chunk;
    }
    if (block_ != nullptr) block_->row_count = rows_.row_count();
    std::optional<ScannedChunk> chunk = end_sequence(end_);
    return chunk ? std::move(chunk) : builder_.finish();
  }

  [[nodiscard]] std::vector<Diagnostic> warnings() const override {
    Diagnostic warning;
    warning.severity = Severity::warning;
    warning.code = "line-count";
    warning.found = std::to_string(count_);
    return {warning};
  }

 private:
  std::optional<ScannedChunk> end_sequence(std::int64_t end) {
    if (!sequence_) return std::nullopt;
    sequence_->end = end;
    ++count_;
    return builder_.add(*std::exchange(sequence_, std::nullopt), kCounts);
  }

  static constexpr std::array<StreamCounts, 1> kCounts = {{{1, 0}}};

  RowReader rows_;
  ChunkBuilder builder_;
  ScannedBlock* block_;
  std::int64_t end_;
  std::int64_t count_;
  std::optional<ChunkBuilder::Sequence> sequence_;
};

/// Returns the index of such a text. `schema` must outlive the index.
inline ScannedIndex::Parts line_index(const std::shared_ptr<const ByteSource>& source,
                                      const TextSchema& schema, const IndexOptions& options) {
  return {.source = source,
          .rows = {.begin = 0, .end = source->size(), .chunk_size_bytes = schema.chunk_size_bytes},
          .make_scanner =
              [source, &schema](const ScanPart& part) {
                return std::make_unique<LineScanner>(*source, schema, part);
              },
          .blocks = {},
          .stream_count = std::ssize(schema.streams),
          .may_repeat_keys = true,
          .options = options,
          .files = &system_files(),
          .identity = {.options = "lines", .data = source->fingerprint()},
          .found = {},
          .warning_code = "line-index-file"};
}

}  // namespace sheaf::internal
