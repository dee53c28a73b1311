#include "format/libsvm/libsvm_scanner.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/text_scan.h"
#include "format/text/scanned_block.h"

namespace sheaf::libsvm {
namespace {

using internal::ChunkBuilder;
using internal::ScannedChunk;
using internal::StreamCounts;

class LibsvmScanner final : public internal::Scanner {
 public:
  LibsvmScanner(const ByteSource& source, const Schema& schema, KeyMode mode,
                const internal::ScanPart& part)
      : block_(part.block),
        end_(part.end),
        rows_(source, part.begin, part.end, part.first_line, schema.read_size_bytes,
              schema.row_size_max_bytes),
        grouper_(mode, static_cast<std::uint64_t>(part.first_sequence)),
        builder_(schema, part),
        counts_(schema.streams.size()) {
    const auto counts_of = [&](std::int64_t stream) -> StreamCounts* {
      if (stream < 0) return nullptr;
      const auto i = static_cast<std::size_t>(stream);
      return schema.streams[i].storage == Storage::sparse ? &counts_[i] : nullptr;
    };
    labels_ = counts_of(schema.label);
    pairs_ = counts_of(schema.features);
  }

  std::optional<ScannedChunk> next() override {
    Row row;
    while (rows_.next(row)) {
      const Head head = grouper_.next(row);
      if (!head.is_data) continue;
      std::optional<ScannedChunk> chunk;
      if (head.begins) {
        chunk = end_sequence(row.offset);
        has_sequence_ = true;
        sequence_ = {.key = grouper_.key(),
                     .offset = row.offset,
                     .end = 0,
                     .line = row.line,
                     .sample_count = 0,
                     .key_text_size = 0};
      }
      count(row, head);
      if (chunk) return chunk;
    }
    if (block_ != nullptr) block_->row_count = rows_.row_count();
    // If the last sequence has a chunk of its own, next() is called once more.
    std::optional<ScannedChunk> chunk = end_sequence(end_);
    return chunk ? std::move(chunk) : builder_.finish();
  }

  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return {}; }

 private:
  void count(const Row& row, const Head& head) {
    ++sequence_.sample_count;
    if (labels_ != nullptr && !head.label.empty()) {
      labels_->pair_count += 1 + std::count(head.label.begin, head.label.end, ',');
    }
    if (pairs_ != nullptr) {
      static_cast<void>(internal::count_until(head.pairs, row.end, '#', ':', pairs_->pair_count));
    }
  }

  /// Puts the current sequence, which ends at `end`, into the chunk.
  std::optional<ScannedChunk> end_sequence(std::int64_t end) {
    if (!std::exchange(has_sequence_, false)) return std::nullopt;
    sequence_.end = end;
    for (StreamCounts& counts : counts_) counts.sample_count = sequence_.sample_count;
    std::optional<ScannedChunk> chunk = builder_.add(sequence_, counts_);
    std::ranges::fill(counts_, StreamCounts{});
    return chunk;
  }

  internal::ScannedBlock* block_;
  std::int64_t end_;
  RowReader rows_;
  SequenceGrouper grouper_;
  ChunkBuilder builder_;
  bool has_sequence_ = false;
  ChunkBuilder::Sequence sequence_;   // the current sequence
  std::vector<StreamCounts> counts_;  // [stream]: in the current sequence
  StreamCounts* labels_ = nullptr;    // element of counts_, if that stream is sparse
  StreamCounts* pairs_ = nullptr;
};

}  // namespace

std::int64_t find_start(const ByteSource& source, const Schema& schema, KeyMode mode,
                        std::int64_t from, std::int64_t to) {
  const std::int64_t first = internal::find_row(source, from, to);
  if (first == to) return to;
  RowReader rows(source, first, source.size(), 1,
                 std::min(schema.read_size_bytes, RowReader::kProbeSizeBytes),
                 schema.row_size_max_bytes);
  SequenceGrouper grouper(mode, 0);
  Row row;
  bool is_certain = mode == KeyMode::rows;
  while (rows.next(row) && row.offset < to) {
    const Head head = grouper.next(row);
    if (head.begins && is_certain) return row.offset;
    is_certain =
        is_certain || head.qid_code == Head::Qid::good;  // the rows before no longer matter
  }
  return to;
}

std::unique_ptr<internal::Scanner> make_scanner(const ByteSource& source, const Schema& schema,
                                                KeyMode mode, const internal::ScanPart& part) {
  return std::make_unique<LibsvmScanner>(source, schema, mode, part);
}

}  // namespace sheaf::libsvm
