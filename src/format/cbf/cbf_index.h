// The chunks of a CBF file, as they are or put together, and the sequences of each.

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

/// A file that is open: shared by all that read it.
struct OpenFile {
  std::shared_ptr<const ByteSource> source;
  CbfFile file;
  std::unique_ptr<const Checks> checks;  // null: the file has none
};

/// Sequences of one chunk of the file.
struct Piece {
  std::int64_t chunk = 0;  // of the file's table
  std::int64_t first = 0;  // in that chunk
  std::int64_t count = 0;
};

/// Why blocks cannot be found.
struct Damage {
  WrongNumber wrong;           // an offset in the file
  std::int64_t sequence = -1;  // in the chunk; -1: none
  std::int64_t stream = -1;    // of the file; -1: none
};

/// Where the blocks of a chunk lie, or why that cannot be told.
struct FoundLayout {
  ChunkLayout layout;
  std::optional<Damage> damage = {};
  bool is_expected = false;  // only: a part that is not there has to be looked for
};

/// The index that the file itself is. Groups are chunks put together: as many of the file as come
/// to no more than a size, at least one.
///
/// Threads: as Index.
class CbfIndex final : public Index {
 public:
  /// `group_size_bytes` 0: chunks stay as they are.
  ///
  /// Throws: DataError, IoError where lengths are trusted and cannot be read.
  CbfIndex(std::shared_ptr<const OpenFile> open, const Schema& schema,
           std::int64_t group_size_bytes, std::int64_t memory_limit_bytes);

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;

  /// Throws: DataError where the lengths are not those that the chunk table says; IoError.
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;

  [[nodiscard]] std::int64_t memory_bytes() const override;
  [[nodiscard]] CostMeasure cost_measure() const override;

  /// The chunks of the file that a range is made of.
  ///
  /// Pre: as Deserializer::read().
  [[nodiscard]] std::vector<Piece> pieces(const ChunkRange& range) const;

  /// Where the parts of a piece's chunk lie, or are expected; null where the chunk had better be
  /// read whole. Finding that may take walking over the chunk once.
  [[nodiscard]] std::shared_ptr<const FoundLayout> layout(const Piece& piece) const;

  /// Where they do lie, found by walking over the chunk once.
  [[nodiscard]] std::shared_ptr<const FoundLayout> walked_layout(std::int64_t chunk) const;

 private:
  struct Table {
    std::shared_ptr<const SequenceTable> sequences;
    std::list<std::int64_t>::iterator place;  // in recent_
  };

  struct LayoutSlot {
    std::mutex mutex;
    std::shared_ptr<const FoundLayout> found;  // of checks, or expected; under mutex, as all below
    bool is_unexpected = false;                // lengths do not tell it
    std::shared_ptr<const FoundLayout> walked;
  };

  [[nodiscard]] std::int64_t decoded_size_bytes(const Schema& schema, std::int64_t chunk) const;
  [[nodiscard]] std::int64_t first_chunk(std::int64_t group) const noexcept;
  [[nodiscard]] std::vector<std::uint32_t> lengths(std::int64_t begin, std::int64_t end) const;
  [[nodiscard]] SequenceTable make_table(std::int64_t group) const;
  [[nodiscard]] LayoutSlot& layout_slot(std::int64_t chunk) const;
  [[nodiscard]] std::shared_ptr<const FoundLayout> keep(FoundLayout layout) const;
  [[nodiscard]] std::optional<FoundLayout> expect_layout(std::int64_t chunk) const;
  [[nodiscard]] FoundLayout walk(std::int64_t chunk) const;

  const std::shared_ptr<const OpenFile> open_;
  const bool trusts_lengths_;
  const std::int64_t table_bytes_max_;  // 0: no limit
  PackedInts first_chunks_;             // of each group
  PackedInts sample_counts_;
  PackedInts decoded_sizes_;

  mutable std::mutex mutex_;
  mutable std::unordered_map<std::int64_t, Table> tables_;  // under mutex_, here and below
  mutable std::list<std::int64_t> recent_;                  // groups, the last used first
  mutable std::int64_t table_bytes_ = 0;
  mutable std::unordered_map<std::int64_t, LayoutSlot> layouts_;  // never moved
  mutable std::int64_t layout_bytes_ = 0;
};

}  // namespace sheaf::cbf
