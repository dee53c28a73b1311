#include "dataset/cached_data.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/version.h"

#include "base/interruption_watch.h"
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
constexpr std::int64_t kSmallPart = 16;           // smaller parts of a unit are not worth a file
constexpr std::int64_t kCopiesInWriting = 4;      // of a unit: gathered, encoded, and as a file
constexpr std::string_view kLayoutOfCache = "1";  // changes with the layout of kept units

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
      trial_(setup_.trial_unit_count, kUnitsInTrial * unit_size_bytes()),
      findings_(setup_.options.folder) {
  const Stream* const describing = describing_stream(*source_);
  if (describing == nullptr) {
    bytes_.emplace(*setup_.format, source_->streams());
    return;
  }
  is_used_ = false;
  findings_.note_stream(describing->name);
}

Chunk CachedData::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const std::vector<Piece> pieces = pieces_of(range);
  if (pieces.empty()) return source_->read(range, diagnostics);
  std::vector<std::optional<Chunk>> chunks;
  chunks.reserve(pieces.size());
  for (const Piece& piece : pieces) chunks.push_back(kept(piece));

  std::vector<Part> parts;
  for (std::size_t i = 0; i < pieces.size();) {
    const std::int64_t first = pieces[i].range.first;
    if (chunks[i]) {
      parts.push_back({first, *std::move(chunks[i++])});
      continue;
    }
    std::size_t end = i + 1;
    while (end < pieces.size() && !chunks[end]) ++end;
    parts.push_back({first, decoded(std::span(pieces).subspan(i, end - i), diagnostics)});
    i = end;
  }
  return parts.size() == 1 ? std::move(parts.front().chunk) : joined(parts);
}

// Returns the pieces of units that a range has. Returns nothing if the cache is not used for it.
std::vector<CachedData::Piece> CachedData::pieces_of(const ChunkRange& range) const {
  if (!is_used_) return {};
  const ChunkInfo chunk = *source_->index().chunk(range.chunk);
  const std::int64_t end = std::min(chunk.sequence_count - range.first, range.count) + range.first;
  const Units units = units_of(source_->index(), chunk);
  const std::shared_ptr<const SequenceTable> table = source_->index().sequences(range.chunk);
  std::vector<Piece> pieces;
  for (std::int64_t first = range.first; first < end;) {
    const std::int64_t unit = units.of(first);
    const std::int64_t unit_end = units.first(unit + 1);
    Piece piece{.range = {range.chunk, first, std::min(end, unit_end) - first}};
    const auto offset_of = [&](std::int64_t sequence) {
      return sequence < table->size() ? table->offset_bytes(sequence) : chunk.size_bytes;
    };
    piece.source_bytes = offset_of(first + piece.range.count) - offset_of(first);
    const bool is_part = first > units.first(unit) || end < unit_end;
    if (is_part && piece.source_bytes < unit_size_bytes() / kSmallPart) return {};
    const std::optional<SequenceKey> name = name_of(chunk, piece.range);
    if (!name) return {};
    piece.name = *name;
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
    const std::optional<MemoryShare::Part> memory = memory_.take(source->size());
    if (!memory) {
      findings_.note_memory(source->size(), memory_.limit_bytes());
      return std::nullopt;
    }
    return bytes_->read(piece.name, source, piece.range.count);
  } catch (const std::exception& error) {
    if (watch.was_interrupted()) throw;
    findings_.note_damage(error.what());
  }
  return std::nullopt;
}

Chunk CachedData::decoded(std::span<const Piece> pieces, Diagnostics& diagnostics) const {
  const ChunkRange& front = pieces.front().range;
  const ChunkRange& back = pieces.back().range;
  const ChunkRange range{front.chunk, front.first, back.first + back.count - front.first};
  Chunk chunk = source_->read(range, diagnostics);
  for (const Piece& piece : pieces) {
    if (!is_used_ || !is_written_) break;
    if (is_clean(chunk, diagnostics, piece.range, range.first)) keep(piece, chunk, range.first);
  }
  return chunk;
}

// Writes a piece into the cache. An error becomes a finding, and then the run writes no more
// pieces.
void CachedData::keep(const Piece& piece, const Chunk& chunk, std::int64_t first) const {
  const InterruptionWatch watch;
  try {
    const double share =
        static_cast<double>(piece.range.count) / static_cast<double>(chunk.sequence_count());
    const auto size =
        static_cast<std::int64_t>(static_cast<double>(size_of_columns(chunk)) * share);
    const std::optional<MemoryShare::Part> memory = memory_.take(kCopiesInWriting * size);
    if (!memory) {
      findings_.note_memory(kCopiesInWriting * size, memory_.limit_bytes());
      return;
    }
    const std::shared_ptr<const SequenceTable> table =
        source_->index().sequences(piece.range.chunk);
    std::vector<SequenceKey> keys;
    for (std::int64_t i = 0; i < piece.range.count; ++i) {
      keys.push_back(table->key(piece.range.first + i));
    }
    if (!files_.write(piece.name,
                      bytes_->write(piece.name, chunk, piece.range.first - first, keys))) {
      findings_.note_full(*setup_.options.limit_bytes);
      return;
    }
    if (trial_.is_running()) {
      const std::scoped_lock lock(mutex_);
      written_.push_back(piece.name);
    }
    judge(piece);
  } catch (const std::exception& error) {
    if (watch.was_interrupted()) throw;
    is_written_ = false;
    findings_.note_failure(error.what());
  }
}

// Times the source and the cache. Both were read or written just now, so both are in memory, and
// the speed of the disk does not matter.
void CachedData::judge(const Piece& piece) const {
  if (!trial_.is_running()) return;
  const Clock::time_point begin = Clock::now();
  Diagnostics diagnostics;
  static_cast<void>(source_->read(piece.range, diagnostics));
  const double source_seconds = seconds_since(begin);
  const Clock::time_point middle = Clock::now();
  if (!read_file(piece)) return;
  const auto times = trial_.add(source_seconds, seconds_since(middle), piece.source_bytes);
  if (times) give_up(*times);
}

// Removes the files that this run wrote, since no later run would read them.
void CachedData::give_up(const CacheTrial::Times& times) const {
  is_used_ = false;
  findings_.note_slow(times);
  const std::scoped_lock lock(mutex_);
  for (const SequenceKey& unit : written_) files_.remove(unit);
  written_.clear();
}

Chunk CachedData::joined(std::span<const Part> parts) const {
  const std::int64_t count =
      parts.back().first + parts.back().chunk.sequence_count() - parts.front().first;
  const std::span<const Stream> streams = source_->streams();
  std::vector<Column> columns;
  std::vector<SequenceView> views;
  for (std::size_t s = 0; s < streams.size(); ++s) {
    views.clear();
    for (const Part& part : parts) {
      part.chunk.append_views(static_cast<std::int64_t>(s), 0, part.chunk.sequence_count(), views);
    }
    ColumnGatherer gatherer(streams[s]);
    for (const SequenceView& view : views) gatherer.count(view);
    gatherer.reserve(count);
    for (const SequenceView& view : views) gatherer.add(view);
    columns.push_back(gatherer.finish());
  }
  std::vector<std::int64_t> holes;
  std::vector<std::string> texts;
  for (const Part& part : parts) {
    for (const std::int64_t hole : part.chunk.holes()) {
      holes.push_back(part.first - parts.front().first + hole);
    }
    for (std::int64_t i = 0; i < part.chunk.sequence_count(); ++i) {
      texts.emplace_back(part.chunk.key_text(i));
    }
  }
  Chunk chunk(streams, count, std::move(columns), std::move(holes));
  const bool has_texts =
      std::ranges::any_of(parts, [](const Part& part) { return part.chunk.has_key_texts(); });
  if (has_texts) chunk.set_key_texts(std::move(texts));
  return chunk;
}

// Sequences that the source decodes while it builds its index do not go into the cache.
void CachedData::build_index(Executor& executor, DecodedSink* sink) const {
  FoundChunks found(sink);
  source_->build_index(executor, is_used_ ? &found : sink);
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
