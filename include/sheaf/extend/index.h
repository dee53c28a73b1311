/// \file
/// Where each chunk and each sequence lies.

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

/// The place and the sizes of one chunk.
struct ChunkInfo {
  std::int64_t offset_bytes = 0;  // in the source
  std::int64_t size_bytes = 0;    // in the source
  std::int64_t first_line = 0;    // from 1; 0 where the format has no lines
  std::int64_t sequence_count = 0;
  std::int64_t sample_count = 0;
  std::int64_t decoded_size_bytes =
      0;                   // of the Chunk that reading it gives; an upper bound will do
  std::uint64_t hash = 0;  // XXH3 of its bytes; 0 where not known

  friend bool operator==(const ChunkInfo&, const ChunkInfo&) = default;
};

/// Where a sequence lies, in data of several sources, such as archives of utterances.
struct SourcePlace {
  std::int64_t source = 0;        // number of the source, from 0
  std::int64_t offset_bytes = 0;  // from the start of that source

  friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

/// One sequence in the table of a chunk.
struct SequenceInfo {
  SequenceKey key = {};
  std::int64_t offset_bytes = 0;       // from the start of the chunk
  std::int64_t first_line = 0;         // from the chunk's first line: 0 is that line
  std::int64_t sample_count = 0;       // of the longest stream, or the one that defines the size
  std::optional<std::int64_t> cost{};  // what Index::cost_measure() says; of all sequences, or none
  std::optional<SourcePlace> place{};  // in data of several sources: of all sequences, or none
};

/// The sequences of one chunk, packed: running keys, even offsets and equal lengths cost nothing.
///
/// The bytes of a sequence end where the next sequence begins, or at the end of the chunk.
///
/// Data of several sources have chunks of an imagined source, in which the bytes of all sequences
/// follow each other. The place of each sequence says where its bytes really are. So offsets tell
/// sizes in any data.
class SequenceTable {
 public:
  class Builder;

  /// The lists that few tables have. Each has a value for each sequence, or is empty.
  struct RareColumns {
    PackedInts costs{};
    PackedInts sources{};               // where sequences lie, here and below
    PackedInts source_offsets_bytes{};  // as many as sources
  };

  /// The lists of a table, for programs that store tables. Each list has a value for each sequence.
  struct Columns {
    PackedInts keys_low;
    PackedInts keys_high;  // empty where all are 0
    PackedInts offsets_bytes;
    PackedInts first_lines;
    std::shared_ptr<const PackedInts> sample_counts = std::make_shared<const PackedInts>();
    std::shared_ptr<const RareColumns> rare{};  // null where the table has none
  };

  /// Makes an empty table.
  SequenceTable() = default;

  /// Pre: all lists have one size, except that keys_high may be empty; sample_counts is not null.
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

  /// Returns the declared cost of each sequence; nothing where the table has none.
  [[nodiscard]] std::optional<SampleCounts> costs() const;

  /// Returns where a sequence lies in data of several sources; nothing in data of one source.
  [[nodiscard]] std::optional<SourcePlace> place(std::int64_t i) const noexcept;

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

  /// Returns the sequences so far. The builder is empty afterwards.
  ///
  /// Throws: InternalError where some sequences have a cost, or a place, and others have none.
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
/// See Counts for how an index may grow, and for threads.
class Index : public Counts {
 public:
  /// Returns a chunk; nothing where there is no such chunk. Every chunk has at least one sequence.
  ///
  /// Throws: IoError, DataError while finding it.
  [[nodiscard]] virtual std::optional<ChunkInfo> chunk(ChunkIndex chunk) const = 0;

  /// Returns the sequences of a chunk.
  ///
  /// Pre:      the chunk exists.
  /// Lifetime: the table may outlive the index.
  [[nodiscard]] virtual std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const = 0;

  /// Returns the name of a source for messages, in data of several sources; else an empty text.
  [[nodiscard]] virtual std::string source_name(std::int64_t /*source*/) const { return {}; }

  /// Returns how much memory the index takes so far.
  [[nodiscard]] virtual std::int64_t memory_bytes() const = 0;

  [[nodiscard]] std::optional<ChunkCounts> chunk_counts(ChunkIndex chunk) const final;
  [[nodiscard]] SampleCounts sample_counts(ChunkIndex chunk) const final;

  /// Returns the costs of the table; where cost_measure() has a name and the table has no costs,
  /// the bytes of each sequence in the source. A class that declares costs overrides cost_measure()
  /// alone.
  [[nodiscard]] std::optional<SampleCounts> costs(ChunkIndex chunk) const final;
};

/// Returns whether the keys of the data are texts. The keys of data are all of one kind, so the
/// first sequence tells. Data without sequences have numbers.
///
/// Throws: what Index::chunk() throws.
[[nodiscard]] bool has_text_keys(const Index& index);

/// An index that is complete from the start, for small data and binary formats.
class MemoryIndex final : public Index {
 public:
  /// Makes an index without chunks. `costs` names what costs measure. The cost of a sequence is the
  /// one in its table, or the size of the sequence in bytes where the table has no costs.
  explicit MemoryIndex(CostMeasure costs = {}) : costs_(std::move(costs)) {}

  /// Appends a chunk. The table gives the chunk its sequence_count and sample_count.
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
