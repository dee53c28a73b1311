#include "format/csv/csv_scanner.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "format/csv/csv_columns.h"
#include "format/csv/csv_rows.h"

namespace sheaf::csv {
namespace {

using internal::ChunkBuilder;
using internal::ScannedChunk;

class CsvScanner final : public internal::Scanner {
 public:
  CsvScanner(const ByteSource& source, const Schema& schema, const internal::ScanPart& part)
      : sizes_(schema),
        end_(part.end),
        rows_(source, part.begin, part.end, part.first_line, schema.text.read_size_bytes,
              schema.text.row_size_max_bytes, schema.text.delimiter),
        grouper_(schema, static_cast<std::uint64_t>(part.first_sequence)),
        builder_(schema.text, part) {}

  std::optional<ScannedChunk> next() override {
    Row row;
    while (rows_.next(row)) {
      if (row.begin == row.end) continue;
      std::optional<ScannedChunk> chunk;
      if (grouper_.next(row)) {
        chunk = end_sequence(row.offset);
        has_sequence_ = true;
        bytes_ = sizes_.of_sequence();
        sequence_ = {.key = grouper_.key(),
                     .offset = row.offset,
                     .end = 0,
                     .line = row.line,
                     .sample_count = 0,
                     .key_text_size = std::ssize(grouper_.key_text())};
      }
      ++sequence_.sample_count;
      bytes_ += sizes_.of_row(row.end - row.begin);
      if (chunk) return chunk;
    }
    // If the last sequence has a chunk of its own, next() is called once more.
    std::optional<ScannedChunk> chunk = end_sequence(end_);
    return chunk ? std::move(chunk) : builder_.finish();
  }

  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return {}; }

 private:
  /// Puts the current sequence, which ends at `end`, into the chunk.
  std::optional<ScannedChunk> end_sequence(std::int64_t end) {
    if (!std::exchange(has_sequence_, false)) return std::nullopt;
    sequence_.end = end;
    return builder_.add(sequence_, std::array{internal::StreamCounts{.sample_count = bytes_}});
  }

  const DecodedSizes sizes_;
  const std::int64_t end_;
  RowReader rows_;
  SequenceGrouper grouper_;
  ChunkBuilder builder_;
  bool has_sequence_ = false;
  ChunkBuilder::Sequence sequence_;  // the current sequence
  std::int64_t bytes_ = 0;           // memory of its values
};

}  // namespace

std::unique_ptr<internal::Scanner> make_scanner(const ByteSource& source, const Schema& schema,
                                                const internal::ScanPart& part) {
  return std::make_unique<CsvScanner>(source, schema, part);
}

}  // namespace sheaf::csv
