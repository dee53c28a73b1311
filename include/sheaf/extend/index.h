/// \file
/// The index of data: the offset and the sizes of each chunk and each sequence.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/extend/chunk.h"
#include "sheaf/extend/counts.h"
#include "sheaf/types.h"

namespace sheaf {

/// The offset and the sizes of one chunk.
struct ChunkInfo {
  std::int64_t offset_bytes = 0;  // in the source
  std::int64_t size_bytes = 0;    // in the source
  std::int64_t first_line = 0;    // from 1; 0 if the format has no lines
  std::int64_t sequence_count = 0;
  std::int64_t sample_count = 0;
  std::int64_t decoded_size_bytes = 0;  // of the decoded Chunk; may be an upper bound
  std::uint64_t hash = 0;               // XXH3 of the bytes; 0 if unknown

  friend bool operator==(const ChunkInfo&, const ChunkInfo&) = default;
};

/// The location of a sequence in data of several sources, such as archives of utterances.
struct SourceLocation {
  std::int64_t source = 0;        // number of the source, from 0
  std::int64_t offset_bytes = 0;  // from the start of that source

  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

/// One sequence of a SequenceTable.
struct SequenceInfo {
  SequenceKey key = {};
  std::int64_t offset_bytes = 0;       // from the start of the chunk
  std::int64_t first_line = 0;         // relative to the chunk's first line
  std::int64_t sample_count = 0;       // of the longest stream, or the one that defines the size
  std::optional<std::int64_t> cost{};  // as Index::cost_measure() says; for all or none
  std::optional<SourceLocation> location{};  // in data of several sources; for all or none
};

/// The sequences of one chunk, in compact form. Consecutive keys, evenly spaced offsets and equal
/// lengths take no memory.
///
/// The bytes of a sequence end where the next sequence begins, or at the end of the chunk.
///
/// For data of several sources, offsets refer to an imaginary source in which the bytes of all
/// sequences follow each other. So differences of offsets are sizes in any data.
/// SequenceInfo::location is the real location of each sequence.
class SequenceTable {
 public:
  class Builder;

  /// The lists that only few tables have. Each list has a value for each sequence, or is empty.
  struct RareColumns {
    PackedInts costs{};
    PackedInts sources{};               // the source of each sequence
    PackedInts source_offsets_bytes{};  // the offset in the source; as many values as `sources`
  };

  /// The lists of a table, for programs that store tables. Each list has a value for each sequence.
  struct Columns {
    PackedInts keys_low;
    PackedInts keys_high;  // empty if all values are 0
    PackedInts offsets_bytes;
    PackedInts first_lines;
    std::shared_ptr<const PackedInts> sample_counts = std::make_shared<const PackedInts>();
    std::shared_ptr<const RareColumns> rare{};  // null if the table has none
  };

  /// Makes an empty table.
  SequenceTable() = default;

  /// Pre: all lists have the same size, but keys_high may be empty; sample_counts is not null.
  explicit SequenceTable(Columns columns) : columns_(std::move(columns)) {}

  [[nodiscard]] const Columns& columns() const noexcept { return columns_; }

  [[nodiscard]] std::int64_t size() const noexcept { return columns_.sample_counts->size(); }

  /// Pre: 0 <= i < size(), here and below.
  [[nodiscard]] SequenceKey key(std::int64_t i) const noexcept;
  [[nodiscard]] std::int64_t offset_bytes(std::int64_t i) const noexcept {
    return columns_.offsets_bytes[i];
  }
  [[nodiscard]] std::int64_t first_line(std::int64_t i) const noexcept {
    return columns_.first_lines[i];
  }
  [[nodiscard]] std::int64_t sample_count(std::int64_t i) const noexcept {
    return (*columns_.sample_counts)[i];
  }
  [[nodiscard]] SampleCounts sample_counts() const { return SampleCounts(columns_.sample_counts); }

  /// Returns the declared cost of each sequence; nothing if the table has no costs.
  [[nodiscard]] std::optional<SampleCounts> costs() const;

  /// Returns the location of a sequence in data of several sources; nothing for data of one source.
  [[nodiscard]] std::optional<SourceLocation> location(std::int64_t i) const noexcept;

  /// Returns how much memory the table takes.
  [[nodiscard]] std::int64_t size_bytes() const noexcept;

 private:
  Columns columns_;
};

/// Appends sequences in the order of the file.
class SequenceTable::Builder {
 public:
  void push_back(const SequenceInfo& sequence);
  [[nodiscard]] std::int64_t size() const noexcept { return samples_.size(); }

  /// Returns the sequences so far, and leaves the builder empty.
  ///
  /// Throws: InternalError if only some of the sequences have a cost, or a SourceLocation.
  [[nodiscard]] SequenceTable finish();

 private:
  PackedInts::Builder keys_low_;
  PackedInts::Builder keys_high_;
  PackedInts::Builder offsets_;
  PackedInts::Builder lines_;
  PackedInts::Builder samples_;
  PackedInts::Builder costs_;
  PackedInts::Builder sources_;
  PackedInts::Builder source_offsets_;
  bool has_high_ = false;
};

/// The chunks of a data set, in the order of the file, and the sequences of each.
///
/// See Counts for threads, and for how an index may grow.
class Index : public Counts {
 public:
  /// Returns a chunk; nothing if there is no such chunk. Every chunk has at least one sequence.
  ///
  /// Throws: IoError and DataError, while finding the chunk.
  [[nodiscard]] virtual std::optional<ChunkInfo> chunk(ChunkIndex chunk) const = 0;

  /// Returns the sequences of a chunk.
  ///
  /// Pre:      the chunk exists.
  /// Lifetime: the table may outlive the index.
  [[nodiscard]] virtual std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const = 0;

  /// For data of several sources, returns the name of a source for messages. For other data,
  /// returns an empty text.
  [[nodiscard]] virtual std::string source_name(std::int64_t /*source*/) const { return {}; }

  /// Returns how many bytes of the files a chunk takes. By default ChunkInfo::size_bytes, which in
  /// a compressed file counts bytes of the decompressed content. The indexes of text formats return
  /// the chunk's share of the compressed file. A container, whose offsets and sizes count decoded
  /// bytes, returns another number, too.
  ///
  /// Pre:    the chunk exists.
  /// Throws: as chunk().
  [[nodiscard]] virtual std::int64_t stored_size_bytes(ChunkIndex chunk) const;

  /// Returns how much memory the index takes so far.
  [[nodiscard]] virtual std::int64_t memory_bytes() const = 0;

  [[nodiscard]] std::optional<ChunkCounts> chunk_counts(ChunkIndex chunk) const final;
  [[nodiscard]] SampleCounts sample_counts(ChunkIndex chunk) const final;

  /// Returns the costs of the table. If cost_measure() has a name and the table has no costs,
  /// returns the size of each sequence in bytes of the source. A class that declares costs only
  /// overrides cost_measure().
  [[nodiscard]] std::optional<SampleCounts> costs(ChunkIndex chunk) const final;
};

/// Turns offsets of an index into bytes of the files, for programs that show progress. Goes through
/// the chunks in their order.
class StoredBytes {
 public:
  /// `is_part`: count from the first chunk on, and not from the start of the file.
  ///
  /// Lifetime: `index` must outlive the object.
  explicit StoredBytes(const Index& index, bool is_part = false) noexcept
      : index_(index), is_part_(is_part) {}

  /// Moves to the first chunk, or to the next one. The first chunk begins another pass. `info`
  /// describes the chunk.
  ///
  /// Throws: as Index::stored_size_bytes().
  void begin(ChunkIndex chunk, const ChunkInfo& info);

  /// Returns the bytes of the files up to an offset in the current chunk.
  ///
  /// Pre: 0 <= offset_bytes <= ChunkInfo::size_bytes of the chunk.
  [[nodiscard]] std::int64_t up_to(std::int64_t offset_bytes) const noexcept;

 private:
  const Index& index_;
  const bool is_part_;
  std::int64_t before_bytes_ = 0;  // bytes of the files before the chunk
  std::int64_t stored_bytes_ = 0;  // of the chunk
  std::int64_t end_bytes_ = 0;     // of the chunk, as the index counts
  std::int64_t size_bytes_ = 0;    // of the chunk, as the index counts
};

/// Returns whether the keys of the data are texts. Checks only the first sequence, because all keys
/// of a data set have the same kind. Returns false for data without sequences.
///
/// Throws: what Index::chunk() throws.
[[nodiscard]] bool has_text_keys(const Index& index);

/// An index that is complete from the start, for small data and binary formats.
class MemoryIndex final : public Index {
 public:
  /// Makes an index without chunks. `costs` names what costs measure. The cost of a sequence comes
  /// from its table, or is the size of the sequence in bytes if the table has no costs.
  explicit MemoryIndex(CostMeasure costs = {}) : costs_(std::move(costs)) {}

  /// Appends a chunk. Sets sequence_count and sample_count from the table.
  ///
  /// Pre: the table has at least one sequence; no reader uses the index yet.
  void add(ChunkInfo chunk, SequenceTable sequences);

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;
  [[nodiscard]] std::int64_t memory_bytes() const override;
  [[nodiscard]] CostMeasure cost_measure() const override { return costs_; }

 private:
  CostMeasure costs_;
  std::vector<ChunkInfo> chunks_;
  std::vector<std::shared_ptr<const SequenceTable>> sequences_;
};

}  // namespace sheaf
