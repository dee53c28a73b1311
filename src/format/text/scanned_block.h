// The sequences of a block of a text, before they are put into chunks.

#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/decoded_sink.h"

#include "base/block_memory.h"
#include "format/text/scan_warnings.h"
#include "format/text/scanned_chunk.h"

namespace sheaf::internal {

/// Consecutive sequences of a text, scanned without the text before them. Rows are counted from 1
/// at the beginning of the block. So are keys that are numbers of rows or sequences.
struct ScannedBlock {
  /// Lifetime: `source` must outlive the block.
  explicit ScannedBlock(const ByteSource& source) noexcept : warnings(source) {}

  /// The counts of one sequence in one stream.
  struct Counts {
    std::int64_t stream = 0;
    StreamCounts of_stream;
  };

  /// Adds the counts of the next sequence in each stream.
  void add_counts(ChunkBuilder::Sequence& sequence, std::span<const StreamCounts> streams) {
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (streams[i] == StreamCounts()) continue;
      counts.push_back({static_cast<std::int64_t>(i), streams[i]});
    }
    sequence.counts_end = std::ssize(counts);
  }

  // Memory that is reused from block to block, because new pages cost more time than the scan.
  std::pmr::vector<ChunkBuilder::Sequence> sequences{&block_memory()};
  std::pmr::vector<Counts> counts{&block_memory()};  // of the streams that a sequence has
  std::int64_t row_count = 0;
  ScanWarnings warnings;
  std::optional<Chunk> chunk;  // all sequences, decoded; empty if they are not decoded
  DecodedSink::Kept kept;      // the decoded sequences, as the sink keeps them
};

}  // namespace sheaf::internal
