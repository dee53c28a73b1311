#include "sheaf/extend/index.h"

#include <numeric>
#include <utility>

#include "sheaf/error.h"

#include "index/memory_sizes.h"
#include "index/units.h"

namespace sheaf {

SequenceKey SequenceTable::key(std::int64_t i) const noexcept {
  SequenceKey key{.low = static_cast<std::uint64_t>(columns_.keys_low[i])};
  if (columns_.keys_high.size() > 0) key.high = static_cast<std::uint64_t>(columns_.keys_high[i]);
  return key;
}

std::int64_t SequenceTable::size_bytes() const noexcept {
  return columns_.keys_low.size_bytes() + columns_.keys_high.size_bytes() +
         columns_.offsets_bytes.size_bytes() + columns_.first_lines.size_bytes() +
         columns_.sample_counts->size_bytes() +
         (columns_.rare ? std::int64_t{sizeof(RareColumns)} + columns_.rare->costs.size_bytes() +
                              columns_.rare->sources.size_bytes() +
                              columns_.rare->source_offsets_bytes.size_bytes()
                        : 0);
}

std::optional<SampleCounts> SequenceTable::costs() const {
  if (!columns_.rare || columns_.rare->costs.size() == 0) return std::nullopt;
  return SampleCounts({columns_.rare, &columns_.rare->costs});
}

std::optional<SourceLocation> SequenceTable::location(std::int64_t i) const noexcept {
  if (!columns_.rare || columns_.rare->sources.size() == 0) return std::nullopt;
  return SourceLocation{columns_.rare->sources[i], columns_.rare->source_offsets_bytes[i]};
}

void SequenceTable::Builder::push_back(const SequenceInfo& sequence) {
  keys_low_.push_back(static_cast<std::int64_t>(sequence.key.low));
  keys_high_.push_back(static_cast<std::int64_t>(sequence.key.high));
  has_high_ = has_high_ || sequence.key.high != 0;
  offsets_.push_back(sequence.offset_bytes);
  lines_.push_back(sequence.first_line);
  samples_.push_back(sequence.sample_count);
  if (sequence.cost) costs_.push_back(*sequence.cost);
  if (!sequence.location) return;
  sources_.push_back(sequence.location->source);
  source_offsets_.push_back(sequence.location->offset_bytes);
}

SequenceTable SequenceTable::Builder::finish() {
  Columns columns;
  columns.keys_low = keys_low_.finish();
  columns.keys_high = keys_high_.finish();
  if (!std::exchange(has_high_, false)) columns.keys_high = PackedInts();
  columns.offsets_bytes = offsets_.finish();
  columns.first_lines = lines_.finish();
  columns.sample_counts = std::make_shared<const PackedInts>(samples_.finish());
  RareColumns rare{.costs = costs_.finish(),
                   .sources = sources_.finish(),
                   .source_offsets_bytes = source_offsets_.finish()};
  const std::int64_t count = columns.sample_counts->size();
  for (const std::int64_t size : {rare.costs.size(), rare.sources.size()}) {
    if (size == 0 || size == count) continue;
    throw InternalError(
        "index: either all sequences of a chunk have a cost, or a location, or none has one");
  }
  if (rare.costs.size() > 0 || rare.sources.size() > 0) {
    columns.rare = std::make_shared<const RareColumns>(std::move(rare));
  }
  return SequenceTable(std::move(columns));
}

std::optional<ChunkCounts> Index::chunk_counts(ChunkIndex chunk) const {
  const std::optional<ChunkInfo> info = this->chunk(chunk);
  if (!info) return std::nullopt;
  return ChunkCounts{.sequence_count = info->sequence_count,
                     .sample_count = info->sample_count,
                     .unit_count = reads_parts() ? internal::Units(*info).count() : 1};
}

SampleCounts Index::sample_counts(ChunkIndex chunk) const {
  return sequences(chunk)->sample_counts();
}

std::optional<SampleCounts> Index::costs(ChunkIndex chunk) const {
  if (cost_measure().name.empty()) return std::nullopt;
  const std::shared_ptr<const SequenceTable> table = sequences(chunk);
  if (std::optional<SampleCounts> own = table->costs()) return own;
  PackedInts::Builder bytes;
  const std::int64_t end = this->chunk(chunk)->size_bytes;
  for (std::int64_t i = 0; i < table->size(); ++i) {
    bytes.push_back((i + 1 < table->size() ? table->offset_bytes(i + 1) : end) -
                    table->offset_bytes(i));
  }
  return SampleCounts(std::make_shared<const PackedInts>(bytes.finish()));
}

std::int64_t Index::stored_size_bytes(ChunkIndex chunk) const {
  return this->chunk(chunk)->size_bytes;
}

void StoredBytes::begin(ChunkIndex chunk, const ChunkInfo& info) {
  if (chunk == ChunkIndex{}) {
    before_bytes_ = is_part_ ? 0 : info.offset_bytes;
  } else {
    before_bytes_ += stored_bytes_ + info.offset_bytes - end_bytes_;
  }
  stored_bytes_ = index_.stored_size_bytes(chunk);
  size_bytes_ = info.size_bytes;
  end_bytes_ = info.offset_bytes + info.size_bytes;
}

std::int64_t StoredBytes::up_to(std::int64_t offset_bytes) const noexcept {
  if (stored_bytes_ == size_bytes_) return before_bytes_ + offset_bytes;
  if (size_bytes_ == 0) return before_bytes_ + stored_bytes_;
  const double share = static_cast<double>(offset_bytes) / static_cast<double>(size_bytes_);
  return before_bytes_ + static_cast<std::int64_t>(share * static_cast<double>(stored_bytes_));
}

bool has_text_keys(const Index& index) {
  // Key texts are hashed, and such a hash never has a high part of 0.
  return index.chunk(ChunkIndex{}) && index.sequences(ChunkIndex{})->key(0).high != 0;
}

void MemoryIndex::add(ChunkInfo chunk, SequenceTable sequences) {
  if (sequences.size() == 0) throw InternalError("index: a chunk has at least one sequence");
  chunk.sequence_count = sequences.size();
  chunk.sample_count = 0;
  for (std::int64_t i = 0; i < sequences.size(); ++i) {
    chunk.sample_count += sequences.sample_count(i);
  }
  chunks_.push_back(chunk);
  sequences_.push_back(std::make_shared<const SequenceTable>(std::move(sequences)));
}

std::optional<ChunkInfo> MemoryIndex::chunk(ChunkIndex chunk) const {
  const auto i = static_cast<std::size_t>(chunk);
  if (i >= chunks_.size()) return std::nullopt;
  return chunks_[i];
}

std::shared_ptr<const SequenceTable> MemoryIndex::sequences(ChunkIndex chunk) const {
  return sequences_.at(static_cast<std::size_t>(chunk));
}

std::int64_t MemoryIndex::memory_bytes() const {
  std::int64_t sum = internal::heap_bytes(chunks_) + internal::heap_bytes(sequences_);
  for (const auto& table : sequences_) sum += internal::memory_bytes(*table);
  return sum;
}

}  // namespace sheaf
