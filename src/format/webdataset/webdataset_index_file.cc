// A record has about ten thousand sequences. Its table has the keys, the locations, and the number
// of images in each sequence. Its extra numbers are the patterns of all sequences, then the bytes
// after each sequence, and then the pixels of each sequence.

#include "format/webdataset/webdataset_index_file.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <span>
#include <system_error>
#include <utility>

#include "sheaf/extend/index.h"

#include "base/text.h"
#include "format/webdataset/webdataset_errors.h"
#include "index/index_file.h"
#include "index/index_file_keeper.h"

namespace sheaf::webdataset {
namespace {

using internal::IndexFile;
using internal::IndexFileKeeper;
using internal::IndexRecord;

constexpr std::size_t kRecordSequences = 1 << 14;

/// Takes lines and numbers from the front of a text.
class NotesReader {
 public:
  explicit NotesReader(std::string_view text) : text_(text) {}

  [[nodiscard]] std::optional<std::string_view> line() {
    const std::size_t end = text_.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return line;
  }
  [[nodiscard]] std::optional<std::int64_t> number() {
    const std::optional<std::string_view> text = line();
    return text ? number_of(*text) : std::nullopt;
  }
  [[nodiscard]] std::string_view rest() const noexcept { return text_; }

  [[nodiscard]] static std::optional<std::int64_t> number_of(std::string_view text) {
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || value < 0) return std::nullopt;
    return value;
  }

 private:
  std::string_view text_;
};

// Parses "0 2 3": ascending numbers of suffixes.
std::optional<Pattern> pattern_of(std::string_view line, std::size_t suffix_count) {
  Pattern pattern;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::optional<std::int64_t> number = NotesReader::number_of(line.substr(0, end));
    if (!number || *number >= static_cast<std::int64_t>(suffix_count)) return std::nullopt;
    if (!pattern.empty() && *number <= pattern.back()) return std::nullopt;
    pattern.push_back(static_cast<std::int32_t>(*number));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return pattern;
}

IndexRecord record_of(std::span<const ScannedSequence> sequences, std::int64_t end_bytes) {
  IndexRecord record;
  record.info.offset_bytes = sequences.front().begin_bytes;
  record.info.size_bytes = end_bytes - record.info.offset_bytes;
  record.info.sequence_count = std::ssize(sequences);
  SequenceTable::Builder table;
  for (const ScannedSequence& each : sequences) {
    table.push_back({.key = each.key,
                     .offset_bytes = each.begin_bytes - record.info.offset_bytes,
                     .sample_count = each.image_count});
    record.info.sample_count += each.image_count;
    record.extra.push_back(each.pattern);
  }
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const std::int64_t next = i + 1 < sequences.size() ? sequences[i + 1].begin_bytes : end_bytes;
    record.extra.push_back(next - sequences[i].end_bytes);
  }
  for (const ScannedSequence& each : sequences) record.extra.push_back(each.pixel_count);
  record.sequences = std::make_shared<const SequenceTable>(table.finish());
  return record;
}

// Appends the sequences of a record. Returns false if the numbers of the record make no sense.
bool append_sequences(const IndexRecord& record, ShardScan& scan) {
  const SequenceTable& table = *record.sequences;
  const std::int64_t count = table.size();
  if (std::ssize(record.extra) != 3 * count) return false;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t begin = table.offset_bytes(i);
    const std::int64_t next = i + 1 < count ? table.offset_bytes(i + 1) : record.info.size_bytes;
    const std::int64_t pattern = record.extra[static_cast<std::size_t>(i)];
    const std::int64_t gap = record.extra[static_cast<std::size_t>(count + i)];
    const std::int64_t pixels = record.extra[static_cast<std::size_t>(2 * count + i)];
    const bool is_likely = pattern >= 0 && pattern < std::ssize(scan.patterns) && gap >= 0 &&
                           begin >= 0 && next - begin > gap && table.sample_count(i) >= 0 &&
                           pixels >= 0;
    if (!is_likely) return false;
    scan.sequences.push_back({.key = table.key(i),
                              .begin_bytes = record.info.offset_bytes + begin,
                              .end_bytes = record.info.offset_bytes + next - gap,
                              .image_count = table.sample_count(i),
                              .pattern = pattern,
                              .pixel_count = pixels});
  }
  return true;
}

ShardScan loaded(const IndexFileKeeper& keeper) {
  const IndexFile& file = *keeper.file();
  ShardScan scan = *scan_of_notes(file.notes());
  for (std::int64_t i = 0; i < file.chunk_count(); ++i) {
    ShardScan part;
    static_cast<void>(keeper.read(i, [&](const IndexRecord& record) {
      part.patterns = scan.patterns;
      return append_sequences(record, part);
    }));
    scan.sequences.insert(scan.sequences.end(), part.sequences.begin(), part.sequences.end());
  }
  return scan;
}

void write(const ShardScan& scan, IndexFileKeeper& keeper) {
  keeper.begin_writing();
  const std::span<const ScannedSequence> all = scan.sequences;
  for (std::size_t first = 0; first < all.size() && keeper.is_writing();
       first += kRecordSequences) {
    const std::size_t count = std::min(kRecordSequences, all.size() - first);
    const std::size_t next = first + count;
    const std::int64_t end = next < all.size() ? all[next].begin_bytes : all.back().end_bytes;
    keeper.add(record_of(all.subspan(first, count), end));
  }
  keeper.finish_writing(notes_of(scan));
}

}  // namespace

std::string notes_of(const ShardScan& scan) {
  std::string notes = formatted("{}\n", scan.suffixes.size());
  for (const std::string& suffix : scan.suffixes) notes += suffix + '\n';
  notes += formatted("{}\n", scan.patterns.size());
  for (const Pattern& pattern : scan.patterns) {
    std::string line;
    for (const std::int32_t number : pattern) {
      line += formatted("{}{}", line.empty() ? "" : " ", number);
    }
    notes += line + '\n';
  }
  notes += formatted("{}\n{}\n{}\n", scan.no_suffix_count, scan.link_count,
                     scan.first_without_suffix.size());
  return notes + scan.first_without_suffix + scan.first_link;
}

std::optional<ShardScan> scan_of_notes(std::string_view notes) {
  NotesReader reader(notes);
  ShardScan scan;
  const std::optional<std::int64_t> suffix_count = reader.number();
  if (!suffix_count) return std::nullopt;
  for (std::int64_t i = 0; i < *suffix_count; ++i) {
    const std::optional<std::string_view> suffix = reader.line();
    if (!suffix || suffix->empty()) return std::nullopt;
    scan.suffixes.emplace_back(*suffix);
  }
  const std::optional<std::int64_t> pattern_count = reader.number();
  if (!pattern_count) return std::nullopt;
  for (std::int64_t i = 0; i < *pattern_count; ++i) {
    const std::optional<std::string_view> line = reader.line();
    std::optional<Pattern> pattern = line ? pattern_of(*line, scan.suffixes.size()) : std::nullopt;
    if (!pattern || pattern->empty()) return std::nullopt;
    scan.patterns.push_back(*std::move(pattern));
  }
  const std::optional<std::int64_t> no_suffix_count = reader.number();
  const std::optional<std::int64_t> link_count = no_suffix_count ? reader.number() : std::nullopt;
  const std::optional<std::int64_t> name_size = link_count ? reader.number() : std::nullopt;
  if (!name_size || *name_size > std::ssize(reader.rest())) return std::nullopt;
  scan.no_suffix_count = *no_suffix_count;
  scan.link_count = *link_count;
  scan.first_without_suffix = reader.rest().substr(0, static_cast<std::size_t>(*name_size));
  scan.first_link = reader.rest().substr(static_cast<std::size_t>(*name_size));
  return scan;
}

ShardScan kept_scan(const std::shared_ptr<const ByteSource>& source, const ScanRules& rules,
                    const IndexFileUse& use, std::vector<Diagnostic>& warnings) {
  if (internal::path_of_index_file(*source, use.options).empty() &&
      use.options.mode != IndexMode::require) {
    return scan_shard(*source, rules);
  }
  IndexFileKeeper keeper(
      {.source = source,
       .files = use.files,
       .options = use.options,
       .identity = {.options = formatted("webdataset:keys={}:frames={}:pixels={}:links",
                                         rules.has_text_keys ? "text" : "numeric",
                                         rules.joins_frames, rules.reads_images),
                    .data = source->fingerprint(),
                    .modified_ns = source->modified_ns()},
       .warning_code = kIndexFile.code,
       .write_min_bytes = use.write_min_bytes});
  keeper.open([](const IndexFile& file) {
    return scan_of_notes(file.notes()) ? std::string() : std::string("its notes make no sense");
  });
  if (keeper.use_warning()) warnings.push_back(*keeper.use_warning());
  if (keeper.file() != nullptr) return loaded(keeper);
  ShardScan scan = scan_shard(*source, rules);
  write(scan, keeper);
  if (const std::optional<Diagnostic> warning = keeper.write_warning()) {
    warnings.push_back(*warning);
  }
  return scan;
}

}  // namespace sheaf::webdataset
