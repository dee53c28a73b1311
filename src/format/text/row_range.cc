#include "format/text/row_range.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "format/text/text_chunks.h"

namespace sheaf::internal {
namespace {

// Extrapolation starts after 1/kExtrapolatedFrom of a block.
constexpr std::int64_t kExtrapolatedFrom = 16;

}  // namespace

RowRange::RowRange(const ByteSource& source, const TextSchema& schema, const ScannedIndex& index,
                   const ChunkRange& range)
    : source_(source),
      schema_(schema),
      index_(index),
      table_(index.sequences(range.chunk)),
      chunk_(*index.chunk(range.chunk)),
      notes_(index.notes(range.chunk)),
      first_(range.first),
      last_(range.count < table_->size() - first_ ? first_ + range.count : table_->size()),
      begin_offset_(chunk_.offset_bytes + table_->offset_bytes(first_)),
      end_offset_(chunk_.offset_bytes +
                  (last_ == table_->size() ? chunk_.size_bytes : table_->offset_bytes(last_))),
      rows_(source, begin_offset_, end_offset_, chunk_.first_line + table_->first_line(first_),
            schema.read_size_bytes, RowReader::kAnySize, schema.delimiter),
      units_(chunk_),
      sequence_(range.first - 1) {
  if (notes_->unit_hashes.empty()) return;
  const std::int64_t unit = units_.of(first_);
  move_to_unit(units_.first(unit) < first_ ? unit + 1 : unit);
}

RowRange::RowRange(const ByteSource& source, const TextSchema& schema, const ScannedIndex& index,
                   const ScanPart& part)
    : source_(source),
      schema_(schema),
      index_(index),
      block_(part.block),
      begin_offset_(part.begin),
      end_offset_(part.end),
      rows_(source, part.begin, part.end, part.first_line, schema.read_size_bytes,
            schema.row_size_max_bytes, schema.delimiter),
      units_(1, 1),
      sequence_(-1),
      extrapolate_at_(part.begin + (part.end - part.begin) / kExtrapolatedFrom + 1) {}

void RowRange::move_to_unit(std::int64_t unit) noexcept {
  next_unit_ = unit;
  next_unit_first_ = unit <= units_.count() ? units_.first(unit) : -1;
}

void RowRange::note_sequence(const Row& row) {
  std::pmr::vector<ChunkBuilder::Sequence>& noted = block_->sequences;
  if (!noted.empty()) noted.back().end = row.offset;
  noted.push_back({.key = key_,
                   .offset = row.offset,
                   .end = end_offset_,
                   .line = row.line,
                   .sample_count = 0,
                   .key_text_size = 0});
  sequence_offset_ = row.offset;
  ++sequence_;
}

bool RowRange::begin_sequence(const Row& row, const SequenceKey& key) {
  if (block_ != nullptr) {
    key_ = key;
    note_sequence(row);
    return true;
  }
  const std::int64_t next = sequence_ + 1;
  const std::int64_t next_offset =
      next < last_ ? chunk_.offset_bytes + table_->offset_bytes(next) : end_offset_;
  // The index leaves out sequences without the stream that defines the size.
  const bool may_drop = schema_.may_drop || schema_.defining_stream >= 0;
  if (row.offset < next_offset && may_drop) return false;
  if (next >= last_ || row.offset != next_offset || key != table_->key(next)) {
    throw_changed(row.line);
  }
  sequence_ = next;
  key_ = key;
  if (next_unit_first_ == sequence_) {
    check_hash();
    rows_.start_hash();
    is_hashing_ = true;
    move_to_unit(next_unit_ + 1);
  }
  return true;
}

void RowRange::end() {
  if (block_ != nullptr) {
    block_->row_count = rows_.row_count();
    return;
  }
  if (sequence_ + 1 != last_) throw_changed(first_line());
  if (next_unit_first_ == last_) check_hash();
}

// Checks the hash of the unit that ends here.
void RowRange::check_hash() {
  if (!is_hashing_) return;
  const std::uint64_t hash = rows_.hash();
  if (hash == notes_->unit_hashes[static_cast<std::size_t>(next_unit_ - 1)]) return;
  throw_changed(first_line());
}

// Returns the samples of the stream that defines the size, or else of the longest stream.
std::int64_t RowRange::sample_count_of(const Chunk& chunk, std::int64_t number) const {
  if (schema_.defining_stream >= 0) {
    return chunk.view(schema_.defining_stream, number).sample_count;
  }
  std::int64_t longest = 0;
  for (std::int64_t i = 0; i < chunk.stream_count(); ++i) {
    longest = std::max(longest, chunk.view(i, number).sample_count);
  }
  return longest;
}

void RowRange::check_sample_counts(const Chunk& chunk) const {
  if (block_ != nullptr || !index_.has_file()) return;
  const auto has_one_each = [](const Column& column) { return column.sequence_offsets.empty(); };
  if (table_->sample_counts().constant() == 1 &&
      std::ranges::all_of(chunk.columns(), has_one_each)) {
    return;
  }
  for (std::int64_t i = 0; i < chunk.sequence_count(); ++i) {
    if (sample_count_of(chunk, i) != table_->sample_count(first_ + i) && !chunk.is_hole(i)) {
      throw_changed(chunk_.first_line + table_->first_line(first_ + i));
    }
  }
}

void RowRange::reserve(std::vector<ColumnWriter>& columns) const {
  if (block_ != nullptr) return;
  const bool is_whole = first_ == 0 && last_ == table_->size();
  const std::int64_t bytes = end_offset_ - begin_offset_;
  const auto share = [&](std::int64_t count) {
    if (is_whole) return count;
    const double part = static_cast<double>(bytes) / static_cast<double>(chunk_.size_bytes);
    return std::min(count,
                    static_cast<std::int64_t>(1.06 * part * static_cast<double>(count)) + 16);
  };
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Stream& stream = schema_.streams[i];
    const std::int64_t samples = share(notes_->streams[i].sample_count);
    if (stream.storage == Storage::sparse || !stream.sample_shape.is_fixed()) {
      columns[i].reserve(samples, share(notes_->streams[i].pair_count));
      continue;
    }
    // Two bytes of text make at most one value, whatever the options say, unless the format fills
    // up samples.
    const std::int64_t size = stream.sample_shape.size();
    const std::int64_t values_max = schema_.fills_up ? std::int64_t{1} << 40 : bytes / 2 + 1;
    columns[i].reserve(samples, samples > values_max / size ? bytes / 2 + 1 : samples * size);
  }
}

void RowRange::extrapolate_now(std::vector<ColumnWriter>& columns) {
  const auto seen = static_cast<double>(sequence_offset_ - begin_offset_);
  const double factor = static_cast<double>(end_offset_ - begin_offset_) / seen;
  for (ColumnWriter& column : columns) column.reserve_times(1.02 * factor);
  block_->sequences.reserve(
      static_cast<std::size_t>(1.02 * factor * static_cast<double>(block_->sequences.size())));
  extrapolate_at_ = std::numeric_limits<std::int64_t>::max();
}

void keep_decoded(const TextSchema& schema, Chunk chunk, ScannedBlock& block) {
  std::vector<StreamCounts> counts(schema.streams.size());
  block.counts.reserve(block.sequences.size() * schema.streams.size());
  for (std::size_t k = 0; k < block.sequences.size(); ++k) {
    ChunkBuilder::Sequence& sequence = block.sequences[k];
    const auto number = static_cast<std::int64_t>(k);
    for (std::int64_t i = 0; i < chunk.stream_count(); ++i) {
      const SequenceView view = chunk.view(i, number);
      const auto stream = static_cast<std::size_t>(i);
      const bool has_sizes =
          view.indices != nullptr || !schema.streams[stream].sample_shape.is_fixed();
      counts[stream] = {view.sample_count, has_sizes ? view.value_count : 0};
      sequence.sample_count = std::max(sequence.sample_count, view.sample_count);
    }
    block.add_counts(sequence, counts);
    if (schema.has_text_keys) sequence.key_text_size = std::ssize(chunk.key_text(number));
  }
  block.chunk = std::move(chunk);
}

bool RowRange::is_repeated() const noexcept {
  if (block_ != nullptr) return false;  // the index finds repeated keys later
  return std::ranges::binary_search(notes_->repeated, sequence_);
}

void RowRange::throw_changed(std::int64_t line) const {
  index_.forget_file();
  throw_changed_since_indexed(source_.name(), line);
}

void DiagnosticWriter::add(const RowRange& range, std::string_view key_text, Diagnostic diagnostic,
                           const ErrorKind& kind, const Stream* stream, std::string expected,
                           std::string found, std::string hint) {
  if (wants_text(diagnostic.severity)) {
    diagnostic.path = source_.name();
    diagnostic.sequence_key = key_text.empty() ? to_string(range.key()) : std::string(key_text);
    diagnostic.code = kind.code;
    if (stream != nullptr) diagnostic.stream = stream->name;
    diagnostic.expected = std::move(expected);
    diagnostic.found = std::move(found);
    diagnostic.hint = std::move(hint);
  }
  diagnostics_.add(range.sequence(), std::move(diagnostic));
}

Diagnostic DiagnosticWriter::at(const Row& row, const char* location, std::int64_t size,
                                Severity severity) const {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.line = row.line;
  diagnostic.column = location - row.begin + 1;
  diagnostic.byte_offset = row.offset_of(location);
  if (wants_text(severity)) set_excerpt(diagnostic, row.text(), location - row.begin, size);
  return diagnostic;
}

Diagnostic DiagnosticWriter::at_sequence(const RowRange& range, Severity severity) const {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.line = range.first_line();
  diagnostic.column = 1;
  diagnostic.byte_offset = range.offset();
  if (wants_text(severity)) {
    constexpr std::int64_t kExcerptSize = 128;
    std::array<char, kExcerptSize> bytes{};
    const std::int64_t size = std::min(kExcerptSize, range.end_offset() - diagnostic.byte_offset);
    const auto into = std::span(bytes).first(static_cast<std::size_t>(size));
    source_.read_at(diagnostic.byte_offset, std::as_writable_bytes(into));
    const std::string_view text(into.data(), into.size());
    const std::string_view row = text.substr(0, text.find('\n'));
    set_excerpt(diagnostic, row.substr(0, row.find_last_not_of('\r') + 1), 0, 1);
  }
  return diagnostic;
}

}  // namespace sheaf::internal
