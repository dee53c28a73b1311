// The chunks of a CBF file, as stored or merged into groups, and the sequences of each.

#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/index.h"

#include "format/cbf/cbf_checks.h"
#include "format/cbf/cbf_errors.h"
#include "format/cbf/cbf_file.h"
#include "format/cbf/cbf_schema.h"

namespace sheaf::cbf {

/// An open file, shared by all its readers.
struct OpenFile {
  std::shared_ptr<const ByteSource> source;
  CbfFile file;
  std::unique_ptr<const Checks> checks;  // null if the file has none
};

/// Consecutive sequences of one chunk of the file.
struct Piece {
  std::int64_t chunk = 0;  // in the file's table
  std::int64_t first = 0;  // in that chunk
  std::int64_t count = 0;
};

/// The reason why blocks cannot be found.
struct Damage {
  WrongNumber wrong;           // an offset in the file
  std::int64_t sequence = -1;  // in the chunk; -1: none
  std::int64_t stream = -1;    // of the file; -1: none
};

/// The layout of a chunk's blocks, or the reason why it is unknown.
struct FoundLayout {
  ChunkLayout layout;
  std::optional<Damage> damage = {};
  bool is_expected = false;  // not certain: a part that does not lie there must be looked for
};

/// The index that the file itself contains. A group merges consecutive chunks up to a size, but has
/// at least one chunk.
///
/// Threads: as Index.
class CbfIndex final : public Index {
 public:
  /// Merges chunks up to `group_size_bytes`; 0 keeps the chunks of the file.
  ///
  /// Throws: DataError, IoError if lengths are trusted and cannot be read.
  CbfIndex(std::shared_ptr<const OpenFile> open, const Schema& schema,
           std::int64_t group_size_bytes, std::int64_t memory_limit_bytes);

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;

  /// Throws: DataError if the lengths differ from the chunk table; IoError.
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;

  [[nodiscard]] std::int64_t memory_bytes() const override;
  [[nodiscard]] CostMeasure cost_measure() const override;

  /// Returns the pieces of the file's chunks that make a range.
  ///
  /// Pre: as Deserializer::read().
  [[nodiscard]] std::vector<Piece> pieces(const ChunkRange& range) const;

  /// Returns the certain or expected layout of a piece's chunk. Returns null if the chunk should be
  /// read whole. May walk over the chunk once.
  [[nodiscard]] std::shared_ptr<const FoundLayout> layout(const Piece& piece) const;

  /// Returns the layout found by walking over the chunk once.
  [[nodiscard]] std::shared_ptr<const FoundLayout> walked_layout(std::int64_t chunk) const;

 private:
  struct Table {
    std::shared_ptr<const SequenceTable> sequences;
    std::list<std::int64_t>::iterator use;  // in recent_
  };

  struct LayoutEntry {
    std::mutex mutex;
    std::shared_ptr<const FoundLayout> found;  // checks or expected; under mutex, as the next
    bool is_unexpected = false;                // the lengths do not tell the layout
    std::shared_ptr<const FoundLayout> walked;
  };

  [[nodiscard]] std::int64_t decoded_size_bytes(const Schema& schema, std::int64_t chunk) const;
  [[nodiscard]] std::int64_t first_chunk(std::int64_t group) const noexcept;
  [[nodiscard]] std::vector<std::uint32_t> lengths(std::int64_t begin, std::int64_t end) const;
  [[nodiscard]] SequenceTable make_table(std::int64_t group) const;
  [[nodiscard]] LayoutEntry& layout_entry(std::int64_t chunk) const;
  [[nodiscard]] std::shared_ptr<const FoundLayout> keep(FoundLayout layout) const;
  [[nodiscard]] std::optional<FoundLayout> expect_layout(std::int64_t chunk) const;
  [[nodiscard]] FoundLayout walk(std::int64_t chunk) const;

  const std::shared_ptr<const OpenFile> open_;
  const bool trusts_lengths_;
  const std::int64_t table_bytes_max_;  // 0 means no limit
  PackedInts first_chunks_;             // first chunk of each group
  PackedInts sample_counts_;
  PackedInts decoded_sizes_;

  mutable std::mutex mutex_;
  mutable std::unordered_map<std::int64_t, Table> tables_;  // under mutex_, as the next ones
  mutable std::list<std::int64_t> recent_;                  // groups, most recently used first
  mutable std::int64_t table_bytes_ = 0;
  mutable std::unordered_map<std::int64_t, LayoutEntry> layouts_;  // never moved
  mutable std::int64_t layout_bytes_ = 0;
};

}  // namespace sheaf::cbf
