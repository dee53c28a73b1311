// Consecutive lattices of an archive are read together, to the front of the room for their values.
// If values are padded, each lattice then moves back to its final offset, the last one first.

#include "format/lattice/lattice_deserializer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/interruption.h"

#include "base/text.h"
#include "format/lattice/lattice_block.h"

namespace sheaf::lattice {
namespace {

Buffer lattice_buffer(std::int64_t size_bytes) {
  Buffer buffer;
  buffer.reserve(size_bytes);
  buffer.resize(size_bytes);
  return buffer;
}

Buffer number_buffer(std::int64_t count) {
  return lattice_buffer(count * std::int64_t{sizeof(std::int64_t)});
}

/// Reads one range of a chunk. Can be used once.
class RangeReader {
 public:
  RangeReader(const ReadOptions& options, const LatticeIndex& index, const ChunkRange& range,
              Diagnostics& diagnostics)
      : options_(options),
        index_(index),
        range_(range),
        diagnostics_(diagnostics),
        table_(index.sequences(range.chunk)) {}

  Chunk read() {
    find_lattices();
    read_values();
    frame_counts_.reserve(lattices_.size());
    std::vector<std::int64_t> holes;
    if (options_.checks_blocks) holes = check_blocks();
    for (const Lattice& each : lattices_) {
      frame_counts_.push_back(frame_count_of(bytes_of(each)).value_or(-1));
    }
    std::vector<Column> columns;
    columns.push_back(column(!holes.empty()));
    Chunk chunk({&options_.stream, 1}, std::ssize(lattices_), std::move(columns), std::move(holes));
    if (options_.has_text_keys) chunk.set_key_texts(key_texts());
    chunk.set_described_counts(std::move(frame_counts_));
    return chunk;
  }

 private:
  struct Lattice {
    std::int64_t source = 0;
    std::int64_t offset = 0;  // in the archive
    std::int64_t size = 0;
    std::int64_t location = 0;  // offset in the values, in bytes
    bool is_hole = false;
  };

  void find_lattices() {
    const std::int64_t chunk_size = index_.chunk(range_.chunk)->size_bytes;
    const std::int64_t last = range_.first + std::min(range_.count, table_->size() - range_.first);
    for (std::int64_t i = range_.first; i < last; ++i) {
      const SourceLocation location = *table_->location(i);
      const std::int64_t end = i + 1 < table_->size() ? table_->offset_bytes(i + 1) : chunk_size;
      lattices_.push_back({.source = location.source,
                           .offset = location.offset_bytes,
                           .size = end - table_->offset_bytes(i),
                           .location = value_bytes_});
      value_bytes_ += options_.value_bytes(lattices_.back().size);
    }
  }

  void read_values() {
    values_ = lattice_buffer(value_bytes_);
    for (std::size_t first = 0; first < lattices_.size();) {
      std::size_t last = first + 1;
      while (last < lattices_.size() && follows(lattices_[last - 1], lattices_[last])) ++last;
      read_run(first, last);
      first = last;
    }
  }

  static bool follows(const Lattice& before, const Lattice& next) {
    return next.source == before.source && next.offset == before.offset + before.size;
  }

  void read_run(std::size_t first, std::size_t last) {
    const Lattice& begin = lattices_[first];
    const ByteSource& archive = index_.archive(begin.source);
    const std::int64_t size = lattices_[last - 1].offset + lattices_[last - 1].size - begin.offset;
    std::byte* const bytes = values_.mutable_data() + begin.location;
    for (std::int64_t at = 0; at < size; at += options_.read_size_bytes) {
      check_interruption();
      const std::int64_t piece = std::min(options_.read_size_bytes, size - at);
      archive.read_at(begin.offset + at, {bytes + at, static_cast<std::size_t>(piece)});
    }
    for (std::size_t i = last; i-- > first;) {
      const Lattice& lattice = lattices_[i];
      std::byte* const to = values_.mutable_data() + lattice.location;
      const std::byte* const from = bytes + (lattice.offset - begin.offset);
      if (to != from) std::memmove(to, from, static_cast<std::size_t>(lattice.size));
      const std::int64_t padding = options_.value_bytes(lattice.size) - lattice.size;
      std::fill_n(to + lattice.size, padding, std::byte{0});
    }
  }

  [[nodiscard]] std::span<const std::byte> bytes_of(const Lattice& lattice) const {
    return {values_.data() + lattice.location, static_cast<std::size_t>(lattice.size)};
  }

  [[nodiscard]] std::vector<std::int64_t> check_blocks() {
    std::vector<std::int64_t> holes;
    for (std::int64_t i = 0; i < std::ssize(lattices_); ++i) {
      Lattice& lattice = lattices_[static_cast<std::size_t>(i)];
      const std::optional<BlockFault> fault = fault_of_block(bytes_of(lattice));
      if (!fault) continue;
      lattice.is_hole = true;
      holes.push_back(i);
      Diagnostic diagnostic;
      diagnostic.path = index_.archive(lattice.source).name();
      diagnostic.byte_offset = lattice.offset + fault->byte_offset;
      diagnostic.sequence_key = options_.has_text_keys
                                    ? std::string(index_.key_text(range_.chunk, range_.first + i))
                                    : to_string(table_->key(range_.first + i));
      diagnostic.stream = options_.stream.name;
      diagnostic.code = fault->kind->code;
      diagnostic.expected = fault->kind->expected;
      diagnostic.found = fault->found;
      diagnostics_.add(range_.first + i, std::move(diagnostic));
    }
    return holes;
  }

  // The bytes of holes stay among the values, so that no other bytes need to move.
  [[nodiscard]] Column column(bool has_holes) {
    const bool gives_bytes = options_.gives_bytes();
    const auto count = std::ssize(lattices_);
    Column column;
    column.values = std::move(values_);
    column.sequence_offsets = number_buffer(count + 1);
    if (has_holes) column.value_byte_offsets = number_buffer(count);
    std::int64_t samples = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const Lattice& lattice = lattices_[static_cast<std::size_t>(i)];
      const auto at = static_cast<std::size_t>(i);
      column.sequence_offsets.as_mutable<std::int64_t>()[at] = samples;
      if (has_holes) column.value_byte_offsets.as_mutable<std::int64_t>()[at] = lattice.location;
      if (lattice.is_hole) continue;
      samples += gives_bytes ? 1 : options_.value_bytes(lattice.size) / 4;
    }
    column.sequence_offsets.as_mutable<std::int64_t>().back() = samples;
    if (!gives_bytes) return column;
    column.extents = number_buffer(samples);
    column.sample_offsets = number_buffer(samples + 1);
    std::span<std::int64_t> extents = column.extents.as_mutable<std::int64_t>();
    std::span<std::int64_t> offsets = column.sample_offsets.as_mutable<std::int64_t>();
    offsets[0] = 0;
    std::size_t sample = 0;
    for (const Lattice& lattice : lattices_) {
      if (lattice.is_hole) continue;
      extents[sample] = lattice.size;
      offsets[sample + 1] = offsets[sample] + lattice.size;
      ++sample;
    }
    return column;
  }

  [[nodiscard]] std::vector<std::string> key_texts() const {
    std::vector<std::string> texts;
    texts.reserve(lattices_.size());
    for (std::int64_t i = 0; i < std::ssize(lattices_); ++i) {
      texts.emplace_back(index_.key_text(range_.chunk, range_.first + i));
    }
    return texts;
  }

  const ReadOptions& options_;
  const LatticeIndex& index_;
  const ChunkRange range_;
  Diagnostics& diagnostics_;
  const std::shared_ptr<const SequenceTable> table_;
  std::vector<Lattice> lattices_;
  std::int64_t value_bytes_ = 0;
  Buffer values_;
  std::vector<std::int64_t> frame_counts_;  // of each lattice; -1 if not known
};

}  // namespace

std::string LatticeDeserializer::fingerprint() const {
  std::string text =
      formatted("lattice:{}:chunk={}", index_.fingerprint(), options_.chunk_size_bytes);
  if (!options_.gives_bytes()) text += ":as=f32";
  if (options_.has_text_keys) text += ":keys=text";
  if (!options_.checks_blocks) text += ":cntk";
  return text;
}

Chunk LatticeDeserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  return RangeReader(options_, index_, range, diagnostics).read();
}

}  // namespace sheaf::lattice
