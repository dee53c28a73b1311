// A scanner finds chunks in file order. A call for an unknown chunk moves the scanner forward,
// under scan_mutex_. A chunk is told to callers once its repeated keys are known. This is
// immediately as long as the keys fit into memory, and otherwise at the end of the scan.
//
// The index file is written during the scan, and exists when the scan has ended.

#include "index/growing_index.h"

#include <algorithm>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"

#include "base/interruption_watch.h"
#include "base/text.h"
#include "index/memory_sizes.h"
#include "index/units.h"
#include "io/source_hash.h"

namespace sheaf::internal {
namespace {

// Reads the bytes a second time, from the system's cache, since the scanner knows the end of a
// chunk only after it has passed the bytes.
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

// Smaller records are not worth keeping: reading one from the index file takes a microsecond or
// two.
constexpr std::int64_t kCheapSequences = 4;
constexpr std::int64_t kCheapNotesBytes = 512;

// Tables may take half of the memory limit, keys the other half.
std::int64_t table_bytes_max(const IndexOptions& options) noexcept {
  const std::int64_t limit = options.memory_limit_bytes.value_or(0);
  return limit > 0 ? std::max<std::int64_t>(1, limit / 2) : 0;
}

}  // namespace

GrowingIndex::GrowingIndex(std::shared_ptr<const ChunkFinder> finder, IndexFileKeeper::Parts file,
                           bool may_repeat_keys)
    : finder_(std::move(finder)),
      may_repeat_keys_(may_repeat_keys),
      file_(std::move(file)),
      tables_(table_bytes_max(file_.options())) {
  FileContents contents;
  file_.open([&](const IndexFile& found) {
    contents = finder_->contents_of(found);
    return contents.fault;
  });
  if (!has_file()) {
    scan_bytes_ = finder_->scan_bytes();
    return;
  }
  warnings_ = std::move(contents.warnings);
  if (!contents.new_notes.empty()) file_.replace_notes(contents.new_notes);
}

GrowingIndex::~GrowingIndex() = default;

std::int64_t GrowingIndex::stored_size_of(const ChunkInfo& info) const noexcept {
  return finder_->stored_bytes(info.offset_bytes + info.size_bytes) -
         finder_->stored_bytes(info.offset_bytes);
}

std::int64_t GrowingIndex::stored_size_bytes(ChunkIndex chunk) const {
  const std::optional<ChunkInfo> info = this->chunk(chunk);
  if (!info) {
    throw InternalError(formatted("index: there is no chunk {}", static_cast<std::int64_t>(chunk)));
  }
  return stored_size_of(*info);
}

// Begins a scan at the front of the data. Chunks that callers were told stay, and the scan finds
// them again.
//
// Pre: scan_mutex_ is held.
void GrowingIndex::begin_scan() const {
  {
    const std::scoped_lock lock(mutex_);
    chunks_.truncate(told_count_);
    tables_.drop_from(told_count_);
    key_bytes_ = 0;
    scan_bytes_ = finder_->scan_bytes();
  }
  scanned_count_ = 0;
  keys_ = {};
  file_.begin_writing();
  scanner_ = finder_->scan();
  if (may_repeat_keys_) {
    keys_ = RepeatedKeys(file_.options().memory_limit_bytes.value_or(0) / 2,
                         [this](std::int64_t chunk) { return sequences(ChunkIndex{chunk}); });
  }
  has_begun_ = true;
}

// Begins the scan at the first call for a chunk. So a data set of very many files scans only a few
// files at the same time. A scan takes memory for a scanner and a set of keys, and a descriptor for
// the index file.
//
// Pre: scan_mutex_ is held.
void GrowingIndex::begin_scan_once() const {
  if (!has_begun_) begin_scan();
}

// Begins again a scan that stopped half way, so that the next call can continue.
//
// Pre: scan_mutex_ is held.
void GrowingIndex::begin_scan_anew() const noexcept {
  const InterruptionPause pause;
  try {
    begin_scan();
  } catch (...) {  // a half begun scan would give another index
    scan_error_ = std::current_exception();
  }
}

std::optional<ChunkInfo> GrowingIndex::find(ChunkIndex chunk) const {
  const auto i = static_cast<std::int64_t>(chunk);
  if (const IndexFile* const file = file_.file()) {
    if (i >= file->chunk_count()) return std::nullopt;
    return file->info(i);
  }
  const std::scoped_lock lock(mutex_);
  if (i >= told_count_) return std::nullopt;
  return chunks_.info(i);
}

std::optional<ChunkInfo> GrowingIndex::chunk(ChunkIndex chunk) const {
  check_interruption();
  std::optional<ChunkInfo> info = find(chunk);
  if (info || has_file()) return info;
  const std::scoped_lock scan_lock(scan_mutex_);
  if (scan_error_) std::rethrow_exception(scan_error_);
  begin_scan_once();
  while (!(info = find(chunk))) {
    check_interruption();  // after an interruption, the next call continues here
    const InterruptionWatch watch;
    try {
      if (!scan_on()) break;
    } catch (...) {
      // A waiting source was interrupted; the scanner lost its offset.
      if (watch.was_interrupted()) {
        begin_scan_anew();
      } else {
        scan_error_ = std::current_exception();
      }
      throw;
    }
  }
  return info;
}

// Scans one more chunk, or ends the scan. Returns false if the scan had already ended.
bool GrowingIndex::scan_on() const {
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

void GrowingIndex::build(Executor& executor, DecodedSink* sink) const {
  const std::scoped_lock scan_lock(scan_mutex_);
  if (!can_scan_all(executor.thread_count())) return;
  begin_scan_once();
  try {
    if (scanned_count_ > 0) begin_scan();
    scan_all(executor, sink);
  } catch (...) {
    begin_scan_anew();
    throw;
  }
}

// Returns whether to scan all data with all threads. All threads begin again at the front. That is
// not worth it if one thread ends the rest of the scan earlier.
//
// Pre: scan_mutex_ is held.
bool GrowingIndex::can_scan_all(int thread_count) const {
  const bool is_through = has_begun_ && !scanner_;
  if (has_file() || is_through || scan_error_) return false;
  std::optional<ChunkInfo> last;
  {
    const std::scoped_lock lock(mutex_);
    if (chunks_.size() > 0) last = chunks_.info(chunks_.size() - 1);
  }
  return finder_->is_worth_all_threads(last, thread_count);
}

// Returns whether the next chunk of the scan was found before the scan began again.
//
// Pre: scan_mutex_ is held.
bool GrowingIndex::finds_again() const {
  const std::scoped_lock lock(mutex_);
  return scanned_count_ < chunks_.size();
}

void GrowingIndex::scan_all(Executor& executor, DecodedSink* sink) const {
  ScanResult result = finder_->scan_all(executor, sink, [this, sink](ScannedChunk chunk) {
    ChunkInfo stored = chunk.info;
    stored.size_bytes = stored_size_of(stored);
    add_scanned(std::move(chunk));
    if (sink != nullptr) sink->found(stored);
  });
  set_warnings(std::move(result.warnings));
  finish_scan();
  for (DecodedRange& range : result.decoded) {
    // A sequence with the key of an earlier one is wrong, but the decoder could not know this.
    if (has_repeated_keys(range.range.chunk)) range.kept.reset();
    sink->add(range.range, std::move(range.kept), range.first);
  }
}

// Pre: the chunk is known, and the scan has ended.
bool GrowingIndex::has_repeated_keys(ChunkIndex chunk) const {
  const std::scoped_lock lock(mutex_);
  return !chunks_.notes(static_cast<std::int64_t>(chunk)).repeated.empty();
}

std::vector<Diagnostic> GrowingIndex::scan_warnings() const {
  const std::scoped_lock lock(mutex_);
  return warnings_;
}

void GrowingIndex::set_warnings(std::vector<Diagnostic> warnings) const {
  const std::scoped_lock lock(mutex_);
  warnings_ = std::move(warnings);
}

// Pre: scan_mutex_ is held.
void GrowingIndex::add_scanned(ScannedChunk scanned) const {
  const auto table = std::make_shared<const SequenceTable>(std::move(scanned.sequences));
  ChunkNotes& notes = scanned.notes;
  if (file_.is_writing()) {
    notes.unit_hashes = unit_hashes_of(file_.source(), scanned.info, *table);
  }
  const std::int64_t number = scanned_count_++;
  const bool is_known = finds_again(number, scanned);
  std::optional<RepeatedKeys::Repeated> repeated = keys_.add(*table);
  const bool is_told = repeated.has_value();
  if (is_told) {
    notes.repeated = *std::move(repeated);
    if (file_.is_writing()) file_.add({scanned.info, table, to_numbers(notes)});
  }
  const std::scoped_lock lock(mutex_);
  key_bytes_ = keys_.memory_bytes();
  if (!is_known && !chunks_.add(scanned.info, notes, *table)) {
    tables_.add(number, {.sequences = table, .notes = nullptr}, RecentTables::Cost::dear);
  }
  if (is_told) told_count_ = std::max(told_count_, number + 1);
}

// Returns whether the chunk was found before the scan began again. Throws if it has changed since.
bool GrowingIndex::finds_again(std::int64_t number, const ScannedChunk& scanned) const {
  const std::scoped_lock lock(mutex_);
  if (number >= chunks_.size()) return false;
  if (chunks_.info(number) != scanned.info) finder_->throw_changed(scanned.info);
  return true;
}

// Ends the scan. All chunks are known now, and only late answers about keys may be missing.
void GrowingIndex::finish_scan() const {
  if (keys_.first_late()) add_late_answers();
  keys_ = {};
  scanner_.reset();
  if (file_.is_writing()) file_.finish_writing(finder_->notes_for_file(scan_warnings()));
  const std::scoped_lock lock(mutex_);
  told_count_ = chunks_.size();
  key_bytes_ = scan_bytes_ = 0;
}

void GrowingIndex::add_late_answers() const {
  std::int64_t number = *keys_.first_late();
  for (const RepeatedKeys::Repeated& repeated : keys_.finish()) {
    std::vector<std::int64_t> numbers;
    {
      const std::scoped_lock lock(mutex_);
      chunks_.set_repeated(number, repeated);
      if (file_.is_writing()) numbers = to_numbers(chunks_.notes(number));
    }
    if (file_.is_writing()) {
      const Held held = *this->held(number);
      file_.add({held.info, table_of(number, held), std::move(numbers)});
    }
    ++number;
  }
}

// Returns the data of a chunk that are in memory, or nothing if the scan has not found the chunk
// yet.
std::optional<GrowingIndex::Held> GrowingIndex::held(std::int64_t chunk) const {
  const std::scoped_lock lock(mutex_);
  if (chunk >= chunks_.size()) return std::nullopt;
  Held held{.sequences = nullptr, .info = chunks_.info(chunk)};
  if (std::optional<TableAndNotes> kept = tables_.find(chunk)) {
    held.sequences = std::move(kept->sequences);
  } else if (auto table = chunks_.table(chunk)) {
    held.sequences = tables_
                         .add(chunk, {.sequences = std::move(table), .notes = nullptr},
                              RecentTables::Cost::cheap)
                         .sequences;
  } else {
    held.sequences_before = chunks_.sequences_before(chunk);
  }
  return held;
}

// Returns the table of a known chunk. Finds the table again if it was dropped.
std::shared_ptr<const SequenceTable> GrowingIndex::table_of(std::int64_t chunk, Held held) const {
  if (held.sequences) return std::move(held.sequences);
  auto table =
      std::make_shared<const SequenceTable>(finder_->find_again(held.info, held.sequences_before));
  const std::scoped_lock lock(mutex_);
  // A scan that began again may have dropped a chunk that was not told yet.
  if (chunk >= chunks_.size()) return table;
  return tables_
      .add(chunk, {.sequences = std::move(table), .notes = nullptr}, RecentTables::Cost::dear)
      .sequences;
}

TableAndNotes GrowingIndex::from_file(std::int64_t chunk) const {
  {
    const std::scoped_lock lock(mutex_);
    if (std::optional<TableAndNotes> kept = tables_.find(chunk)) return *std::move(kept);
  }
  std::optional<ChunkNotes> notes;
  IndexRecord record = file_.read(chunk, [&](const IndexRecord& read) {
    notes = notes_from_numbers(read.extra);
    return notes && finder_->fits(read.info, *read.sequences, *notes);
  });
  TableAndNotes read{.sequences = std::move(record.sequences),
                     .notes = std::make_shared<const ChunkNotes>(*std::move(notes))};
  const bool is_cheap = read.sequences->size() <= kCheapSequences &&
                        internal::memory_bytes(*read.notes) <= kCheapNotesBytes;
  const std::scoped_lock lock(mutex_);
  return tables_.add(chunk, std::move(read),
                     is_cheap ? RecentTables::Cost::cheap : RecentTables::Cost::dear);
}

std::shared_ptr<const SequenceTable> GrowingIndex::sequences(ChunkIndex chunk) const {
  const auto i = static_cast<std::int64_t>(chunk);
  if (has_file()) return from_file(i).sequences;
  // Does not call chunk() for a known chunk, since a running scan may be asking for an earlier
  // table.
  std::optional<Held> held = this->held(i);
  if (!held) {
    if (!this->chunk(chunk)) throw InternalError(formatted("index: there is no chunk {}", i));
    held = this->held(i);
  }
  return table_of(i, *std::move(held));
}

std::shared_ptr<const ChunkNotes> GrowingIndex::notes(ChunkIndex chunk) const {
  const auto i = static_cast<std::int64_t>(chunk);
  if (has_file()) return from_file(i).notes;
  if (!find(chunk) && !this->chunk(chunk)) {
    throw InternalError(formatted("index: there is no chunk {}", i));
  }
  const std::scoped_lock lock(mutex_);
  return std::make_shared<const ChunkNotes>(chunks_.notes(i));
}

std::int64_t GrowingIndex::memory_bytes() const {
  const std::scoped_lock lock(mutex_);
  return std::int64_t{sizeof(GrowingIndex)} + file_.memory_bytes() + chunks_.memory_bytes() +
         tables_.memory_bytes() + key_bytes_ + scan_bytes_;
}

std::vector<Diagnostic> GrowingIndex::warnings() const {
  std::vector<Diagnostic> warnings;
  if (file_.use_warning()) warnings.push_back(*file_.use_warning());
  for (Diagnostic& warning : scan_warnings()) warnings.push_back(std::move(warning));
  if (std::optional<Diagnostic> unwritten = file_.write_warning()) {
    warnings.push_back(*std::move(unwritten));
  }
  return warnings;
}

}  // namespace sheaf::internal
