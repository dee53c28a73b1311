// What lies in a block of a text: sequences that are not in chunks yet.

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

/// Consecutive sequences of a text, found without a look at what stands before them. Rows are
/// counted from 1 at the block's beginning, and so are keys that are numbers of rows or sequences.
struct ScannedBlock {
  /// Lifetime: `source` must outlive it.
  explicit ScannedBlock(const ByteSource& source) noexcept : warnings(source) {}

  /// What a sequence holds of a stream.
  struct Counts {
    std::int64_t stream = 0;
    StreamCounts of_stream;
  };

  /// Note what a sequence, the one behind those noted so far, holds of each stream.
  void add_counts(ChunkBuilder::Sequence& sequence, std::span<const StreamCounts> streams) {
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (streams[i] == StreamCounts()) continue;
      counts.push_back({static_cast<std::int64_t>(i), streams[i]});
    }
    sequence.counts_end = std::ssize(counts);
  }

  // Memory that is used again, block after block: new pages take longer than the scan.
  std::pmr::vector<ChunkBuilder::Sequence> sequences{&block_memory()};
  std::pmr::vector<Counts> counts{&block_memory()};  // of the streams that each sequence has
  std::int64_t row_count = 0;
  ScanWarnings warnings;
  std::optional<Chunk> chunk;  // all of them, decoded; empty: they are not
  DecodedSink::Kept kept;      // the same, as the sink keeps them
};

}  // namespace sheaf::internal
