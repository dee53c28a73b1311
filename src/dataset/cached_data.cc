#include "dataset/cached_data.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <limits>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/version.h"

#include "base/interruption_watch.h"
#include "base/saturated.h"
#include "base/text.h"
#include "base/unit_size.h"
#include "core/column_gatherer.h"
#include "core/memory_limit.h"
#include "dataset/found_chunks.h"
#include "index/units.h"

namespace sheaf::internal {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kMemoryShare = 8;          // divisor of the memory limit
constexpr std::int64_t kUnitsInTrial = 2;         // at least, counted in whole units
constexpr int kTimings = 3;                       // of a unit in the trial, at most
constexpr std::int64_t kCopiesInWriting = 4;      // of a unit: gathered, encoded, and as a file
constexpr std::string_view kLayoutOfCache = "2";  // changes with the layout of kept units

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Returns the first stream whose sequences state the lengths of others. No format can keep these
// lengths. Returns null if no stream does.
const Stream* describing_stream(const Deserializer& data) {
  const std::span<const Stream> streams = data.streams();
  const auto found = std::ranges::find(streams, true, &Stream::describes_others);
  return found == streams.end() ? nullptr : &*found;
}

std::string identity_of(const Deserializer& data) {
  std::string text =
      formatted("sheaf {} cache {};{};", kVersion, kLayoutOfCache, data.fingerprint());
  for (const Stream& stream : data.streams()) {
    text += formatted("{} {};", to_string(stream), to_string(stream.index_type));
  }
  return to_string(key_of_text(text));
}

// Returns the units of a chunk, as the reader cuts them.
Units units_of(const Index& index, const ChunkInfo& chunk) {
  return index.reads_parts() ? Units(chunk) : Units(chunk.sequence_count, 1);
}

// Returns roughly how much memory sequences of a chunk take when decoded. If the source has no
// bytes, their share of the chunk is by number.
std::int64_t share_of(const ChunkInfo& chunk, std::int64_t count, std::int64_t source_bytes) {
  const bool has_bytes = chunk.size_bytes > 0;
  const auto part = static_cast<double>(has_bytes ? source_bytes : count);
  const auto whole = static_cast<double>(has_bytes ? chunk.size_bytes : chunk.sequence_count);
  return static_cast<std::int64_t>(static_cast<double>(chunk.decoded_size_bytes) * part / whole);
}

bool is_clean(const Chunk& chunk, const Diagnostics& diagnostics, const ChunkRange& part,
              std::int64_t first) {
  const auto is_within = [&](std::int64_t sequence) {
    return sequence >= part.first && sequence - part.first < part.count;
  };
  return std::ranges::none_of(chunk.holes(),
                              [&](std::int64_t hole) { return is_within(first + hole); }) &&
         std::ranges::none_of(diagnostics.entries(), [&](const Diagnostics::Entry& entry) {
           return is_within(entry.sequence);
         });
}

}  // namespace

CachedData::CachedData(std::shared_ptr<const Deserializer> source, CacheSetup setup)
    : source_(std::move(source)),
      setup_(std::move(setup)),
      index_(source_->index(), setup_.memory_bytes.value_or(0)),
      identity_(identity_of(*source_)),
      files_(setup_.options, *setup_.files),
      memory_(setup_.memory_bytes),
      units_(setup_.trial_unit_count, kUnitsInTrial * unit_size_bytes()),
      parts_(setup_.trial_unit_count, kUnitsInTrial * unit_size_bytes()),
      findings_(setup_.options.folder) {
  const Stream* const describing = describing_stream(*source_);
  if (describing == nullptr) {
    bytes_.emplace(*setup_.format, source_->streams());
    return;
  }
  units_.is_on = parts_.is_on = false;
  findings_.note_stream(describing->name);
}

Chunk CachedData::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const std::vector<Piece> pieces = pieces_of(range);
  if (std::ranges::none_of(pieces, &Piece::is_cached)) return source_->read(range, diagnostics);
  std::vector<std::optional<Chunk>> chunks;
  chunks.reserve(pieces.size());
  for (const Piece& piece : pieces) {
    chunks.push_back(piece.is_cached ? kept(piece) : std::nullopt);
    const bool is_missing_part = piece.is_cached && piece.is_part() && !chunks.back();
    if (is_missing_part) chunks.back() = part_of_unit(piece);
  }
  for (std::size_t i = 0; i < pieces.size();) {
    if (chunks[i]) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < pieces.size() && !chunks[end]) ++end;
    chunks[i] = decoded(std::span(pieces).subspan(i, end - i), diagnostics);
    i = end;
  }
  std::vector<Part> parts;
  for (const std::optional<Chunk>& chunk : chunks) {
    if (chunk) parts.push_back({&*chunk, 0, chunk->sequence_count()});
  }
  return parts.size() == 1 ? std::move(*chunks.front()) : joined(parts);
}

// Returns the pieces of units that a range has. Returns nothing if the cache is not used at all.
std::vector<CachedData::Piece> CachedData::pieces_of(const ChunkRange& range) const {
  if (!units_.is_on && !parts_.is_on) return {};
  const ChunkInfo chunk = *source_->index().chunk(range.chunk);
  const std::int64_t end = std::min(chunk.sequence_count - range.first, range.count) + range.first;
  const Units units = units_of(source_->index(), chunk);
  const std::shared_ptr<const SequenceTable> table = source_->index().sequences(range.chunk);
  const auto offset_of = [&](std::int64_t sequence) {
    return sequence < table->size() ? table->offset_bytes(sequence) : chunk.size_bytes;
  };
  std::vector<Piece> pieces;
  for (std::int64_t first = range.first; first < end;) {
    const std::int64_t unit = units.of(first);
    const std::int64_t unit_first = units.first(unit);
    const std::int64_t unit_end = units.first(unit + 1);
    Piece piece{.range = {range.chunk, first, std::min(end, unit_end) - first},
                .unit = {range.chunk, unit_first, unit_end - unit_first}};
    piece.source_bytes = offset_of(unit_end) - offset_of(unit_first);
    piece.decoded_bytes = share_of(chunk, piece.unit.count, piece.source_bytes);
    if (use_of(piece).is_on) {
      const std::optional<SequenceKey> name = name_of(chunk, piece.unit);
      if (!name) return {};
      piece.name = *name;
      piece.is_cached = true;
    }
    first += piece.range.count;
    pieces.push_back(piece);
  }
  return pieces;
}

std::optional<SequenceKey> CachedData::name_of(const ChunkInfo& chunk,
                                               const ChunkRange& range) const {
  const std::optional<std::string>& changed = stamp();
  if (!changed) {
    findings_.note_unknown_times();
    return std::nullopt;
  }
  return key_of_text(formatted("{};{};{};{};{};{};{:x};{};{}", identity_, *changed,
                               static_cast<std::int64_t>(range.chunk), chunk.offset_bytes,
                               chunk.size_bytes, chunk.sequence_count, chunk.hash, range.first,
                               range.count));
}

const std::optional<std::string>& CachedData::stamp() const {
  std::call_once(stamp_once_, [this] { stamp_ = setup_.stamp(); });
  return stamp_;
}

std::optional<Chunk> CachedData::kept(const Piece& piece) const {
  std::optional<Chunk> chunk = read_file(piece);
  (chunk ? hits_ : misses_).fetch_add(1, std::memory_order_relaxed);
  if (chunk) judge(piece);
  return chunk;
}

// An unreadable file counts as missing. The unit is decoded and written again, which replaces the
// file. The file is not removed here, since another process may have written it in the meantime.
std::optional<Chunk> CachedData::read_file(const Piece& piece) const {
  const InterruptionWatch watch;
  try {
    const std::shared_ptr<const ByteSource> source = files_.open(piece.name);
    if (source == nullptr) return std::nullopt;
    // The reader counts the memory of the sequences that it asks for, and not of their whole block.
    const std::int64_t size =
        saturated_sum(source->size(), piece.is_part() ? piece.decoded_bytes : 0);
    const std::optional<MemoryShare::Part> memory = memory_for(size);
    if (!memory) return std::nullopt;
    return bytes_->read({.name = piece.name,
                         .sequence_count = piece.unit.count,
                         .first = piece.range.first - piece.unit.first,
                         .count = piece.range.count},
                        source);
  } catch (const std::exception& error) {
    if (watch.was_interrupted()) throw;
    findings_.note_damage(error.what());
  }
  return std::nullopt;
}

// Decodes the unit of a piece, writes the unit into the cache, and returns the piece. Returns
// nothing if the unit has errors or needs too much memory, or if this is not the first time. The
// piece alone is then read from the data, which tell of its errors.
std::optional<Chunk> CachedData::part_of_unit(const Piece& piece) const {
  if (!is_written_ || !is_first_part(piece)) return std::nullopt;
  std::optional<Chunk> part;
  bool is_kept = false;
  const std::int64_t needed = saturated_product(1 + kCopiesInWriting, piece.decoded_bytes);
  if (const std::optional<MemoryShare::Part> memory = memory_for(needed)) {
    if (const std::optional<Chunk> unit = whole_unit(piece)) {
      is_kept = keep(piece, *unit, piece.unit.first);
      const Part only{&*unit, piece.range.first - piece.unit.first, piece.range.count};
      part = joined({&only, 1});
    }
  }
  if (is_kept) judge(piece);
  return part;
}

// Takes memory from the share of the cache. If the share is too small, notes a finding and returns
// nothing. A thread that holds memory must not take more, since the memory might never come.
std::optional<MemoryShare::Part> CachedData::memory_for(std::int64_t bytes) const {
  std::optional<MemoryShare::Part> memory = memory_.take(bytes);
  if (!memory) findings_.note_memory(bytes, memory_.limit_bytes());
  return memory;
}

// Returns nothing if the unit has errors, which may lie outside the piece.
std::optional<Chunk> CachedData::whole_unit(const Piece& piece) const {
  const InterruptionWatch watch;
  try {
    Diagnostics diagnostics;
    Chunk chunk = source_->read(piece.unit, diagnostics);
    if (is_clean(chunk, diagnostics, piece.unit, piece.unit.first)) return chunk;
  } catch (const std::exception&) {
    if (watch.was_interrupted()) throw;
  }
  return std::nullopt;
}

bool CachedData::is_first_part(const Piece& piece) const {
  const std::scoped_lock lock(mutex_);
  return begun_.insert(piece.name.low).second;
}

Chunk CachedData::decoded(std::span<const Piece> pieces, Diagnostics& diagnostics) const {
  const ChunkRange& front = pieces.front().range;
  const ChunkRange& back = pieces.back().range;
  const ChunkRange range{front.chunk, front.first, back.first + back.count - front.first};
  Chunk chunk = source_->read(range, diagnostics);
  for (const Piece& piece : pieces) {
    if (!units_.is_on || !is_written_) break;
    if (!piece.is_cached || piece.is_part()) continue;
    if (is_clean(chunk, diagnostics, piece.range, range.first)) {
      keep_decoded(piece, chunk, range.first);
    }
  }
  return chunk;
}

// Writes a unit into the cache, within the memory of the cache, and times the cache.
void CachedData::keep_decoded(const Piece& piece, const Chunk& chunk, std::int64_t first) const {
  const double share =
      static_cast<double>(piece.unit.count) / static_cast<double>(chunk.sequence_count());
  const auto size = static_cast<std::int64_t>(static_cast<double>(size_of_columns(chunk)) * share);
  bool is_kept = false;
  if (const std::optional<MemoryShare::Part> memory = memory_for(kCopiesInWriting * size)) {
    is_kept = keep(piece, chunk, first);
  }
  if (is_kept) judge(piece);
}

// Writes a unit into the cache, and returns whether the cache has it. An error becomes a finding,
// and then the run writes no more units.
bool CachedData::keep(const Piece& piece, const Chunk& chunk, std::int64_t first) const {
  const InterruptionWatch watch;
  try {
    const ChunkRange& unit = piece.unit;
    const std::shared_ptr<const SequenceTable> table = source_->index().sequences(unit.chunk);
    std::vector<SequenceKey> keys;
    for (std::int64_t i = 0; i < unit.count; ++i) keys.push_back(table->key(unit.first + i));
    if (!files_.write(piece.name, bytes_->write(piece.name, chunk, unit.first - first, keys))) {
      findings_.note_full(*setup_.options.limit_bytes);
      return false;
    }
    return note_written(piece);
  } catch (const std::exception& error) {
    if (watch.was_interrupted()) throw;
    is_written_ = false;
    findings_.note_failure(error.what());
  }
  return false;
}

// Notes a unit that was written. If the cache was given up in the meantime, removes the file and
// returns false.
bool CachedData::note_written(const Piece& piece) const {
  Use& use = use_of(piece);
  const std::scoped_lock lock(mutex_);
  if (!use.is_on) {
    files_.remove(piece.name);
    return false;
  }
  if (use.trial.is_running()) use.written.push_back(piece.name);
  return true;
}

// Times the source and the cache. Both were read or written just now, so both are in memory, and
// the speed of the disk does not matter. A part counts as its unit, which was decoded for it.
//
// On a busy machine a thread may have to wait. If the cache seems slow, both are timed again, and
// the shortest times count.
void CachedData::judge(const Piece& piece) const {
  Use& use = use_of(piece);
  if (!use.trial.is_running()) return;
  double source_seconds = std::numeric_limits<double>::max();
  double cache_seconds = std::numeric_limits<double>::max();
  for (int i = 0; i < kTimings; ++i) {
    const std::optional<double> seconds = time_source(piece);
    const Clock::time_point begin = Clock::now();
    if (!seconds || !read_file(piece)) return;
    source_seconds = std::min(source_seconds, *seconds);
    cache_seconds = std::min(cache_seconds, seconds_since(begin));
    if (CacheTrial::is_worth_it(source_seconds, cache_seconds)) break;
  }
  const auto times = use.trial.add(source_seconds, cache_seconds, piece.source_bytes);
  if (times) give_up(use, *times, piece.is_part());
}

// Returns nothing if the data cannot be read, or if the memory for a second copy is not there.
std::optional<double> CachedData::time_source(const Piece& piece) const {
  const std::optional<MemoryShare::Part> memory = memory_for(piece.decoded_bytes);
  if (!memory) return std::nullopt;
  const InterruptionWatch watch;
  try {
    const Clock::time_point begin = Clock::now();
    Diagnostics diagnostics;
    static_cast<void>(source_->read(piece.range, diagnostics));
    return seconds_since(begin);
  } catch (const std::exception&) {
    if (watch.was_interrupted()) throw;
  }
  return std::nullopt;
}

// Removes the files that this run wrote, since no later run would read them.
void CachedData::give_up(Use& use, const CacheTrial::Times& times, bool is_of_parts) const {
  findings_.note_slow(times, is_of_parts);
  const std::scoped_lock lock(mutex_);
  use.is_on = false;
  for (const SequenceKey& unit : use.written) files_.remove(unit);
  use.written.clear();
}

// Returns the sequences of consecutive parts as one chunk.
Chunk CachedData::joined(std::span<const Part> parts) const {
  std::int64_t count = 0;
  std::vector<std::int64_t> holes;
  for (const Part& part : parts) {
    for (const std::int64_t hole : part.chunk->holes()) {
      if (hole >= part.first && hole - part.first < part.count) {
        holes.push_back(count + hole - part.first);
      }
    }
    count += part.count;
  }
  const std::span<const Stream> streams = source_->streams();
  std::vector<Column> columns;
  std::vector<SequenceView> views;
  for (std::size_t s = 0; s < streams.size(); ++s) {
    views.clear();
    for (const Part& part : parts) {
      part.chunk->append_views(static_cast<std::int64_t>(s), part.first, part.count, views);
    }
    ColumnGatherer gatherer(streams[s]);
    for (const SequenceView& view : views) gatherer.count(view);
    gatherer.reserve(count);
    for (const SequenceView& view : views) gatherer.add(view);
    columns.push_back(gatherer.finish());
  }
  Chunk chunk(streams, count, std::move(columns), std::move(holes));
  const bool has_texts =
      std::ranges::any_of(parts, [](const Part& part) { return part.chunk->has_key_texts(); });
  if (!has_texts) return chunk;
  std::vector<std::string> texts;
  for (const Part& part : parts) {
    for (std::int64_t i = 0; i < part.count; ++i) {
      texts.emplace_back(part.chunk->key_text(part.first + i));
    }
  }
  chunk.set_key_texts(std::move(texts));
  return chunk;
}

// Sequences that the source decodes while it builds its index do not go into the cache.
void CachedData::build_index(Executor& executor, DecodedSink* sink) const {
  FoundChunks found(sink);
  source_->build_index(executor, units_.is_on || parts_.is_on ? &found : sink);
}

CacheCounts CachedData::cache_counts() const { return {.hits = hits_, .misses = misses_}; }

std::vector<Diagnostic> CachedData::warnings() const {
  std::vector<Diagnostic> all = source_->warnings();
  std::ranges::move(findings_.warnings(), std::back_inserter(all));
  return all;
}

std::shared_ptr<const Deserializer> with_cache(std::shared_ptr<const Deserializer> data,
                                               const DataSpec& spec, const CacheOptions& options,
                                               FileSystem& files,
                                               std::optional<std::int64_t> memory_limit_bytes) {
  check_memory_limit("cache_limit", options.limit_bytes);
  if (options.folder.empty()) {
    if (!options.limit_bytes) return data;
    throw ConfigError("cache_limit: there is no cache to limit; name its folder with `cache`");
  }
  const std::span<const Format> formats = builtin_formats();
  const auto format = std::ranges::find(formats, true, &Format::stores_units);
  CacheSetup setup{
      .options = options,
      .format = &*format,
      .files = &files,
      .stamp = [spec, source = data.get(), &files] { return source_stamp(spec, *source, files); }};
  if (memory_limit_bytes && describing_stream(*data) == nullptr) {
    setup.memory_bytes = std::max<std::int64_t>(1, *memory_limit_bytes / kMemoryShare);
  }
  return std::make_shared<const CachedData>(std::move(data), std::move(setup));
}

}  // namespace sheaf::internal
