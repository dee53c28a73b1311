#include "format/jsonl/jsonl_scanner.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/column_writer.h"
#include "format/jsonl/jsonl_counts.h"
#include "format/jsonl/jsonl_quick_row.h"
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
        quick_(schema, schema.warns_of_unknown),
        columns_(internal::column_writers(schema.streams)),
        counts_(schema.streams.size()),
        quick_counts_(schema.streams.size()) {
    for (internal::ColumnWriter& column : columns_) column.begin_sequence();
  }

  std::optional<ScannedChunk> next() override {
    Row row;
    while (rows_.next(row)) {
      const bool is_counted = quick_.takes(row) && count_quickly(row);
      if (!is_counted && is_blank_row(row)) continue;
      std::optional<ScannedChunk> chunk = end_sequence(row.offset);
      begin_sequence(row, is_counted);
      if (chunk) return chunk;
    }
    if (block_ != nullptr) block_->row_count = rows_.row_count();
    // If the last sequence has a chunk of its own, next() is called once more.
    std::optional<ScannedChunk> chunk = end_sequence(end_);
    return chunk ? std::move(chunk) : builder_.finish();
  }

  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return warnings_.list(); }

 private:
  // Counts the samples of a row as its values are read. Returns false if Line must count them.
  bool count_quickly(const Row& row) {
    const bool is_read = quick_.read(row, columns_);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Stream& stream = schema_.streams[i];
      const bool has_sizes =
          stream.storage == Storage::sparse || stream.element_type == ElementType::bytes;
      quick_counts_[i] = {columns_[i].samples_of_sequence(),
                          has_sizes ? columns_[i].values_of_sequence() : 0};
      columns_[i].cut_back();
    }
    return is_read;
  }

  LineKey key_of_quick(const Row& row) const {
    return schema_.key_mode == KeyMode::lines ? key_of(row, nullptr, schema_)
                                              : key_in(quick_.key(), schema_);
  }

  // A line that is not an object has no samples. It stays in the index for its diagnostic.
  void begin_sequence(const Row& row, bool is_counted) {
    const bool is_right = is_counted || line_.read(row);
    const LineKey key =
        is_counted ? key_of_quick(row) : key_of(row, is_right ? &line_ : nullptr, schema_);
    sequence_ = {.key = key.key,
                 .offset = row.offset,
                 .end = 0,
                 .line = row.line,
                 .sample_count = 0,
                 .key_text_size = std::ssize(key.text)};
    std::ranges::fill(counts_, StreamCounts{});
    has_sequence_ = true;
    if (!is_right) return;
    if (is_counted) {
      counts_ = quick_counts_;
    } else {
      count_line(row);
    }
    for (const StreamCounts& counts : counts_) {
      sequence_.sample_count = std::max(sequence_.sample_count, counts.sample_count);
    }
    if (schema_.defining_stream < 0) return;
    const auto defining = static_cast<std::size_t>(schema_.defining_stream);
    sequence_.sample_count = counts_[defining].sample_count;
    if (sequence_.sample_count > 0) return;
    has_sequence_ = false;
    warnings_.dropped_sequence(kDroppedSequence, row.offset, row.line, schema_.streams[defining]);
  }

  void count_line(const Row& row) {
    if (schema_.warns_of_unknown) note_unknown(row, line_, schema_, warnings_);
    for (const Field& field : line_.fields()) {
      const std::int64_t stream = field.is_repeated ? -1 : schema_.stream_of(field.name);
      if (stream < 0) continue;
      const auto i = static_cast<std::size_t>(stream);
      counts_[i] = counts_of(field, schema_.streams[i]);
    }
    quick_.learn(line_.fields());
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
  QuickRow quick_;
  std::vector<internal::ColumnWriter> columns_;  // values of a row, to count them
  bool has_sequence_ = false;
  ChunkBuilder::Sequence sequence_;   // the current sequence
  std::vector<StreamCounts> counts_;  // [stream]: in the current sequence
  std::vector<StreamCounts> quick_counts_;
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
