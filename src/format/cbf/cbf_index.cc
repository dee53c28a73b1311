#include "format/cbf/cbf_index.h"

#include <algorithm>
#include <numeric>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sheaf/error.h"

#include "base/saturated.h"
#include "base/text.h"
#include "format/cbf/cbf_blocks.h"
#include "format/cbf/cbf_bytes.h"
#include "format/cbf/cbf_cursor.h"
#include "format/cbf/cbf_errors.h"
#include "format/cbf/cbf_expected_layout.h"
#include "index/units.h"

namespace sheaf::cbf {
namespace {

constexpr std::int64_t kNumber = sizeof(std::int64_t);
constexpr std::int64_t kTinyTable = 4;  // in sequences; such a table is made anew each time

// The memory of a buffer besides its bytes.
constexpr std::int64_t kBufferSlack = 64;
constexpr std::int64_t kBuffersPerStream = 8;

/// The size of a chunk up to which any part of the chunk is read with the whole chunk.
std::int64_t small_chunk_size() noexcept { return internal::unit_size_bytes() / 16; }

/// Returns the bytes to read at once to look at one number in every `stride` bytes.
std::int64_t piece_size(std::int64_t stride) noexcept {
  const std::int64_t unit_size = internal::unit_size_bytes();
  return stride < unit_size / 16 ? unit_size : unit_size / 256;
}

/// Returns the first chunk of each group.
PackedInts group(const ChunkTable& chunks, std::int64_t size_bytes) {
  if (size_bytes == 0) return {PackedInts::Line{0, 1}, chunks.size()};
  PackedInts::Builder firsts;
  std::int64_t begin = -1;
  for (std::int64_t i = 0; i < chunks.size(); ++i) {
    const ChunkTable::Chunk chunk = chunks[i];
    if (begin >= 0 && chunk.offset + chunk.size - begin <= size_bytes) continue;
    firsts.push_back(i);
    begin = chunk.offset;
  }
  return firsts.finish();
}

}  // namespace

CbfIndex::CbfIndex(std::shared_ptr<const OpenFile> open, const Schema& schema,
                   std::int64_t group_size_bytes, std::int64_t memory_limit_bytes)
    : open_(std::move(open)),
      trusts_lengths_(schema.trusts_lengths),
      table_bytes_max_(memory_limit_bytes > 0 ? std::max<std::int64_t>(1, memory_limit_bytes / 2)
                                              : 0),
      first_chunks_(group(open_->file.chunks, group_size_bytes)) {
  PackedInts::Builder samples;
  PackedInts::Builder sizes;
  for (std::int64_t i = 0; i < first_chunks_.size(); ++i) {
    std::int64_t sample_count = 0;
    std::int64_t size = 0;
    for (std::int64_t k = first_chunk(i); k < first_chunk(i + 1); ++k) {
      sample_count += open_->file.chunks[k].sample_count;
      size += decoded_size_bytes(schema, k);
    }
    if (trusts_lengths_) {
      const std::vector<std::uint32_t> all = lengths(first_chunk(i), first_chunk(i + 1));
      sample_count = std::accumulate(all.begin(), all.end(), std::int64_t{0});
    }
    samples.push_back(sample_count);
    sizes.push_back(size);
  }
  sample_counts_ = samples.finish();
  decoded_sizes_ = sizes.finish();
}

std::int64_t CbfIndex::first_chunk(std::int64_t group) const noexcept {
  return group < first_chunks_.size() ? first_chunks_[group] : open_->file.chunks.size();
}

// Returns the memory of a decoded chunk: its bytes, and the other memory of its columns. Without
// checks the result is an upper bound. If no stream may be missing, each sequence has a sample of
// each stream. The rest of the chunk counts as the values that make the largest columns.
std::int64_t CbfIndex::decoded_size_bytes(const Schema& schema, std::int64_t number) const {
  const std::span<const FileStream> streams = open_->file.streams;
  const ChunkTable::Chunk chunk = open_->file.chunks[number];
  const std::int64_t count = chunk.sequence_count;
  std::int64_t size = chunk.size;
  std::int64_t rest = chunk.size - count * kCountSize;  // bytes that are not accounted for yet
  for (const FileStream& stream : streams) {
    rest -= count * (stream.storage == Storage::sparse ? 2 * kCountSize : kCountSize);
  }
  double per_byte_of_rest = 0;  // largest memory of columns for each such byte
  for (std::size_t i = 0; i < schema.streams.size(); ++i) {
    const std::int64_t in_file = schema.file_streams[i];
    const FileStream& stream = streams[static_cast<std::size_t>(in_file)];
    const bool is_sparse = stream.storage == Storage::sparse;
    const std::int64_t entry_size = stream.value_size() + (is_sparse ? kIndexSize : 0);
    std::int64_t bytes_per_value = 0;
    if (schema.converts_values(static_cast<std::int64_t>(i), streams)) {
      bytes_per_value += element_size(schema.streams[i].element_type);
    }
    if (schema.converts_indices(static_cast<std::int64_t>(i))) bytes_per_value += kNumber;
    StreamTotals totals;
    if (open_->checks) {
      const StreamTotals told = open_->checks->totals(number, in_file);
      totals.sample_count = std::clamp<std::int64_t>(told.sample_count, 0, chunk.size / kCountSize);
      totals.value_count = std::clamp<std::int64_t>(told.value_count, 0, chunk.size / entry_size);
    } else {
      if (is_sparse) {
        per_byte_of_rest =
            std::max(per_byte_of_rest, static_cast<double>(kNumber) / double{kCountSize});
      }
      per_byte_of_rest = std::max(
          per_byte_of_rest, static_cast<double>(bytes_per_value) / static_cast<double>(entry_size));
      if (!schema.allows_missing) {
        totals.sample_count = count;
        if (!is_sparse) {
          totals.value_count =
              std::min(internal::saturated_product(count, stream.dim), chunk.size / entry_size);
        }
        rest -= is_sparse ? count * kCountSize : totals.value_count * entry_size;
      }
    }
    size += kBuffersPerStream * kBufferSlack;
    size += (count + 1) * (2 * kNumber + 1);  // offsets, byte offsets, presence
    if (is_sparse) size += (count + totals.sample_count + 1) * kNumber;
    size += totals.value_count * bytes_per_value;
  }
  return size + static_cast<std::int64_t>(per_byte_of_rest *
                                          static_cast<double>(std::max<std::int64_t>(0, rest)));
}

std::optional<ChunkInfo> CbfIndex::chunk(ChunkIndex chunk) const {
  const auto i = static_cast<std::int64_t>(chunk);
  if (i >= first_chunks_.size()) return std::nullopt;
  const ChunkTable::Chunk first = open_->file.chunks[first_chunk(i)];
  const ChunkTable::Chunk last = open_->file.chunks[first_chunk(i + 1) - 1];
  return ChunkInfo{
      .offset_bytes = first.offset,
      .size_bytes = last.offset + last.size - first.offset,
      .first_line = 0,
      .sequence_count = last.first_sequence + last.sequence_count - first.first_sequence,
      .sample_count = sample_counts_[i],
      .decoded_size_bytes = decoded_sizes_[i],
      .hash = 0};
}

// Returns the lengths in the chunks [begin, end) of the file.
std::vector<std::uint32_t> CbfIndex::lengths(std::int64_t begin, std::int64_t end) const {
  const ChunkTable::Chunk first = open_->file.chunks[begin];
  const ChunkTable::Chunk last = open_->file.chunks[end - 1];
  const std::int64_t size = last.offset + last.size - first.offset;
  std::vector<std::uint32_t> all;
  all.reserve(
      static_cast<std::size_t>(last.first_sequence + last.sequence_count - first.first_sequence));
  Cursor cursor(*open_->source, first.offset, first.offset + size,
                piece_size(size / (end - begin)));
  for (std::int64_t i = begin; i < end; ++i) {
    const ChunkTable::Chunk chunk = open_->file.chunks[i];
    cursor.skip(chunk.offset - cursor.offset());
    std::int64_t sum = 0;
    XXH3_state_t hash;
    XXH3_64bits_reset(&hash);
    for (std::int64_t left = chunk.sequence_count; left > 0;) {
      const std::int64_t count = std::min(left, Cursor::kTakeMax / kCountSize);
      const std::byte* bytes = cursor.take(count * kCountSize);
      if (open_->checks) {
        XXH3_64bits_update(&hash, bytes, static_cast<std::size_t>(count * kCountSize));
      }
      for (std::int64_t k = 0; k < count; ++k) {
        all.push_back(load<std::uint32_t>(bytes + k * kCountSize));
        sum += all.back();
      }
      left -= count;
    }
    if (open_->checks && open_->checks->chunk(i).lengths_hash != XXH3_64bits_digest(&hash)) {
      throw_wrong(*open_->source, chunk.offset, kHash,
                  formatted("others in the lengths of chunk {}", chunk.number));
    }
    if (!trusts_lengths_ && sum != chunk.sample_count) {
      throw_wrong(*open_->source,
                  open_->file.chunk_table_offset + chunk.number * kChunkEntrySize + 12,
                  kSampleCount,
                  formatted("{} where the lengths in chunk {} add up to {}", chunk.sample_count,
                            chunk.number, sum),
                  "cbf.lengths=trust goes by the lengths");
    }
  }
  return all;
}

// Sequences have no contiguous bytes in a chunk, so their offsets divide its size evenly.
SequenceTable CbfIndex::make_table(std::int64_t group) const {
  const ChunkInfo info = *chunk(ChunkIndex{group});
  const ChunkTable::Chunk first = open_->file.chunks[first_chunk(group)];
  const std::vector<std::uint32_t> all = lengths(first_chunk(group), first_chunk(group + 1));
  const double scale = info.sample_count == 0 ? 0
                                              : static_cast<double>(info.size_bytes) /
                                                    static_cast<double>(info.sample_count);
  const bool are_equal = std::ranges::all_of(all, [&](auto each) { return each == all.front(); });
  PackedInts::Builder counts;
  PackedInts::Builder offsets;
  std::int64_t sum = 0;
  for (const std::uint32_t length : all) {
    counts.push_back(length);
    if (!are_equal) offsets.push_back(static_cast<std::int64_t>(scale * static_cast<double>(sum)));
    sum += length;
  }
  const std::int64_t count = info.sequence_count;
  return SequenceTable(
      {.keys_low = PackedInts(PackedInts::Line{first.first_sequence, 1}, count),
       .keys_high = {},
       .offsets_bytes = are_equal ? PackedInts(PackedInts::Line{0, info.size_bytes / count}, count)
                                  : offsets.finish(),
       .first_lines = PackedInts(PackedInts::Line{}, count),
       .sample_counts = std::make_shared<const PackedInts>(counts.finish())});
}

std::shared_ptr<const SequenceTable> CbfIndex::sequences(ChunkIndex chunk) const {
  const auto group = static_cast<std::int64_t>(chunk);
  {
    const std::scoped_lock lock(mutex_);
    const auto found = tables_.find(group);
    if (found != tables_.end()) {
      recent_.splice(recent_.begin(), recent_, found->second.use);
      return found->second.sequences;
    }
  }
  auto table = std::make_shared<const SequenceTable>(make_table(group));
  if (table->size() <= kTinyTable) return table;
  const std::scoped_lock lock(mutex_);
  const auto [entry, is_new] = tables_.try_emplace(group);
  if (!is_new) return entry->second.sequences;
  entry->second = {table, recent_.insert(recent_.begin(), group)};
  table_bytes_ += table->size_bytes();
  while (table_bytes_max_ > 0 && table_bytes_ > table_bytes_max_ && tables_.size() > 1) {
    const auto oldest = tables_.find(recent_.back());
    table_bytes_ -= oldest->second.sequences->size_bytes();
    tables_.erase(oldest);
    recent_.pop_back();
  }
  return table;
}

CostMeasure CbfIndex::cost_measure() const {
  return {.name = {}, .reason = formatted("{}: CBF files declare none", open_->source->name())};
}

std::int64_t CbfIndex::memory_bytes() const {
  std::int64_t bytes = std::int64_t{sizeof(CbfIndex)} + open_->file.chunks.memory_bytes() +
                       first_chunks_.size_bytes() + sample_counts_.size_bytes() +
                       decoded_sizes_.size_bytes();
  if (open_->checks) bytes += open_->checks->memory_bytes();
  const std::scoped_lock lock(mutex_);
  return bytes + table_bytes_ + layout_bytes_;
}

std::vector<Piece> CbfIndex::pieces(const ChunkRange& range) const {
  const auto group = static_cast<std::int64_t>(range.chunk);
  const ChunkTable& chunks = open_->file.chunks;
  std::int64_t low = first_chunk(group);
  std::int64_t high = first_chunk(group + 1);
  const std::int64_t begin = chunks[low].first_sequence + range.first;
  const std::int64_t last = chunks[high - 1].first_sequence + chunks[high - 1].sequence_count;
  const std::int64_t end = begin + std::min(range.count, last - begin);
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (chunks[middle].first_sequence <= begin ? low : high) = middle;
  }
  std::vector<Piece> pieces;
  for (std::int64_t at = begin; at < end; ++low) {
    const ChunkTable::Chunk chunk = chunks[low];
    const std::int64_t first = at - chunk.first_sequence;
    const std::int64_t count = std::min(chunk.sequence_count - first, end - at);
    pieces.push_back({low, first, count});
    at += count;
  }
  return pieces;
}

CbfIndex::LayoutEntry& CbfIndex::layout_entry(std::int64_t chunk) const {
  const std::scoped_lock lock(mutex_);
  return layouts_[chunk];
}

std::shared_ptr<const FoundLayout> CbfIndex::keep(FoundLayout layout) const {
  auto kept = std::make_shared<const FoundLayout>(std::move(layout));
  const std::scoped_lock lock(mutex_);
  layout_bytes_ += kept->layout.memory_bytes();
  return kept;
}

// Returns the layout of the chunk. Whether a chunk is read in parts or whole decides what damage
// spoils, so this may not depend on the range. With checks, and if the lengths tell the layout, a
// chunk is read in parts.
std::shared_ptr<const FoundLayout> CbfIndex::layout(const Piece& piece) const {
  const ChunkTable::Chunk chunk = open_->file.chunks[piece.chunk];
  const bool is_one_unit = internal::unit_count(chunk.size, chunk.sequence_count) == 1;
  if (open_->checks && is_one_unit) {
    return std::make_shared<const FoundLayout>(
        FoundLayout{.layout = open_->checks->chunk(piece.chunk).layout});
  }
  if (!open_->checks && chunk.size <= small_chunk_size()) return nullptr;

  LayoutEntry& entry = layout_entry(piece.chunk);
  {
    const std::scoped_lock lock(entry.mutex);  // other threads that need this chunk wait
    if (open_->checks && !entry.found) {
      entry.found = keep({.layout = open_->checks->chunk(piece.chunk).layout});
    } else if (!entry.found && !entry.is_unexpected) {
      std::optional<FoundLayout> expected = expect_layout(piece.chunk);
      entry.is_unexpected = !expected;
      if (expected) entry.found = keep(*std::move(expected));
    }
    if (entry.found) return entry.found;
  }
  if (is_one_unit && piece.count == chunk.sequence_count) return nullptr;
  return walked_layout(piece.chunk);
}

std::shared_ptr<const FoundLayout> CbfIndex::walked_layout(std::int64_t chunk) const {
  LayoutEntry& entry = layout_entry(chunk);
  const std::scoped_lock lock(entry.mutex);
  if (!entry.walked) entry.walked = keep(walk(chunk));
  return entry.walked;
}

std::optional<FoundLayout> CbfIndex::expect_layout(std::int64_t number) const {
  try {
    std::optional<ChunkLayout> layout = expected_layout(
        open_->file.streams, open_->file.chunks[number], lengths(number, number + 1));
    if (!layout) return std::nullopt;
    return FoundLayout{.layout = *std::move(layout), .is_expected = true};
  } catch (const DataError&) {  // wrong lengths predict nothing; sequences() reports them
    return std::nullopt;
  }
}

namespace {

// The largest piece to read at once when only the counts of blocks are read. Such a piece stays in
// the cache of the core and is overwritten by the next.
std::int64_t walked_piece_size_max() noexcept { return internal::unit_size_bytes() / 2; }

// Walks over the blocks of a chunk without reading their values.
class Walker {
 public:
  Walker(const ByteSource& source, const ChunkTable::Chunk& chunk)
      : chunk_(chunk),
        cursor_(source, chunk.offset, chunk.offset + chunk.size,
                std::min(piece_size(chunk.size / chunk.sequence_count), walked_piece_size_max())) {
    cursor_.skip(chunk.sequence_count * kCountSize);
  }

  /// Counted from the start of the chunk.
  [[nodiscard]] std::int64_t offset() const noexcept { return cursor_.offset() - chunk_.offset; }
  [[nodiscard]] std::int64_t rest() const noexcept { return cursor_.rest(); }

  /// Skips a block. Returns the error, as an offset in the file, if the block cannot be skipped.
  [[nodiscard]] std::optional<WrongNumber> pass(const FileStream& stream) {
    const std::int64_t size = std::min(cursor_.rest(), 2 * kCountSize);
    Block block = measure_block(stream, cursor_.peek(size), cursor_.rest());
    if (block.wrong) {
      block.wrong->byte_offset += cursor_.offset();
      return block.wrong;
    }
    cursor_.skip(block.size_bytes);
    return std::nullopt;
  }

 private:
  ChunkTable::Chunk chunk_;
  Cursor cursor_;
};

}  // namespace

FoundLayout CbfIndex::walk(std::int64_t number) const {
  const ChunkTable::Chunk chunk = open_->file.chunks[number];
  const internal::Units parts(chunk.sequence_count, part_count(chunk.size, chunk.sequence_count));
  FoundLayout found;
  found.layout.part_count = parts.count();
  Walker walker(*open_->source, chunk);
  for (std::int64_t k = 0; k < std::ssize(open_->file.streams); ++k) {
    const FileStream& stream = open_->file.streams[static_cast<std::size_t>(k)];
    std::int64_t part = 0;
    std::int64_t part_begin = 0;
    for (std::int64_t i = 0; i < chunk.sequence_count; ++i) {
      if (i == part_begin) {
        found.layout.starts.push_back(walker.offset());
        ++part;
        part_begin = part < parts.count() ? parts.first(part) : chunk.sequence_count;
      }
      if (const std::optional<WrongNumber> wrong = walker.pass(stream)) {
        found.damage = Damage{*wrong, i, k};
        return found;
      }
    }
  }
  if (walker.rest() > 0) {
    found.damage = Damage{{&kSlack, chunk.offset + walker.offset(), walker.rest(), 0}, -1, -1};
  }
  found.layout.starts.push_back(chunk.size);
  return found;
}

}  // namespace sheaf::cbf
