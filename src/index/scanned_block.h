// What lies in a block of a text: sequences that are not in chunks yet.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sheaf/byte_source.h"
#include "sheaf/chunk.h"

#include "index/scan_warnings.h"
#include "index/scanned_chunk.h"

namespace sheaf::internal {

/// Consecutive sequences of a text, found without a look at what stands before them. Rows are
/// counted from 1 at the block's beginning, and so are keys that are numbers of rows or sequences.
struct ScannedBlock {
  /// Lifetime: `source` must outlive it.
  explicit ScannedBlock(const ByteSource& source) noexcept : warnings(source) {}

  std::vector<ChunkBuilder::Sequence> sequences;
  std::vector<StreamCounts> counts;  // [sequence, stream]
  std::int64_t row_count = 0;
  ScanWarnings warnings;
  std::shared_ptr<const Chunk> chunk;  // all of them, decoded; null: they are not
};

}  // namespace sheaf::internal
