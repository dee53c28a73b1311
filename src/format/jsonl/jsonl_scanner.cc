#include "format/jsonl/jsonl_scanner.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "format/jsonl/jsonl_counts.h"
#include "format/text/scanned_block.h"

namespace sheaf::jsonl {
namespace {

using internal::ChunkBuilder;
using internal::ScannedChunk;
using internal::StreamCounts;

class JsonlScanner final : public internal::Scanner {
 public:
  JsonlScanner(const ByteSource& source, const Schema& schema, const internal::ScanPart& part)
      : schema_(schema),
        block_(part.block),
        own_warnings_(source),
        warnings_(part.block != nullptr ? part.block->warnings : own_warnings_),
        end_(part.end),
        rows_(source, part.begin, part.end, part.first_line, schema.read_size_bytes,
              schema.row_size_max_bytes),
        builder_(schema, part),
        counts_(schema.streams.size()) {}

  std::optional<ScannedChunk> next() override {
    Row row;
    while (rows_.next(row)) {
      if (is_blank_row(row)) continue;
      std::optional<ScannedChunk> chunk = end_sequence(row.offset);
      begin_sequence(row);
      if (chunk) return chunk;
    }
    if (block_ != nullptr) block_->row_count = rows_.row_count();
    // If the last sequence has a chunk of its own, next() is called once more.
    std::optional<ScannedChunk> chunk = end_sequence(end_);
    return chunk ? std::move(chunk) : builder_.finish();
  }

  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return warnings_.list(); }

 private:
  // A line that is not an object has no samples. It stays in the index for its diagnostic.
  void begin_sequence(const Row& row) {
    const bool is_right = line_.read(row);
    const LineKey key = key_of(row, is_right ? &line_ : nullptr, schema_);
    sequence_ = {.key = key.key,
                 .offset = row.offset,
                 .end = 0,
                 .line = row.line,
                 .sample_count = 0,
                 .key_text_size = std::ssize(key.text)};
    std::ranges::fill(counts_, StreamCounts{});
    has_sequence_ = true;
    if (!is_right) return;
    if (schema_.warns_of_unknown) note_unknown(row, line_, schema_, warnings_);
    for (const Field& field : line_.fields()) {
      const std::int64_t stream = field.is_repeated ? -1 : schema_.stream_of(field.name);
      if (stream < 0) continue;
      const auto i = static_cast<std::size_t>(stream);
      counts_[i] = counts_of(field, schema_.streams[i]);
      sequence_.sample_count = std::max(sequence_.sample_count, counts_[i].sample_count);
    }
    if (schema_.defining_stream < 0) return;
    const auto defining = static_cast<std::size_t>(schema_.defining_stream);
    sequence_.sample_count = counts_[defining].sample_count;
    if (sequence_.sample_count > 0) return;
    has_sequence_ = false;
    warnings_.dropped_sequence(kDroppedSequence, row.offset, row.line, schema_.streams[defining]);
  }

  /// Puts the current sequence, which ends at `end`, into the chunk.
  std::optional<ScannedChunk> end_sequence(std::int64_t end) {
    if (!std::exchange(has_sequence_, false)) return std::nullopt;
    sequence_.end = end;
    return builder_.add(sequence_, counts_);
  }

  const Schema& schema_;
  internal::ScannedBlock* block_;
  internal::ScanWarnings own_warnings_;
  internal::ScanWarnings& warnings_;
  std::int64_t end_;
  RowReader rows_;
  ChunkBuilder builder_;
  Line line_;
  bool has_sequence_ = false;
  ChunkBuilder::Sequence sequence_;   // the current sequence
  std::vector<StreamCounts> counts_;  // [stream]: in the current sequence
};

}  // namespace

void note_unknown(const Row& row, const Line& line, const Schema& schema,
                  internal::ScanWarnings& warnings) {
  for (const Field& field : line.fields()) {
    if (field.form == Form::null || field.name == schema.key_field) continue;
    if (schema.stream_of(field.name) >= 0) continue;
    warnings.unknown_stream(kUnknownField, row, field.quote, field.name_end);
  }
}

std::int64_t find_start(const ByteSource& source, const Schema& schema, std::int64_t from,
                        std::int64_t to) {
  const std::int64_t first = internal::find_row(source, from, to);
  if (first == to) return to;
  RowReader rows(source, first, source.size(), 1,
                 std::min(schema.read_size_bytes, RowReader::kProbeSizeBytes),
                 schema.row_size_max_bytes);
  Row row;
  while (rows.next(row) && row.offset < to) {
    if (!is_blank_row(row)) return row.offset;
  }
  return to;
}

std::unique_ptr<internal::Scanner> make_scanner(const ByteSource& source, const Schema& schema,
                                                const internal::ScanPart& part) {
  return std::make_unique<JsonlScanner>(source, schema, part);
}

}  // namespace sheaf::jsonl
