// A text that is scanned in blocks, many at once.

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

/// What a format says of its texts so that they can be scanned in blocks.
struct BlockFormat {
  /// What keys are where rows have none.
  enum class Numbers : std::uint8_t { none, rows, sequences };

  const TextSchema* schema = nullptr;
  Numbers key_numbers = Numbers::none;

  /// The first sequence that begins in [from, to), for certain, whatever stands before `from`;
  /// `to` where there is none.
  std::function<std::int64_t(std::int64_t from, std::int64_t to)> find_start;

  /// Scan [part.begin, part.end), and decode it where that is asked for and nothing is wrong there.
  std::function<ScannedBlock(const ScanPart& part, bool decodes)> read;
};

/// Scans a text block by block, on many threads, and puts the sequences together to chunks as a
/// scan from its beginning does.
class BlockScan {
 public:
  /// Blocks are about as large as so many reads, where memory is no matter.
  static constexpr std::int64_t kReadsPerBlock = 2;

  /// Each chunk goes to `take`, in order, from one thread at a time. What is noted of
  /// blocks takes little at once where the index has so much memory (0: no limit).
  ///
  /// Lifetime: the arguments must outlive it.
  BlockScan(const BlockFormat& format, const ScanPart& rows, const ByteSource& source,
            std::function<void(ScannedChunk)> take, std::int64_t memory_limit_bytes = 0);

  /// Scans all, with threads of `executor`. Decodes the sequences for `sink`, where it is not null.
  ///
  /// Throws: what reading, `take` and `sink` throw.
  void run(Executor& executor, DecodedSink* sink);

  [[nodiscard]] const ScanWarnings& warnings() const noexcept { return warnings_; }

  /// All sequences, in order. Each range is of one block and one chunk.
  [[nodiscard]] std::vector<DecodedRange> take_ranges() noexcept { return std::move(ranges_); }

 private:
  [[nodiscard]] std::vector<std::int64_t> cut(Executor& executor, std::int64_t size_max) const;
  void merge(std::int64_t number, ScannedBlock block);
  void add(ScannedBlock block);
  void end_range(const ScannedBlock& block, std::int64_t count);

  const BlockFormat& format_;
  const ScanPart rows_;
  std::function<void(ScannedChunk)> take_;
  const std::int64_t text_at_once_bytes_;  // 0: all of it

  std::mutex mutex_;
  std::map<std::int64_t, ScannedBlock> waiting_;  // under the mutex, by number, as the two below
  std::int64_t next_block_ = 0;                   // to be merged
  bool is_merging_ = false;                       // by some thread, which the rest belongs to

  ChunkBuilder builder_;
  ScanWarnings warnings_;
  std::int64_t lines_before_;
  std::int64_t sequences_before_ = 0;
  std::int64_t chunk_ = 0;            // under way
  std::int64_t chunk_sequences_ = 0;  // in it so far
  std::vector<DecodedRange> ranges_;
  std::vector<StreamCounts> counts_;  // [stream]: of a sequence
};

}  // namespace sheaf::internal
