// A scan cuts chunks while it reads the list, assuming that no key is repeated. If a key is
// repeated, or if lines do not tell their samples, the list is read again. Then 64 bytes of each
// line are kept, because sequences must be left out before chunks are cut. The counts follow, and
// then the chunks.

#include "format/listed/listed_index.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/parallel_for.h"

#include "base/permutation.h"
#include "base/saturated.h"
#include "base/text.h"
#include "format/listed/list_scan.h"
#include "format/listed/repeated_words.h"
#include "format/listed/source_bytes.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kCntkSamplesMax = 90'000;  // a chunk with more samples is full
constexpr std::int64_t kReadMin = 256;  // number of counts from files that is worth an index file

}  // namespace

std::int64_t ChunkLines::size_bytes() const {
  return static_cast<std::int64_t>(sizeof *this) + table->size_bytes() + offsets.size_bytes();
}

/// Cuts sequences into chunks.
class ListedIndex::ChunkMaker {
 public:
  /// Pre: the index knows the first file.
  explicit ChunkMaker(ListedIndex& index)
      : index_(index), chunk_size_(index.parts_.chunk_size_bytes) {}

  void add(const ListEntry& entry) {
    const std::int64_t size = index_.stored_bytes(entry);
    const bool is_full =
        chunk_size_ == 0 ? samples_ > kCntkSamplesMax : size > chunk_size_ - info_.size_bytes;
    if (table_.size() > 0 && is_full) finish();
    const std::int64_t line = std::int64_t{entry.line} + 1;
    if (table_.size() == 0) info_.first_line = line;
    table_.push_back({.key = entry.key,
                      .offset_bytes = info_.size_bytes,
                      .first_line = line - info_.first_line,
                      .sample_count = entry.count,
                      .location = SourceLocation{.source = entry.source,
                                                 .offset_bytes = index_.location_bytes(entry)}});
    offsets_.push_back(entry.offset);
    info_.size_bytes = saturated_sum(info_.size_bytes, size);
    samples_ += entry.count;
    line_bytes_ += entry.size + index_.parts_.text_growth;
    end_ = entry.offset + entry.size;
  }

  /// Ends the current chunk, which has at least one sequence.
  void finish() {
    info_.sample_count = samples_;
    info_.decoded_size_bytes =
        saturated_sum(index_.decoded_bytes(samples_, info_.size_bytes), line_bytes_);
    const std::int64_t next = saturated_sum(info_.offset_bytes, info_.size_bytes);
    index_.add_chunk(info_, table_, offsets_, end_);
    info_ = {.offset_bytes = next};
    samples_ = line_bytes_ = 0;
  }

 private:
  ListedIndex& index_;
  std::int64_t chunk_size_;
  SequenceTable::Builder table_;
  PackedInts::Builder offsets_;
  ChunkInfo info_;
  std::int64_t samples_ = 0;
  std::int64_t line_bytes_ = 0;
  std::int64_t end_ = 0;  // end of the last line
};

ListedIndex::ListedIndex(ListParts parts) : parts_(std::move(parts)), keeper_(keeper_parts()) {}

void ListedIndex::build() {
  keeper_.open([this](const IndexFile& file) { return fault_of(file); });
  if (keeper_.file() != nullptr) {
    lines_.resize(static_cast<std::size_t>(keeper_.file()->chunk_count()));
    return;
  }
  // Most lists tell all lengths and repeat no key. The chunks of such a list are cut while it is
  // read, and only 8 bytes of each key are kept besides. Any other list is read again.
  if (scan_in_order()) return;
  chunks_.clear();
  lines_.clear();
  lines_bytes_ = 0;
  long_ = {};
  forget_first_file();
  scan_whole();
}

IndexFileKeeper::Parts ListedIndex::keeper_parts() const {
  return {.source = parts_.list,
          .files = &parts_.context.file_system(),
          .options = parts_.index,
          .identity = {.options = parts_.identity,
                       .data = parts_.list->fingerprint(),
                       .modified_ns = parts_.list->modified_ns(),
                       .sources = {}},
          .warning_code = parts_.errors.index_file.code,
          .write_min_bytes = 0};  // a small list may name many files that were read
}

// Returns why an index file cannot belong to these data. Sets the common properties of the data
// from the file.
std::string ListedIndex::fault_of(const IndexFile& file) {
  const std::optional<std::vector<std::int64_t>> numbers = take_notes(file.notes());
  if (file.chunk_count() == 0 || !numbers) return "its notes make no sense";
  try {
    const std::shared_ptr<const ChunkLines> lines = lines_of(file.record(0));
    if (lines == nullptr) return "chunk 0 has numbers that cannot be";
    const std::int64_t offset = lines->offsets[0];
    const std::int64_t end = lines->offsets.size() > 1 ? lines->offsets[1] : lines->end_bytes;
    const std::string text = text_at(offset, end - offset);
    const std::string_view line = std::string_view(text).substr(0, text.find('\n'));
    set_first_file(line, file.info(0).first_line + lines->table->first_line(0), offset);
  } catch (const IoError& error) {
    return error.what();
  } catch (const DataError&) {  // the scan reports it, too
    return "the first file is no longer there";
  }
  return difference(*numbers);
}

bool ListedIndex::scan_in_order() {
  const std::optional<std::int64_t>& samples_max = parts_.samples_max;
  const bool has_texts = parts_.has_text_keys;
  RepeatedWords words;
  std::optional<ChunkMaker> chunks;
  const auto take = [&](const ListEntry& entry, std::string_view /*path*/) {
    if (entry.is_good && entry.count == ListEntry::kUnknownCount) return false;
    if (entry.is_good) words.add(has_texts ? entry.key.low : mixed(entry.key.low));
    if (entry.is_good && samples_max && entry.count > *samples_max) {
      long_.add(entry.line, entry.offset);
      return true;
    }
    if (!chunks) {
      if (!try_first_file(entry)) return false;
      chunks.emplace(*this);
    }
    chunks->add(entry);
    return true;
  };
  if (!scan(take) || !chunks || words.has_repeated()) return false;
  chunks->finish();
  if (is_worth_a_file(0)) {
    keeper_.begin_writing();
    for (std::size_t i = 0; i < chunks_.size() && keeper_.is_writing(); ++i) {
      keeper_.add(record_of(chunks_[i], *lines_[i]));
    }
  }
  keeper_.finish_writing(notes());
  return true;
}

void ListedIndex::set_first_file_of(const ListEntry& entry) {
  set_first_file(text_at(entry.offset, entry.size), std::int64_t{entry.line} + 1, entry.offset);
}

// Returns false if the first file is wrong. The second scan then reports the error. It leaves out
// repeated keys, so its first file may be another one.
bool ListedIndex::try_first_file(const ListEntry& entry) {
  try {
    set_first_file_of(entry);
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool ListedIndex::read_in_rounds(
    std::span<ListEntry* const> entries,
    const std::function<bool(std::span<ListEntry* const> round)>& read) const {
  const std::int64_t round_count = (std::ssize(entries) + kRoundSize - 1) / kRoundSize;
  std::vector<std::uint8_t> is_missed(static_cast<std::size_t>(round_count), 0);
  parallel_for(parts_.context.executor, round_count, [&](std::int64_t round) {
    const auto first = static_cast<std::size_t>(round * kRoundSize);
    const auto count = std::min<std::size_t>(kRoundSize, entries.size() - first);
    is_missed[static_cast<std::size_t>(round)] = read(entries.subspan(first, count)) ? 0 : 1;
  });
  return std::ranges::find(is_missed, 1) == is_missed.end();
}

void ListedIndex::visit_paths(const std::function<void(std::string_view path)>& visit) const {
  std::optional<std::uint32_t> source;
  const auto take = [&](const ListEntry& entry, std::string_view path) {
    if (entry.is_good && source != entry.source) visit(path);
    if (entry.is_good) source = entry.source;
    return true;
  };
  static_cast<void>(scan(take));
}

bool ListedIndex::is_worth_a_file(std::int64_t read_count) const {
  return read_count >= kReadMin || parts_.list->size() >= IndexFileKeeper::kWriteMinBytes ||
         parts_.index.mode == IndexMode::rebuild;
}

void ListedIndex::scan_whole() {
  std::deque<ListEntry> entries;
  static_cast<void>(scan([&entries](const ListEntry& entry, std::string_view /*path*/) {
    entries.push_back(entry);
    return true;
  }));
  std::vector<ListEntry*> unknown;
  for (ListEntry& entry : entries) {
    if (entry.is_good && entry.count == ListEntry::kUnknownCount) unknown.push_back(&entry);
  }
  const bool has_all = read_counts(unknown);
  leave_out(entries);
  if (entries.empty()) {
    Diagnostic diagnostic = location_in_list(*parts_.list, parts_.errors.no_sequence, 0, 0);
    diagnostic.found =
        formatted("{} left out for their keys, {} for their lengths", repeated_.count, long_.count);
    throw DataError({std::move(diagnostic)});
  }
  set_first_file_of(entries.front());
  if (is_worth_a_file(std::ssize(unknown)) && has_all) keeper_.begin_writing();
  ChunkMaker chunks(*this);
  for (const ListEntry& entry : entries) chunks.add(entry);
  chunks.finish();
  keeper_.finish_writing(notes());
}

// Removes all sequences with a repeated key, and sequences that are too long.
void ListedIndex::leave_out(std::deque<ListEntry>& entries) {
  std::vector<SequenceKey> keys;
  keys.reserve(entries.size());
  for (const ListEntry& entry : entries) {
    if (entry.is_good) keys.push_back(entry.key);
  }
  std::ranges::sort(keys);
  std::vector<SequenceKey> repeated;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (keys[i] != keys[i - 1]) continue;
    if (repeated.empty() || repeated.back() != keys[i]) repeated.push_back(keys[i]);
  }
  const std::optional<std::int64_t>& samples_max = parts_.samples_max;
  std::erase_if(entries, [&](const ListEntry& entry) {
    if (!entry.is_good) return false;
    if (samples_max && entry.count > *samples_max) {
      long_.add(entry.line, entry.offset);
      return true;
    }
    if (!std::ranges::binary_search(repeated, entry.key)) return false;
    repeated_.add(entry.line, entry.offset);
    return true;
  });
}

void ListedIndex::add_chunk(ChunkInfo info, SequenceTable::Builder& table,
                            PackedInts::Builder& offsets, std::int64_t end_bytes) {
  // Offsets, and the text of a key, which has room for short texts.
  const auto sequence_bytes = static_cast<std::int64_t>(
      2 * sizeof(std::int64_t) + sizeof(std::string) + std::string().capacity());
  info.sequence_count = table.size();
  info.decoded_size_bytes =
      saturated_sum(info.decoded_size_bytes, (info.sequence_count + 1) * sequence_bytes);
  auto lines = std::make_shared<ChunkLines>();
  lines->table = std::make_shared<const SequenceTable>(table.finish());
  lines->offsets = offsets.finish();
  lines->end_bytes = end_bytes;
  if (keeper_.is_writing()) keeper_.add(record_of(info, *lines));
  lines_bytes_ += lines->size_bytes();
  chunks_.push_back(info);
  lines_.push_back(std::move(lines));
}

// An index file holds locations as numbers of the format. The named files have no fingerprints
// there. They are compared with the index when they are read.
IndexRecord ListedIndex::record_of(const ChunkInfo& info, const ChunkLines& lines) const {
  const SequenceTable& table = *lines.table;
  IndexRecord record{.info = info, .sequences = nullptr, .extra = {}};
  SequenceTable::Columns columns = table.columns();
  columns.rare = nullptr;
  record.sequences = std::make_shared<const SequenceTable>(std::move(columns));
  record.extra.push_back(lines.end_bytes);
  for (std::int64_t i = 0; i < table.size(); ++i) record.extra.push_back(lines.offsets[i]);
  for (std::int64_t i = 0; i < table.size(); ++i) record.extra.push_back(table.location(i)->source);
  for (std::int64_t i = 0; i < table.size(); ++i) {
    record.extra.push_back(table.location(i)->offset_bytes);
  }
  return record;
}

// Returns null if the numbers of a record make no sense.
std::shared_ptr<const ChunkLines> ListedIndex::lines_of(const IndexRecord& record) const {
  const std::int64_t count = record.sequences->size();
  if (count < 1 || std::ssize(record.extra) != 3 * count + 1) return nullptr;
  const std::int64_t end = record.extra[0];
  const auto part = [&](std::int64_t number) {
    return std::span(record.extra)
        .subspan(static_cast<std::size_t>(1 + number * count), static_cast<std::size_t>(count));
  };
  auto rare = std::make_shared<SequenceTable::RareColumns>();
  PackedInts::Builder builder;
  std::int64_t before = -1;
  for (const std::int64_t offset : part(0)) {
    if (offset <= before || offset >= end) return nullptr;
    before = offset;
    builder.push_back(offset);
  }
  if (end > parts_.list->size()) return nullptr;
  auto lines = std::make_shared<ChunkLines>();
  lines->offsets = builder.finish();
  lines->end_bytes = end;
  for (const std::int64_t source : part(1)) builder.push_back(source);
  rare->sources = builder.finish();
  for (const std::int64_t offset : part(2)) builder.push_back(offset);
  rare->source_offsets_bytes = builder.finish();
  SequenceTable::Columns columns = record.sequences->columns();
  columns.rare = std::move(rare);
  lines->table = std::make_shared<const SequenceTable>(std::move(columns));
  return lines;
}

std::string ListedIndex::notes() const {
  std::string text;
  for (const std::int64_t number : first_numbers()) text += formatted("{} ", number);
  return text + formatted("{} {} {} {} {} {}", repeated_.count, repeated_.line,
                          repeated_.offset_bytes, long_.count, long_.line, long_.offset_bytes);
}

// Sets the numbers of sequences that are left out. Returns the numbers of the first file.
std::optional<std::vector<std::int64_t>> ListedIndex::take_notes(std::string_view notes) {
  std::vector<std::int64_t> numbers;
  const char* at = notes.data();
  const char* const end = notes.data() + notes.size();
  while (true) {
    std::int64_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number < 0) return std::nullopt;
    numbers.push_back(number);
    at = next;
    if (at == end) break;
    if (*at++ != ' ') return std::nullopt;
  }
  constexpr std::size_t kLeftOutNumbers = 6;
  if (numbers.size() < kLeftOutNumbers) return std::nullopt;
  const auto left_out = std::span(numbers).last(kLeftOutNumbers);
  repeated_ = {left_out[0], left_out[1], left_out[2]};
  long_ = {left_out[3], left_out[4], left_out[5]};
  numbers.resize(numbers.size() - kLeftOutNumbers);
  return numbers;
}

std::optional<ChunkInfo> ListedIndex::chunk(ChunkIndex chunk) const {
  const auto number = static_cast<std::int64_t>(chunk);
  if (keeper_.file() == nullptr) {
    if (number >= std::ssize(chunks_)) return std::nullopt;
    return chunks_[static_cast<std::size_t>(number)];
  }
  if (number >= keeper_.file()->chunk_count()) return std::nullopt;
  return keeper_.file()->info(number);
}

std::shared_ptr<const SequenceTable> ListedIndex::sequences(ChunkIndex chunk) const {
  return lines(chunk)->table;
}

std::shared_ptr<const ChunkLines> ListedIndex::lines(ChunkIndex chunk) const {
  const auto number = static_cast<std::size_t>(chunk);
  {
    const std::scoped_lock lock(mutex_);
    if (lines_[number] != nullptr) return lines_[number];
  }
  std::shared_ptr<const ChunkLines> lines;
  static_cast<void>(keeper_.read(static_cast<std::int64_t>(chunk), [&](const IndexRecord& record) {
    lines = lines_of(record);
    return lines != nullptr;
  }));
  const std::scoped_lock lock(mutex_);
  if (lines_[number] != nullptr) return lines_[number];
  const std::optional<std::int64_t>& limit = parts_.index.memory_limit_bytes;
  if (limit && lines_bytes_ + lines->size_bytes() > *limit) {
    std::ranges::fill(lines_, nullptr);
    lines_bytes_ = 0;
  }
  lines_[number] = lines;
  lines_bytes_ += lines->size_bytes();
  return lines;
}

// The name comes from the list, from the first line with the file. Only messages need it.
std::string ListedIndex::source_name(std::int64_t source) const {
  for (ChunkIndex number{}; chunk(number); number = next(number)) {
    const auto found = lines(number);
    for (std::int64_t i = 0; i < found->table->size(); ++i) {
      if (found->table->location(i)->source != source) continue;
      const std::int64_t begin = found->offsets[i];
      const std::string text = text_at(begin, found->end_bytes - begin);
      return path_of(std::string_view(text).substr(0, text.find('\n')));
    }
  }
  return {};
}

std::int64_t ListedIndex::memory_bytes() const {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::int64_t>(sizeof *this + chunks_.capacity() * sizeof(ChunkInfo) +
                                   lines_.capacity() * sizeof(lines_[0])) +
         lines_bytes_ + keeper_.memory_bytes();
}

Diagnostic ListedIndex::warning_of(const ErrorKind& kind, const LeftOut& left_out,
                                   std::string found) const {
  Diagnostic warning = location_in_list(*parts_.list, kind, left_out.line, left_out.offset_bytes);
  warning.severity = Severity::warning;
  warning.column = 1;
  warning.found = std::move(found);
  warning.count = left_out.count;
  return warning;
}

std::vector<Diagnostic> ListedIndex::warnings() const {
  std::vector<Diagnostic> all;
  if (repeated_.count > 0) {
    all.push_back(warning_of(parts_.errors.repeated_key, repeated_,
                             formatted("{} utterances with keys that come more than once; all are "
                                       "left out, the first is here",
                                       repeated_.count)));
  }
  if (long_.count > 0) {
    all.push_back(warning_of(
        parts_.errors.too_long, long_,
        formatted("{} longer ones, which are left out; the first is here", long_.count)));
  }
  if (keeper_.use_warning()) all.push_back(*keeper_.use_warning());
  if (const auto warning = keeper_.write_warning()) all.push_back(*warning);
  return all;
}

std::string ListedIndex::text_at(std::int64_t offset, std::int64_t size) const {
  std::string text(static_cast<std::size_t>(size), '\0');
  read_bytes(*parts_.list, offset, std::as_writable_bytes(std::span(text)), parts_.read_size_bytes);
  return text;
}

}  // namespace sheaf::internal
