// Scans a text in blocks, many blocks at a time.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/decoded_sink.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/index.h"

#include "format/text/scanned_block.h"
#include "format/text/scanned_chunk.h"

namespace sheaf::internal {

/// The parts of a format that BlockScan needs.
struct BlockFormat {
  /// What the key of a sequence counts in texts without keys.
  enum class Numbers : std::uint8_t { none, rows, sequences };

  const TextSchema* schema = nullptr;
  Numbers key_numbers = Numbers::none;

  /// Returns the offset of the first sequence that certainly begins in [from, to), no matter what
  /// text precedes `from`. Returns `to` if there is none.
  std::function<std::int64_t(std::int64_t from, std::int64_t to)> find_start;

  /// Scans [part.begin, part.end). Also decodes the sequences if `decodes` is set and none is
  /// wrong.
  std::function<ScannedBlock(const ScanPart& part, bool decodes)> read;
};

/// Scans a text block by block on many threads. The chunks are the same as in a scan from the
/// beginning.
class BlockScan {
 public:
  /// The size of a block, in reads, when memory is not limited.
  static constexpr std::int64_t kReadsPerBlock = 2;

  /// Passes each chunk to `take`, in order, from one thread at a time. `memory_limit_bytes` bounds
  /// the notes about blocks that are scanned at the same time; 0 means no limit.
  ///
  /// Lifetime: the arguments must outlive the scan.
  BlockScan(const BlockFormat& format, const ScanPart& rows, const ByteSource& source,
            std::function<void(ScannedChunk)> take, std::int64_t memory_limit_bytes = 0);

  /// Scans the whole text on the threads of `executor`. Decodes the sequences for `sink` unless
  /// `sink` is null.
  ///
  /// Throws: the exceptions of reading, `take` and `sink`.
  void run(Executor& executor, DecodedSink* sink);

  [[nodiscard]] const ScanWarnings& warnings() const noexcept { return warnings_; }

  /// Returns all sequences, in order. Each range lies in one block and one chunk.
  [[nodiscard]] std::vector<DecodedRange> take_ranges() noexcept { return std::move(ranges_); }

 private:
  [[nodiscard]] std::vector<std::int64_t> cut(Executor& executor, std::int64_t size_max) const;
  void merge(std::int64_t number, ScannedBlock block);
  void add(ScannedBlock block);
  void end_range(const ScannedBlock& block, std::int64_t count);

  const BlockFormat& format_;
  const ScanPart rows_;
  std::function<void(ScannedChunk)> take_;
  const std::int64_t text_at_once_bytes_;  // 0 means the whole text

  std::mutex mutex_;
  std::map<std::int64_t, ScannedBlock> waiting_;  // by number; under mutex_, as the next two
  std::int64_t next_block_ = 0;                   // the next block to merge
  bool is_merging_ = false;                       // a thread is merging; it owns the members below

  ChunkBuilder builder_;
  ScanWarnings warnings_;
  std::int64_t lines_before_;
  std::int64_t sequences_before_ = 0;
  std::int64_t chunk_ = 0;            // the chunk being filled
  std::int64_t chunk_sequences_ = 0;  // its sequences so far
  std::vector<DecodedRange> ranges_;
  std::vector<StreamCounts> counts_;  // [stream]: the counts of one sequence
};

}  // namespace sheaf::internal
