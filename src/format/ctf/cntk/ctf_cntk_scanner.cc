#include "format/ctf/cntk/ctf_cntk_scanner.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sheaf/error.h"

#include "format/ctf/cntk/ctf_cntk_rows.h"
#include "format/ctf/ctf_errors.h"

namespace sheaf::ctf {
namespace {

class CntkScanner final : public Scanner {
 public:
  CntkScanner(const ByteSource& source, const Schema& schema, KeyMode mode, const ScanPart& part)
      : source_(source),
        schema_(schema),
        warnings_(source),
        part_(part),
        rows_(source, part.begin, part.end, part.first_line, schema.read_size_bytes,
              schema.row_size_max_bytes),
        grouper_(mode),
        builder_(schema, part.chunk_size_bytes),
        counts_(schema.streams.size()) {}

  std::optional<ScannedChunk> next() override {
    while (rows_.next(row_)) {
      const CntkHead head = grouper_.next(row_, rows_.has_row_end());
      if (head.overflows) throw_overflow(row_, head);
      if (!head.is_row) continue;
      std::optional<ScannedChunk> chunk;
      if (head.begins) {
        chunk = end_sequence(row_.offset);
        begin_sequence(row_);
      }
      add_row(row_, head);
      if (chunk) return chunk;
    }
    std::optional<ScannedChunk> chunk = end_sequence(part_.end);
    if (!chunk) chunk = builder_.finish();
    if (!chunk && !has_kept_) refuse_if_all_dropped();
    return chunk;
  }

  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return warnings_.list(); }

 private:
  void begin_sequence(const Row& row) {
    has_sequence_ = true;
    sequence_.key = grouper_.key();
    sequence_.offset = row.offset;
    sequence_.line = row.line;
    sequence_.sample_count = 0;
    sequence_.key_text_size = std::ssize(grouper_.key_text());
    std::ranges::fill(counts_, StreamCounts{});
  }

  void add_row(const Row& row, const CntkHead& head) {
    count_samples(row, std::min(head.items, row.end));
    const std::int64_t defining = schema_.defining_stream;
    if (defining < 0 || has_cntk_name(row, schema_.names.name(defining))) {
      ++sequence_.sample_count;
    }
  }

  /// Counts all samples, right or wrong, to predict the memory of the chunk.
  void count_samples(const Row& row, const char* p) {
    const StreamNames& names = schema_.names;
    std::int64_t expected = 0;  // rows repeat the order of their streams
    for (p = find_bar(p, row.end); p != row.end; p = find_bar(p, row.end)) {
      const char* const bar = p++;
      std::int64_t stream = expected;
      const std::int64_t size = names.name_size(expected);
      if (size < row.end - p && is_blank(p[size]) && names.matches(expected, p)) {
        p += size;
      } else {
        if (ends_cntk_value(p, row.end) || *p == '#') continue;
        while (!ends_cntk_value(p, row.end)) ++p;
        stream = names.find({bar + 1, static_cast<std::size_t>(p - bar - 1)});
      }
      if (stream == StreamNames::kUnknown) {
        warnings_.unknown_stream(kUnknownStream, row, bar, p);
        continue;
      }
      StreamCounts& counts = counts_[static_cast<std::size_t>(stream)];
      ++counts.sample_count;
      p = count_until(p, row.end, '|', ':', counts.pair_count);
      expected = stream + 1 == names.size() ? 0 : stream + 1;
    }
  }

  std::optional<ScannedChunk> end_sequence(std::int64_t end) {
    if (!std::exchange(has_sequence_, false)) return std::nullopt;
    sequence_.end = end;
    if (sequence_.sample_count == 0) {
      const auto defining = static_cast<std::size_t>(schema_.defining_stream);
      warnings_.dropped_sequence(kDroppedSequence, sequence_.offset, sequence_.line,
                                 schema_.streams[defining]);
      has_dropped_ = true;
      return std::nullopt;
    }
    has_kept_ = true;
    return builder_.add(sequence_, counts_);
  }

  /// CNTK refuses a file without any row that counts. A part of a file may have no such row.
  void refuse_if_all_dropped() const {
    if (!has_dropped_ || part_.end != source_.size()) return;
    const auto defining = static_cast<std::size_t>(schema_.defining_stream);
    Diagnostic diagnostic;
    diagnostic.severity = Severity::fatal;
    diagnostic.path = source_.name();
    diagnostic.line = 1;
    diagnostic.column = 1;
    diagnostic.stream = schema_.streams[defining].name;
    diagnostic.code = kAllDropped.code;
    diagnostic.expected = kAllDropped.expected;
    diagnostic.found = "none";
    throw DataError({std::move(diagnostic)});
  }

  [[noreturn]] void throw_overflow(const Row& row, const CntkHead& head) const {
    Diagnostic diagnostic;
    diagnostic.severity = Severity::fatal;
    diagnostic.path = source_.name();
    diagnostic.line = row.line;
    diagnostic.column = row.offset == part_.begin ? part_.first_column : 1;
    diagnostic.byte_offset = row.offset;
    diagnostic.code = kIdRange.code;
    diagnostic.expected = kIdRange.expected;
    diagnostic.found = quoted({row.begin, static_cast<std::size_t>(head.items - row.begin)});
    set_excerpt(diagnostic, row.text(), 0, head.items - row.begin);
    throw DataError({std::move(diagnostic)});
  }

  const ByteSource& source_;
  const Schema& schema_;
  ScanWarnings warnings_;
  ScanPart part_;
  RowReader rows_;
  CntkGrouper grouper_;
  ChunkBuilder builder_;

  Row row_;  // the current row
  bool has_sequence_ = false;
  bool has_kept_ = false;             // a sequence has a row that counts
  bool has_dropped_ = false;          // a sequence has none
  ChunkBuilder::Sequence sequence_;   // the current sequence
  std::vector<StreamCounts> counts_;  // [stream]: in the current sequence
};

}  // namespace

std::unique_ptr<Scanner> make_cntk_scanner(const ByteSource& source, const Schema& schema,
                                           KeyMode mode, const ScanPart& part) {
  return std::make_unique<CntkScanner>(source, schema, mode, part);
}

}  // namespace sheaf::ctf
