// Chunks of sequences without values, as the scanners of text formats return them.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/index.h"
#include "sheaf/types.h"

#include "format/text/row_reader.h"
#include "index/chunk_finder.h"

namespace sheaf::internal {

/// The options that indexing and reading a text need, for any text format.
struct TextSchema {
  std::vector<Stream> streams;
  std::int64_t defining_stream = -1;  // the stream that defines the minibatch size, or -1
  std::int64_t chunk_size_bytes = 0;
  std::int64_t read_size_bytes = 0;
  std::int64_t row_size_max_bytes = RowReader::kAnySize;
  std::int64_t table_size_max_bytes = RowReader::kAnySize;  // of the table of a chunk's sequences
  char delimiter = RowReader::kNoQuotes;                    // separates cells that may be quoted
  bool fills_up = false;  // a dense sample may have more values than its text
  bool has_text_keys = false;
  bool may_drop = false;   // leaves out sequences, whose bytes count for the chunk's size
  bool has_costs = false;  // each sequence has a cost other than its bytes
};

/// Returns the size of the longest row for an index with this memory limit (0 means no limit). The
/// size is the limit itself, because a scan needs little other memory, but at least about a
/// megabyte.
[[nodiscard]] std::int64_t row_size_max(std::int64_t memory_limit_bytes,
                                        std::int64_t read_size_bytes) noexcept;

/// Returns the largest size of the table of a chunk's sequences. The size is half of the limit,
/// because making the table and writing it takes twice its size, but at least the memory that any
/// run has.
[[nodiscard]] std::int64_t table_size_max(std::int64_t memory_limit_bytes) noexcept;

/// Returns the part of row_size_max() that a scan may use beyond the buffer that every scan has.
[[nodiscard]] std::int64_t long_row_bytes(std::int64_t memory_limit_bytes) noexcept;

struct ScannedBlock;

/// A part of a file to scan.
struct ScanPart {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t first_line = 1;
  std::int64_t first_column = 1;    // column of the first row in its line
  std::int64_t first_sequence = 0;  // number of sequences in the file before this part
  std::int64_t chunk_size_bytes = 0;
  ScannedBlock* block = nullptr;  // takes all sequences instead of chunks; may be null
};

/// Puts sequences into chunks. A chunk is closed when the next sequence would make it larger than
/// the options ask. A single larger sequence has its own chunk.
class ChunkBuilder {
 public:
  struct Sequence {
    SequenceKey key;
    std::int64_t offset = 0;  // in the source
    std::int64_t end = 0;
    std::int64_t line = 0;
    std::int64_t sample_count = 0;
    std::int64_t key_text_size = 0;
    std::int64_t counts_end = 0;  // of a block: the end of the sequence's counts
    std::int64_t cost = 0;        // if the schema has costs
  };

  /// Builds chunks of at most `chunk_size_bytes`.
  ///
  /// Lifetime: `schema` must outlive the builder.
  ChunkBuilder(const TextSchema& schema, std::int64_t chunk_size_bytes);

  /// Builds chunks, or passes the sequences to the block of `part`.
  ///
  /// Lifetime: `schema` and the block must outlive the builder.
  ChunkBuilder(const TextSchema& schema, const ScanPart& part);

  /// Appends a sequence with its counts in each stream. Returns the previous chunk if the sequence
  /// begins a new one.
  ///
  /// Throws: ConfigError if the chunk has more sequences than the memory limit allows.
  std::optional<ScannedChunk> add(const Sequence& sequence, std::span<const StreamCounts> streams);

  /// Returns the chunk being filled, or nothing if it is empty.
  std::optional<ScannedChunk> finish();

 private:
  [[nodiscard]] std::int64_t decoded_size_bytes() const;
  void count_noted(const Sequence& sequence);

  const TextSchema& schema_;
  std::int64_t chunk_size_bytes_;
  ScannedBlock* block_ = nullptr;
  ChunkInfo chunk_;
  std::int64_t key_texts_size_ = 0;  // in memory
  std::int64_t noted_bytes_ = 0;     // largest size of the table so far
  std::uint64_t last_key_ = 0;
  std::uint64_t last_rise_ = 0;
  std::int64_t last_offset_ = 0;
  std::int64_t last_size_ = 0;
  SequenceTable::Builder table_;
  std::vector<StreamCounts> streams_;
};

}  // namespace sheaf::internal
