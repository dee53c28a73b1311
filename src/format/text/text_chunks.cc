#include "format/text/text_chunks.h"

#include <algorithm>

#include "sheaf/error.h"

#include "base/text.h"
#include "format/text/file_checks.h"

namespace sheaf::internal {

void throw_changed_since_indexed(std::string_view name, std::int64_t line) {
  throw IoError(
      formatted("{}: near line {}: not what was there when it was indexed; the file has changed "
                "since, at this line or before: index it anew (sheaf index {})",
                name, line, name));
}

std::unique_ptr<Scanner> TextChunks::scan() const { return parts_.make_scanner(parts_.rows); }

std::int64_t TextChunks::stored_bytes(std::int64_t offset_bytes) const noexcept {
  const std::int64_t size = parts_.source->size();
  const std::int64_t stored = parts_.source->stored_size_bytes();
  if (stored == size || size == 0) return offset_bytes;
  if (offset_bytes == size) return stored;
  const double share = static_cast<double>(offset_bytes) / static_cast<double>(size);
  return static_cast<std::int64_t>(share * static_cast<double>(stored));
}

std::int64_t TextChunks::scan_bytes() const noexcept {
  return long_row_bytes(parts_.options.memory_limit_bytes.value_or(0));
}

SequenceTable TextChunks::find_again(const ChunkInfo& chunk, std::int64_t sequences_before) const {
  const std::unique_ptr<Scanner> scanner =
      parts_.make_scanner({.begin = chunk.offset_bytes,
                           .end = chunk.offset_bytes + chunk.size_bytes,
                           .first_line = chunk.first_line,
                           .first_sequence = sequences_before,
                           .chunk_size_bytes = parts_.source->size()});
  std::optional<ScannedChunk> scanned = scanner->next();
  if (!scanned || scanned->sequences.size() != chunk.sequence_count) throw_changed(chunk);
  return std::move(scanned->sequences);
}

bool TextChunks::is_worth_all_threads(const std::optional<ChunkInfo>& last,
                                      int thread_count) const {
  if (!parts_.blocks) return false;
  const std::int64_t block = BlockScan::kReadsPerBlock * parts_.blocks->schema->read_size_bytes;
  const std::int64_t size = parts_.rows.end - parts_.rows.begin;
  if (size < 2 * block) return false;
  if (!last) return true;
  const std::int64_t rest = parts_.rows.end - last->offset_bytes - last->size_bytes;
  return rest >= size / std::max(2, thread_count);
}

ScanResult TextChunks::scan_all(Executor& executor, DecodedSink* sink,
                                const std::function<void(ScannedChunk)>& take) const {
  const ScanPart& rows = parts_.rows;
  const std::int64_t chunk_count = (rows.end - rows.begin) / rows.chunk_size_bytes;
  const bool decodes = sink != nullptr && chunk_count < sink->chunk_count_max();
  BlockScan scan(*parts_.blocks, rows, *parts_.source, take,
                 parts_.options.memory_limit_bytes.value_or(0));
  scan.run(executor, decodes ? sink : nullptr);
  return {.warnings = scan.warnings().list(),
          .decoded = decodes ? scan.take_ranges() : std::vector<DecodedRange>()};
}

void TextChunks::throw_changed(const ChunkInfo& chunk) const {
  throw_changed_since_indexed(parts_.source->name(), chunk.first_line);
}

FileContents TextChunks::contents_of(const IndexFile& file) const {
  FileContents contents;
  std::optional<FileNotes> notes = file_notes_from_json(file.notes(), parts_.source->name());
  contents.fault = notes ? fault_of(file) : "its notes make no sense";
  if (!notes) return contents;
  contents.warnings = notes->warnings;
  if (parts_.found && parts_.found != notes->found) {
    notes->found = parts_.found;
    contents.new_notes = to_json(*notes);
  }
  return contents;
}

// Returns a description of the fault in the chunks of the file, or an empty text if there is none.
std::string TextChunks::fault_of(const IndexFile& file) const {
  std::string fault = fault_of_chunks(file, parts_.rows, parts_.may_drop, parts_.fills_up);
  if (!fault.empty()) return fault;
  // Comments and empty rows may precede the first chunk.
  ScanPart front = parts_.rows;
  if (file.chunk_count() > 0) front.end = file.info(0).offset_bytes;
  if (front.begin < front.end && parts_.make_scanner(front)->next()) {
    return "there are data before its chunks";
  }
  return {};
}

bool TextChunks::fits(const ChunkInfo& chunk, const SequenceTable& sequences,
                      const ChunkNotes& notes) const {
  return internal::fits(chunk, sequences, !parts_.cost_name.empty()) &&
         internal::fits(chunk, notes, parts_.stream_count, parts_.fills_up);
}

std::string TextChunks::notes_for_file(const std::vector<Diagnostic>& warnings) const {
  return to_json({.warnings = warnings, .found = parts_.found});
}

}  // namespace sheaf::internal
