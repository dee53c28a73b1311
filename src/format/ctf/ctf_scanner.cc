// One pass over the rows finds the sequences. The scanner looks at names and bars only, never at
// values. So a sequence has as many samples as rows that name the stream, right or wrong. The
// parser counts with the same tokens.

#include "format/ctf/ctf_scanner.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text.h"
#include "format/ctf/cntk/ctf_cntk_scanner.h"
#include "format/ctf/ctf_errors.h"
#include "format/ctf/ctf_short_rows.h"
#include "format/text/field_kernels.h"
#include "format/text/scanned_block.h"

namespace sheaf::ctf {
namespace {

class StrictScanner final : public Scanner {
 public:
  StrictScanner(const ByteSource& source, const Schema& schema, KeyMode mode, const ScanPart& part)
      : schema_(schema),
        block_(part.block),
        own_warnings_(source),
        warnings_(part.block != nullptr ? part.block->warnings : own_warnings_),
        end_(part.end),
        notes_ids_(mode == KeyMode::lines && !schema.skips_ids),
        rows_(source, part.begin, part.end, part.first_line, schema.read_size_bytes,
              schema.row_size_max_bytes),
        grouper_(mode, schema.has_text_keys),
        builder_(schema, part),
        short_rows_(schema),
        last_line_(schema.streams.size()),
        counts_(schema.streams.size()) {
    for (const Stream& stream : schema.streams) {
      is_sparse_.push_back(stream.storage == Storage::sparse ? 1 : 0);
    }
  }

  std::optional<ScannedChunk> next() override {
    while (rows_.next(row_)) {
      grouper_.next(row_, head_);
      if (!head_.is_data) continue;
      if (!head_.begins) {
        visit_row();
        continue;
      }
      std::optional<ScannedChunk> chunk = end_sequence(row_.offset);
      begin_sequence(row_);
      if (head_.has_id && notes_ids_) {
        warnings_.ignored_id(kIgnoredId, row_, head_.id_begin, head_.id_end);
      }
      visit_row();
      if (chunk) return chunk;
    }
    if (block_ != nullptr) block_->row_count = rows_.row_count();
    // If the last sequence has a chunk of its own, next() is called once more.
    std::optional<ScannedChunk> chunk = end_sequence(end_);
    return chunk ? std::move(chunk) : builder_.finish();
  }

  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return warnings_.list(); }

  // The visitor of visit_items().
  const char* sample(const char* /*bar*/, std::int64_t stream, const char* body, const char* end) {
    const auto i = static_cast<std::size_t>(stream);
    short_rows_.note(stream);
    StreamCounts& counts = counts_[i];
    if (std::exchange(last_line_[i], row_.line) != row_.line) ++counts.sample_count;
    if (is_sparse_[i] == 0) return find_bar(body, end);
    // Most short samples end before a kernel call would pay off.
    for (int words = 0; words < 2; ++words, body += 8) {
      const std::uint64_t word = load_word(body);
      if (end - body <= 8 || bytes_equal(word, '|') != 0) {
        return count_until(body, end, '|', ':', counts.pair_count);
      }
      counts.pair_count += internal::count_marks(bytes_equal(word, ':'));
    }
    return kernels_.count_until(body, end, '|', ':', counts.pair_count);
  }
  void unknown(const char* bar, const char* name_end) {
    warnings_.unknown_stream(kUnknownStream, row_, bar, name_end);
  }
  void nameless(const char* /*bar*/) {}
  void stray(const char* /*location*/) {}
  void control(const char* /*location*/) {}

 private:
  // Visits the current row, and the short rows after it.
  void visit_row() {
    visit_items(row_, head_, schema_.names, *this);
    const std::string& id = grouper_.key_text();
    if (!short_rows_.learn(row_) || id.empty()) return;
    const ShortRows::Run run =
        short_rows_.take(rows_.ahead(), id, std::numeric_limits<std::int64_t>::max(),
                         [](std::size_t, std::int64_t, std::uint64_t, int) { return true; });
    rows_.pass_over(run.end, run.row_count);
    for (std::size_t i = 0; i < short_rows_.item_count(); ++i) {
      const std::size_t stream = short_rows_.stream(i);
      last_line_[stream] = row_.line + run.row_count;
      counts_[stream].sample_count += run.row_count;
      counts_[stream].pair_count += run.row_count;
    }
  }

  void begin_sequence(const Row& row) {
    has_sequence_ = true;
    sequence_.key = grouper_.key();
    sequence_.offset = row.offset;
    sequence_.line = row.line;
    sequence_.key_text_size = std::ssize(grouper_.key_text());
    std::ranges::fill(counts_, StreamCounts{});
  }

  /// Puts the current sequence, which ends at `end`, into the chunk, or drops it.
  std::optional<ScannedChunk> end_sequence(std::int64_t end) {
    if (!std::exchange(has_sequence_, false)) return std::nullopt;
    sequence_.end = end;
    sequence_.sample_count = 0;
    for (const StreamCounts& counts : counts_) {
      sequence_.sample_count = std::max(sequence_.sample_count, counts.sample_count);
    }
    if (schema_.defining_stream >= 0) {
      const auto defining = static_cast<std::size_t>(schema_.defining_stream);
      sequence_.sample_count = counts_[defining].sample_count;
      if (sequence_.sample_count == 0) {
        warnings_.dropped_sequence(kDroppedSequence, sequence_.offset, sequence_.line,
                                   schema_.streams[defining]);
        return std::nullopt;
      }
    }
    return builder_.add(sequence_, counts_);
  }

  const internal::FieldKernels& kernels_ = internal::field_kernels();
  const Schema& schema_;
  internal::ScannedBlock* block_;
  ScanWarnings own_warnings_;
  ScanWarnings& warnings_;
  std::int64_t end_;
  bool notes_ids_;
  RowReader rows_;
  SequenceGrouper grouper_;
  ChunkBuilder builder_;
  std::vector<char> is_sparse_;
  ShortRows short_rows_;

  Row row_;    // the current row
  Head head_;  // its head
  bool has_sequence_ = false;
  ChunkBuilder::Sequence sequence_;      // the current sequence
  std::vector<std::int64_t> last_line_;  // [stream]: line of the last row that names it
  std::vector<StreamCounts> counts_;     // [stream]: in the current sequence
};

}  // namespace

std::int64_t find_start(const ByteSource& source, const Schema& schema, KeyMode mode,
                        std::int64_t from, std::int64_t to) {
  const std::int64_t first = internal::find_row(source, from, to);
  if (first == to) return to;
  RowReader rows(source, first, source.size(), 1,
                 std::min(schema.read_size_bytes, RowReader::kProbeSizeBytes),
                 schema.row_size_max_bytes);
  SequenceGrouper grouper(mode, schema.has_text_keys);
  Row row;
  Head head;
  bool is_certain = mode == KeyMode::lines;
  while (rows.next(row) && row.offset < to) {
    grouper.next(row, head);
    if (head.begins && is_certain) return row.offset;
    is_certain = is_certain || head.has_id;  // the rows before no longer matter
  }
  return to;
}

std::unique_ptr<Scanner> make_scanner(const ByteSource& source, const Schema& schema, KeyMode mode,
                                      const ScanPart& part) {
  if (schema.is_cntk) return make_cntk_scanner(source, schema, mode, part);
  return std::make_unique<StrictScanner>(source, schema, mode, part);
}

}  // namespace sheaf::ctf
