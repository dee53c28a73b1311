// The chunks that a scan has found so far.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sheaf/extend/index.h"

#include "index/chunk_infos.h"
#include "index/chunk_notes.h"
#include "index/packed_records.h"

namespace sheaf::internal {

/// A list of chunks with their notes, and with their tables if these are small. Everything is
/// encoded.
///
/// Threads: one call at a time.
/// Cost:    about 40 bytes for a chunk of one sequence.
class KnownChunks {
 public:
  /// Tables of at most this size are kept.
  static constexpr std::int64_t kTableBytesMax = 64;

  [[nodiscard]] std::int64_t size() const noexcept { return infos_.size(); }

  /// Appends a chunk. Returns whether its table is kept.
  bool add(const ChunkInfo& info, const ChunkNotes& notes, const SequenceTable& table);

  /// Pre: 0 <= chunk < size(), also for the functions below.
  [[nodiscard]] ChunkInfo info(std::int64_t chunk) const noexcept { return infos_[chunk]; }
  [[nodiscard]] ChunkNotes notes(std::int64_t chunk) const;

  /// Returns the table of a chunk, or null if it is not kept.
  [[nodiscard]] std::shared_ptr<const SequenceTable> table(std::int64_t chunk) const;

  /// Returns the number of sequences in all chunks before this one.
  [[nodiscard]] std::int64_t sequences_before(std::int64_t chunk) const noexcept {
    return infos_.sequences_before(chunk);
  }

  /// Sets the sequences of a chunk that have the key of an earlier sequence, if this was not known
  /// when the chunk was added. Chunks must come in order, without a gap.
  void set_repeated(std::int64_t chunk, const std::vector<std::int64_t>& repeated);

  /// Drops all chunks but the first `count`.
  ///
  /// Pre: 0 <= count <= size().
  void truncate(std::int64_t count);

  /// Returns how much memory the list takes besides the object itself.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  ChunkInfos infos_;
  PackedRecords records_;  // notes, and the table if it is kept
  PackedRecords late_;     // repeated keys that became known late, from chunk first_late_ on
  std::int64_t first_late_ = 0;
};

}  // namespace sheaf::internal
