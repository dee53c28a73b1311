// Chunks become known in their order, by a scanner that is moved on under scan_mutex_, and are told
// of from then on. Keys that stop rising are checked for repeated ones (index/key_check.h); where
// that takes more memory than there is, the answers come when the file is through, and chunks from
// there on are told of only then.
//
// The index file is written as the scan goes on, and is there when it is through.

#include "format/text/scanned_index.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"

#include "base/interruption_watch.h"
#include "base/text.h"
#include "format/text/file_checks.h"
#include "index/units.h"
#include "io/source_hash.h"

namespace sheaf::internal {
namespace {

// Read again, from the system's cache: where a chunk ends is known only when its bytes are gone.
std::vector<std::uint64_t> unit_hashes_of(const ByteSource& source, const ChunkInfo& chunk,
                                          const SequenceTable& sequences) {
  const Units units(chunk);
  std::vector<std::uint64_t> hashes;
  for (std::int64_t unit = 0; unit < units.count(); ++unit) {
    const std::int64_t next = units.first(unit + 1);
    const std::int64_t begin = sequences.offset_bytes(units.first(unit));
    const std::int64_t end =
        next < sequences.size() ? sequences.offset_bytes(next) : chunk.size_bytes;
    hashes.push_back(hash_of(source, chunk.offset_bytes + begin, chunk.offset_bytes + end));
  }
  return hashes;
}

std::int64_t size_bytes(const ChunkNotes& notes) noexcept {
  return static_cast<std::int64_t>(sizeof(ChunkNotes) +
                                   notes.streams.capacity() * sizeof(StreamCounts) +
                                   notes.unit_hashes.capacity() * sizeof(std::uint64_t) +
                                   notes.repeated.capacity() * sizeof(std::int64_t));
}

// Where a source's index file lies; empty where it can have none.
std::string path_of_index_file(const ByteSource& source, const IndexOptions& options) {
  if (source.path().empty() && options.directory.empty()) return {};
  return index_file_path(source.path().empty() ? source.name() : source.path(), options.directory);
}

// What the index file says about the streams in the data. Nothing, and the reason in `why`, where
// there is no such file, or it is of other data, or does not say this of data looked at so.
std::optional<FoundStreams> found_in_index_file(const ByteSource& source, const Fingerprint& data,
                                                const IndexOptions& options, FileSystem& files,
                                                std::string_view how, std::string& why) {
  const std::string path = path_of_index_file(source, options);
  if (path.empty()) {
    why = formatted("{} is no file", source.name());
    return std::nullopt;
  }
  const std::unique_ptr<IndexFile> file = IndexFile::open(files, path, why);
  if (!file) return std::nullopt;
  IndexIdentity wanted = file->identity();
  wanted.data = data;
  why = file->identity().difference(wanted);
  if (!why.empty()) {
    why = formatted("{}: {}", path, why);
    return std::nullopt;
  }
  std::optional<FileNotes> notes = file_notes_from_json(file->notes(), source.name());
  if (!notes || !notes->found || notes->found->how != how) {
    why = formatted("{}: does not say which streams the data have; declare them", path);
    return std::nullopt;
  }
  return std::move(notes->found);
}

}  // namespace

FoundStreams recall_or_find_streams(const ByteSource& source, const Fingerprint& data,
                                    const IndexOptions& options, FileSystem& files,
                                    std::string_view how,
                                    const std::function<FoundStreams()>& find) {
  if (options.mode == IndexMode::automatic || options.mode == IndexMode::require) {
    std::string why;
    std::optional<FoundStreams> found = found_in_index_file(source, data, options, files, how, why);
    if (found) return *std::move(found);
    if (options.mode == IndexMode::require) {
      throw ConfigError(formatted("index: required, but {}", why));
    }
  }
  return find();
}

void throw_changed_since_indexed(std::string_view name, std::int64_t line) {
  throw IoError(
      formatted("{}: near line {}: not what was there when it was indexed; the file has changed "
                "since, at this line or before: index it anew (sheaf index {})",
                name, line, name));
}

ScannedIndex::ScannedIndex(Parts parts)
    : parts_(std::move(parts)), file_path_(path_of_index_file(*parts_.source, parts_.options)) {
  const IndexMode mode = parts_.options.is_for_streams ? IndexMode::off : parts_.options.mode;
  if (mode != IndexMode::off && !file_path_.empty()) open_file();
  if (mode == IndexMode::require && file_path_.empty()) {
    throw ConfigError(formatted("index: required, but {} is no file", parts_.source->name()));
  }
  if (!file_) row_bytes_ = long_row_bytes(parts_.options.memory_limit_bytes.value_or(0));
}

ScannedIndex::~ScannedIndex() = default;

// Scan from the beginning of the file. Chunks that were told of stay, and the scan finds them
// again.
//
// Pre: scan_mutex_ is held, or nobody else has the index yet.
void ScannedIndex::begin_scan() const {
  {
    const std::scoped_lock lock(entries_mutex_);
    entries_.resize(static_cast<std::size_t>(known_count_));
    table_bytes_ = other_bytes_ = key_bytes_ = 0;
    for (const Entry& entry : entries_) {
      if (entry.sequences) table_bytes_ += entry.sequences->size_bytes();
      other_bytes_ += std::int64_t{sizeof(Entry)} + size_bytes(*entry.notes);
    }
    row_bytes_ = long_row_bytes(parts_.options.memory_limit_bytes.value_or(0));
  }
  scanned_count_ = 0;
  unchecked_ = -1;
  if (writes_file_) begin_file();
  scanner_ = parts_.make_scanner(parts_.rows);
  if (parts_.may_repeat_keys) {
    key_check_ = std::make_unique<KeyCheck>(
        parts_.options.memory_limit_bytes.value_or(0) / 2,
        [this](std::int64_t chunk) { return sequences(ChunkIndex{chunk}); });
  }
  has_begun_ = true;
}

// Begin the scan where nobody has asked yet: of very many files, few are scanned at the same time,
// and a scanner, a set of keys and an index file that is being written take memory and a
// descriptor.
//
// Pre: scan_mutex_ is held.
void ScannedIndex::begin_scan_once() const {
  if (!has_begun_) begin_scan();
}

// Use the index file, or say whether one is to be written.
void ScannedIndex::open_file() {
  const IndexMode mode = parts_.options.mode;
  if (mode == IndexMode::require || mode == IndexMode::automatic) {
    std::string why;
    // Most of very many small files have none, which an exception would cost more to say.
    const bool is_there = parts_.files->exists(file_path_);
    if ((is_there || mode == IndexMode::require) && use_file(why)) return;
    if (mode == IndexMode::require) {
      throw ConfigError(formatted("index: required, but {}", why));
    }
    if (is_there) add_note(why, "the data are scanned again");
  }
  writes_file_ = mode != IndexMode::automatic || parts_.source->size() >= kWriteMinBytes;
}

void ScannedIndex::begin_file() const {
  writer_.reset();
  try {
    writer_ = std::make_unique<IndexFileWriter>(*parts_.files, file_path_, parts_.identity,
                                                parts_.source->access_points());
  } catch (const IoError& error) {
    stop_writing(error.what());
  }
}

// False, and the reason in `why`, where it cannot be used.
bool ScannedIndex::use_file(std::string& why) {
  file_ = IndexFile::open(*parts_.files, file_path_, parts_.identity, why);
  if (!file_) return false;
  std::optional<FileNotes> notes = file_notes_from_json(file_->notes(), parts_.source->name());
  const std::string fault = notes ? fault_of_file() : "its notes make no sense";
  if (!fault.empty()) {
    file_.reset();
    why = formatted("{}: damaged: {}", file_path_, fault);
    return false;
  }
  other_bytes_ = file_->memory_bytes();
  known_count_ = file_->chunk_count();
  warnings_ = notes->warnings;
  if (parts_.found && parts_.found != notes->found && parts_.options.mode == IndexMode::automatic) {
    add_found_to_file(*std::move(notes));
  }
  return true;
}

// What is wrong with what the file says of the chunks; empty: nothing.
std::string ScannedIndex::fault_of_file() const {
  std::string fault = fault_of_chunks(*file_, parts_.rows, parts_.may_drop);
  if (!fault.empty()) return fault;
  // Comments and empty rows may stand in front of the first chunk.
  ScanPart front = parts_.rows;
  if (file_->chunk_count() > 0) front.end = file_->info(0).offset_bytes;
  if (front.begin < front.end && parts_.make_scanner(front)->next()) {
    return "there are data before its chunks";
  }
  return {};
}

// Write a file that is good, but does not say which streams there are, once more with that.
void ScannedIndex::add_found_to_file(FileNotes notes) {
  notes.found = parts_.found;
  try {
    IndexFileWriter writer(*parts_.files, file_path_, file_->identity(), file_->access_points());
    for (std::int64_t i = 0; i < file_->chunk_count(); ++i) writer.add(file_->record(i));
    writer.finish(to_json(notes));
  } catch (const IoError& error) {
    stop_writing(error.what());
  }
}

Diagnostic ScannedIndex::note_of_file(std::string_view expected) const {
  Diagnostic note;
  note.severity = Severity::warning;
  note.path = parts_.source->name();
  note.code = parts_.warning_code;
  note.expected = expected;
  return note;
}

void ScannedIndex::add_note(std::string found, std::string hint) {
  Diagnostic note = note_of_file("an index file that can be used");
  note.found = std::move(found);
  note.hint = std::move(hint);
  file_warnings_.push_back(std::move(note));
}

// A folder that cannot be written is no reason not to read.
void ScannedIndex::stop_writing(const std::string& why) const {
  writer_.reset();
  const std::scoped_lock lock(entries_mutex_);
  Diagnostic& note = write_warning_.emplace(note_of_file("an index file that can be written"));
  note.found = why;
  note.hint = "the data are scanned each time; index_dir (--index-dir) names another folder for it";
}

std::optional<ChunkInfo> ScannedIndex::find(ChunkIndex chunk) const {
  const auto i = static_cast<std::int64_t>(chunk);
  if (file_) {
    if (i >= file_->chunk_count()) return std::nullopt;
    return file_->info(i);
  }
  const std::scoped_lock lock(entries_mutex_);
  if (i >= known_count_) return std::nullopt;
  return entries_[static_cast<std::size_t>(i)].info;
}

// Begin a scan that was left half done anew, for whoever asks next.
//
// Pre: scan_mutex_ is held.
void ScannedIndex::begin_scan_anew() const noexcept {
  const InterruptionPause pause;
  try {
    begin_scan();
  } catch (...) {  // half begun it would lead to another index
    scan_error_ = std::current_exception();
  }
}

std::optional<ChunkInfo> ScannedIndex::chunk(ChunkIndex chunk) const {
  check_interruption();
  std::optional<ChunkInfo> info = find(chunk);
  if (info || file_) return info;
  const std::scoped_lock scan_lock(scan_mutex_);
  if (scan_error_) std::rethrow_exception(scan_error_);
  begin_scan_once();
  while (!(info = find(chunk))) {
    check_interruption();  // the next call goes on here
    const InterruptionWatch watch;
    try {
      if (!scan_on()) break;
    } catch (...) {
      if (watch.was_interrupted()) {  // by a source that waits: the scanner has lost its place
        begin_scan_anew();
      } else {
        scan_error_ = std::current_exception();
      }
      throw;
    }
  }
  return info;
}

// Scan one more chunk, or end the scan; false where there is nothing more to do.
bool ScannedIndex::scan_on() const {
  if (!scanner_) return false;
  std::optional<ScannedChunk> scanned = scanner_->next();
  if (!finds_again()) set_warnings(scanner_->warnings());
  if (scanned) {
    add_scanned(*std::move(scanned));
  } else {
    finish_scan();
  }
  return true;
}

void ScannedIndex::build(Executor& executor, DecodedSink* sink) const {
  const std::scoped_lock scan_lock(scan_mutex_);
  if (!can_scan_blocks(executor.thread_count())) return;
  begin_scan_once();
  const ScanPart& rows = parts_.rows;
  const std::int64_t chunks = (rows.end - rows.begin) / rows.chunk_size_bytes;
  const bool decodes = sink != nullptr && chunks < sink->chunk_count_max();
  try {
    if (scanned_count_ > 0) begin_scan();
    scan_blocks(executor, decodes ? sink : nullptr);
  } catch (...) {
    begin_scan_anew();
    throw;
  }
}

// A scan that was begun is done again from the beginning, by all threads, unless one thread is
// through with the rest before they are through with all.
//
// Pre: scan_mutex_ is held.
bool ScannedIndex::can_scan_blocks(int thread_count) const {
  const bool is_through = has_begun_ && !scanner_;
  if (file_ || is_through || !parts_.blocks || scan_error_) return false;
  const std::int64_t block = BlockScan::kReadsPerBlock * parts_.blocks->schema->read_size_bytes;
  const std::int64_t size = parts_.rows.end - parts_.rows.begin;
  if (size < 2 * block) return false;  // for nothing
  const std::scoped_lock lock(entries_mutex_);
  if (entries_.empty()) return true;
  const ChunkInfo& last = entries_.back().info;
  const std::int64_t rest = parts_.rows.end - last.offset_bytes - last.size_bytes;
  return rest >= size / std::max(2, thread_count);
}

// Whether the scan is at a chunk that was told of before it began anew.
//
// Pre: scan_mutex_ is held.
bool ScannedIndex::finds_again() const {
  const std::scoped_lock lock(entries_mutex_);
  return scanned_count_ < std::ssize(entries_);
}

void ScannedIndex::scan_blocks(Executor& executor, DecodedSink* sink) const {
  BlockScan scan(
      *parts_.blocks, parts_.rows, *parts_.source,
      [this](ScannedChunk chunk) { add_scanned(std::move(chunk)); },
      parts_.options.memory_limit_bytes.value_or(0));
  scan.run(executor, sink != nullptr);
  set_warnings(scan.warnings().list());
  finish_scan();
  if (sink == nullptr) return;
  for (BlockScan::Range& range : scan.take_ranges()) {
    // A sequence whose key is an earlier one's is wrong, which was not known when it was decoded.
    if (has_repeated_keys(range.range.chunk)) range.decoded.reset();
    sink->add(range.range, std::move(range.decoded), range.first);
  }
}

// Pre: the chunk is known, and the scan is through.
bool ScannedIndex::has_repeated_keys(ChunkIndex chunk) const {
  const std::scoped_lock lock(entries_mutex_);
  return !entries_[static_cast<std::size_t>(chunk)].notes->repeated.empty();
}

std::vector<Diagnostic> ScannedIndex::scan_warnings() const {
  const std::scoped_lock lock(entries_mutex_);
  return warnings_;
}

void ScannedIndex::set_warnings(std::vector<Diagnostic> warnings) const {
  const std::scoped_lock lock(entries_mutex_);
  warnings_ = std::move(warnings);
}

void ScannedIndex::add_scanned(ScannedChunk scanned) const {
  auto table = std::make_shared<const SequenceTable>(std::move(scanned.sequences));
  if (writer_) scanned.notes.unit_hashes = unit_hashes_of(*parts_.source, scanned.info, *table);
  const std::int64_t number = scanned_count_++;
  {
    const std::scoped_lock lock(entries_mutex_);
    if (number == std::ssize(entries_)) {
      entries_.push_back({scanned.info, nullptr, table, ++use_count_});
      table_bytes_ += table->size_bytes();
      other_bytes_ += std::int64_t{sizeof(Entry)};
    } else if (entries_[static_cast<std::size_t>(number)].info != scanned.info) {
      throw_changed_since_indexed(parts_.source->name(), scanned.info.first_line);
    }
  }
  if (key_check_) {
    std::optional<KeyCheck::Repeated> repeated = key_check_->add(*table);
    if (repeated) {
      scanned.notes.repeated = *std::move(repeated);
    } else if (unchecked_ < 0) {
      unchecked_ = number;
    }
  }
  auto notes = std::make_shared<const ChunkNotes>(std::move(scanned.notes));
  Entry added;
  {
    const std::scoped_lock lock(entries_mutex_);
    Entry& entry = entries_[static_cast<std::size_t>(number)];
    set_notes(entry, notes);
    key_bytes_ = key_check_ ? key_check_->memory_bytes() : 0;
    added = entry;
    added.sequences = table;  // a chunk that is found again may have been dropped
    if (unchecked_ < 0) known_count_ = std::max(known_count_, number + 1);
    drop_tables();
  }
  if (unchecked_ < 0) write(added);
}

// All chunks are there; the answers about keys may not be yet.
void ScannedIndex::finish_scan() const {
  if (unchecked_ >= 0) {
    std::vector<KeyCheck::Repeated> repeated = key_check_->finish();
    for (std::size_t k = 0; k < repeated.size(); ++k) {
      const std::int64_t number = unchecked_ + static_cast<std::int64_t>(k);
      Entry changed;
      {
        const std::scoped_lock lock(entries_mutex_);
        Entry& entry = entries_[static_cast<std::size_t>(number)];
        ChunkNotes notes = *entry.notes;
        notes.repeated = std::move(repeated[k]);
        set_notes(entry, std::make_shared<const ChunkNotes>(std::move(notes)));
        changed = entry;
      }
      if (writer_ && !changed.sequences) changed.sequences = scan_again(number, changed.info);
      write(changed);
    }
  }
  key_check_.reset();
  scanner_.reset();
  if (writer_) {
    try {
      writer_->finish(to_json({.warnings = scan_warnings(), .found = parts_.found}));
      writer_.reset();
    } catch (const IoError& error) {
      stop_writing(error.what());
    }
  }
  const std::scoped_lock lock(entries_mutex_);
  known_count_ = std::ssize(entries_);
  key_bytes_ = row_bytes_ = 0;
}

void ScannedIndex::write(const Entry& entry) const {
  if (!writer_) return;
  try {
    writer_->add({entry.info, entry.sequences, to_numbers(*entry.notes)});
  } catch (const IoError& error) {
    stop_writing(error.what());
  }
}

// Pre: entries_mutex_ is held.
void ScannedIndex::set_notes(Entry& entry, std::shared_ptr<const ChunkNotes> notes) const {
  if (entry.notes) other_bytes_ -= size_bytes(*entry.notes);
  other_bytes_ += size_bytes(*notes);
  entry.notes = std::move(notes);
}

// Bytes of an entry that nobody uses and that can be had again: the table, and the notes where the
// index file has them.
std::int64_t ScannedIndex::unused_bytes(const Entry& entry) const noexcept {
  std::int64_t bytes = 0;
  if (entry.sequences.use_count() == 1) bytes += entry.sequences->size_bytes();
  if (file_ && entry.notes.use_count() == 1) bytes += size_bytes(*entry.notes);
  return bytes;
}

// Drop what nobody uses, beginning with the entries that were not used for the longest time.
//
// Pre: entries_mutex_ is held.
void ScannedIndex::drop_tables() const {
  const std::int64_t limit = parts_.options.memory_limit_bytes.value_or(0);
  while (limit > 0 && table_bytes_ > limit / 2) {
    Entry* oldest = nullptr;
    for (Entry& entry : entries_) {
      if (oldest != nullptr && entry.last_use >= oldest->last_use) continue;
      if (unused_bytes(entry) > 0) oldest = &entry;
    }
    if (oldest == nullptr) return;
    table_bytes_ -= unused_bytes(*oldest);
    if (oldest->sequences.use_count() == 1) oldest->sequences.reset();
    if (file_ && oldest->notes.use_count() == 1) oldest->notes.reset();
  }
}

// What the index file has of a chunk. One that cannot be read is of no use to anybody.
ScannedIndex::Entry ScannedIndex::entry_of_file(std::int64_t chunk) const {
  try {
    IndexRecord record = file_->record(chunk);
    std::optional<ChunkNotes> notes = notes_from_numbers(record.extra);
    if (!notes || !fits(record.info, *record.sequences) ||
        !fits(record.info, *notes, parts_.stream_count)) {
      throw IoError(
          formatted("{}: damaged: chunk {} has numbers that cannot be", file_path_, chunk));
    }
    return {record.info, std::make_shared<const ChunkNotes>(*std::move(notes)),
            std::move(record.sequences), 0};
  } catch (const IoError& error) {
    forget_file();
    const bool is_kept = parts_.options.mode == IndexMode::require;
    throw IoError(formatted("{}; {}", error.what(),
                            is_kept ? "--index rebuild (IndexMode::rebuild) writes it anew"
                                    : "it is removed, and the next run scans the data"));
  }
}

// Scan a chunk again for its table.
std::shared_ptr<const SequenceTable> ScannedIndex::scan_again(std::int64_t chunk,
                                                              const ChunkInfo& info) const {
  std::int64_t first_sequence = 0;
  {
    const std::scoped_lock lock(entries_mutex_);
    const std::int64_t count = std::min(chunk, std::ssize(entries_));
    for (std::int64_t i = 0; i < count; ++i) {
      first_sequence += entries_[static_cast<std::size_t>(i)].info.sequence_count;
    }
  }
  const std::unique_ptr<Scanner> scanner =
      parts_.make_scanner({.begin = info.offset_bytes,
                           .end = info.offset_bytes + info.size_bytes,
                           .first_line = info.first_line,
                           .first_sequence = first_sequence,
                           .chunk_size_bytes = parts_.source->size()});
  std::optional<ScannedChunk> scanned = scanner->next();
  if (!scanned || scanned->sequences.size() != info.sequence_count) {
    throw_changed_since_indexed(parts_.source->name(), info.first_line);
  }
  return std::make_shared<const SequenceTable>(std::move(scanned->sequences));
}

// What is in memory of a chunk.
ScannedIndex::Entry ScannedIndex::held_entry(std::size_t chunk) const {
  const std::scoped_lock lock(entries_mutex_);
  if (chunk >= entries_.size()) return {};
  entries_[chunk].last_use = ++use_count_;
  return entries_[chunk];
}

// The entry of a chunk that exists, with its table and its notes.
ScannedIndex::Entry ScannedIndex::entry(ChunkIndex chunk) const {
  const auto i = static_cast<std::size_t>(chunk);
  Entry found = held_entry(i);
  if (found.sequences && found.notes) return found;
  // Not by chunk() where it is known: a scan may be asking for an earlier table.
  if (!found.notes) {
    if (!this->chunk(chunk)) {
      throw InternalError(
          formatted("index: there is no chunk {}", static_cast<std::int64_t>(chunk)));
    }
    found = held_entry(i);
    if (found.sequences && found.notes) return found;
  }
  if (file_) {
    found = entry_of_file(static_cast<std::int64_t>(chunk));
  } else {
    found.sequences = scan_again(static_cast<std::int64_t>(chunk), found.info);
  }
  return keep(i, std::move(found));
}

// Keep what was read again of a chunk. What another thread has kept meanwhile stays.
ScannedIndex::Entry ScannedIndex::keep(std::size_t chunk, Entry found) const {
  const std::scoped_lock lock(entries_mutex_);
  while (file_ && entries_.size() <= chunk) {  // as far as asked for
    entries_.emplace_back();
    other_bytes_ += std::int64_t{sizeof(Entry)};
  }
  if (chunk >= entries_.size()) return found;  // not told of yet, and the scan began anew
  Entry& entry = entries_[chunk];
  entry.info = found.info;
  if (!entry.sequences) {
    table_bytes_ += found.sequences->size_bytes();
    entry.sequences = std::move(found.sequences);
  }
  if (!entry.notes) {
    table_bytes_ += size_bytes(*found.notes);
    entry.notes = std::move(found.notes);
  }
  entry.last_use = ++use_count_;
  Entry kept = entry;
  found = {};
  drop_tables();
  return kept;
}

std::shared_ptr<const SequenceTable> ScannedIndex::sequences(ChunkIndex chunk) const {
  return entry(chunk).sequences;
}

std::shared_ptr<const ChunkNotes> ScannedIndex::notes(ChunkIndex chunk) const {
  return entry(chunk).notes;
}

// A chunk begins with its first sequence, and the bytes of one end where the next begins.
std::int64_t ScannedIndex::chunk_cost(ChunkIndex chunk) const {
  const std::optional<ChunkInfo> info = this->chunk(chunk);
  return info ? info->size_bytes : 0;
}

std::int64_t ScannedIndex::memory_bytes() const {
  const std::scoped_lock lock(entries_mutex_);
  return std::int64_t{sizeof(ScannedIndex)} + table_bytes_ + other_bytes_ + key_bytes_ + row_bytes_;
}

SequencePlace ScannedIndex::first_place(const SequenceKey& key) const {
  for (ChunkIndex i{};; i = next(i)) {
    const std::optional<ChunkInfo> info = chunk(i);
    if (!info) break;
    const std::shared_ptr<const SequenceTable> table = sequences(i);
    for (std::int64_t k = 0; k < table->size(); ++k) {
      if (table->key(k) != key) continue;
      return {.line = info->first_line + table->first_line(k),
              .offset = info->offset_bytes + table->offset_bytes(k)};
    }
  }
  throw InternalError("index: a key that no sequence has");
}

void ScannedIndex::forget_file() const noexcept {
  if (!file_ || parts_.options.mode == IndexMode::require) return;
  try {
    parts_.files->remove(file_path_);
  } catch (const std::exception&) {  // it is found and left unused the next time, too
  }
}

std::vector<Diagnostic> ScannedIndex::warnings() const {
  std::vector<Diagnostic> warnings = file_warnings_;
  const std::scoped_lock lock(entries_mutex_);
  warnings.insert(warnings.end(), warnings_.begin(), warnings_.end());
  if (write_warning_) warnings.push_back(*write_warning_);
  return warnings;
}

}  // namespace sheaf::internal
