// The index of a CTF file, found chunk by chunk.

#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "sheaf/index.h"

#include "base/key_set.h"
#include "format/ctf/ctf_rows.h"
#include "format/ctf/ctf_schema.h"

namespace sheaf::ctf {

/// What a chunk holds of one stream, by the tokens: good and bad samples alike.
struct StreamCounts {
  std::int64_t sample_count = 0;
  std::int64_t pair_count = 0;  // of sparse streams: colons in their samples
};

/// Scans the file forward, as far as it is asked about. File order thus begins with the first
/// chunk.
///
/// Threads: as Index. A chunk that is known is told without waiting for a scan.
class CtfIndex final : public Index {
 public:
  /// Lifetime: `schema` must outlive the index.
  CtfIndex(std::shared_ptr<const ByteSource> source, const Schema& schema,
           const Beginning& beginning);
  ~CtfIndex() override;

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;
  [[nodiscard]] std::int64_t memory_bytes() const override;

  /// What the chunk holds of each stream.
  ///
  /// Pre:      the chunk exists, here and below.
  /// Lifetime: as long as the index, here and below.
  [[nodiscard]] std::span<const StreamCounts> stream_counts(ChunkIndex chunk) const;

  /// Numbers of the chunk's sequences whose id an earlier sequence has, ascending.
  [[nodiscard]] std::span<const std::int64_t> repeated(ChunkIndex chunk) const;

  /// Line of the first sequence with this id.
  [[nodiscard]] std::int64_t first_line_of(std::uint64_t id) const;

 private:
  struct Entry {
    ChunkInfo info;
    std::shared_ptr<const SequenceTable> sequences;
    std::vector<StreamCounts> stream_counts;
    std::vector<std::int64_t> repeated;
  };

  class Scanner;

  [[nodiscard]] const Entry* find(ChunkIndex chunk) const;
  [[nodiscard]] const Entry* find_or_scan(ChunkIndex chunk) const;
  [[nodiscard]] const Entry& at(ChunkIndex chunk) const;

  // Order of locking: scan_mutex_, then entries_mutex_.
  mutable std::mutex scan_mutex_;
  mutable std::unique_ptr<Scanner> scanner_;  // under scan_mutex_; gone when the file is through
  mutable std::exception_ptr scan_error_;     // under scan_mutex_
  mutable std::mutex entries_mutex_;
  mutable std::deque<Entry> entries_;         // under entries_mutex_; entries do not change or move
  mutable std::int64_t memory_bytes_ = 0;     // under entries_mutex_: of the entries
  mutable std::int64_t id_memory_bytes_ = 0;  // under entries_mutex_: of the ids seen
};

}  // namespace sheaf::ctf
