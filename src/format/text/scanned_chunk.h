// From text to chunks of sequences, without their values: what the scanners of formats give.

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

/// What indexing and reading a text need to know of the options, whatever the format.
struct TextSchema {
  std::vector<Stream> streams;
  std::int64_t defining_stream = -1;  // the one that defines the minibatch size, or -1
  std::int64_t chunk_size_bytes = 0;
  std::int64_t read_size_bytes = 0;
  std::int64_t row_size_max_bytes = RowReader::kAnySize;
  std::int64_t table_size_max_bytes =
      RowReader::kAnySize;                // of what is known of a chunk's sequences
  char delimiter = RowReader::kNoQuotes;  // of cells that may be quoted
  bool fills_up = false;                  // a dense sample may have more values than its text has
  bool has_text_keys = false;
  bool may_drop = false;   // the format leaves out sequences, which count for the size of chunks
  bool has_costs = false;  // each sequence has a cost other than its bytes of text
};

/// The longest row that is read where an index has so much memory (0: no limit): as much, since
/// that is what stays free while a text is scanned; but any row of about a megabyte.
[[nodiscard]] std::int64_t row_size_max(std::int64_t memory_limit_bytes,
                                        std::int64_t read_size_bytes) noexcept;

/// The most that is noted of the sequences of a chunk: half of it, since to note it and to write it
/// down takes twice as much; but as much as any run has room for.
[[nodiscard]] std::int64_t table_size_max(std::int64_t memory_limit_bytes) noexcept;

/// Of row_size_max(), what a scan may take beyond the buffer that every scan has.
[[nodiscard]] std::int64_t long_row_bytes(std::int64_t memory_limit_bytes) noexcept;

struct ScannedBlock;

/// A part of a file to scan.
struct ScanPart {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t first_line = 1;
  std::int64_t first_column = 1;    // where in its line the first row begins
  std::int64_t first_sequence = 0;  // how many sequences of the file lie before it
  std::int64_t chunk_size_bytes = 0;
  ScannedBlock* block = nullptr;  // not null: takes all that is found, and there are no chunks
};

/// Puts sequences together to chunks. A chunk is closed when the next sequence would make it longer
/// than the options ask; a single longer one has its own.
class ChunkBuilder {
 public:
  struct Sequence {
    SequenceKey key;
    std::int64_t offset = 0;  // in the source
    std::int64_t end = 0;
    std::int64_t line = 0;
    std::int64_t sample_count = 0;
    std::int64_t key_text_size = 0;
    std::int64_t counts_end = 0;  // of a block: behind its counts
    std::int64_t cost = 0;        // where the schema has costs
  };

  /// Chunks of at most so many bytes.
  ///
  /// Lifetime: `schema` must outlive it.
  ChunkBuilder(const TextSchema& schema, std::int64_t chunk_size_bytes);

  /// Chunks, or what goes to the block, as `part` asks.
  ///
  /// Lifetime: `schema`, and the block, must outlive it.
  ChunkBuilder(const TextSchema& schema, const ScanPart& part);

  /// Append a sequence with what it holds of each stream. Returns the chunk before it where it
  /// begins the next one.
  ///
  /// Throws: ConfigError where the chunk has more sequences than there is memory for.
  std::optional<ScannedChunk> add(const Sequence& sequence, std::span<const StreamCounts> streams);

  /// The chunk under way; nothing where it is empty.
  std::optional<ScannedChunk> finish();

 private:
  [[nodiscard]] std::int64_t decoded_size_bytes() const;
  void count_noted(const Sequence& sequence);

  const TextSchema& schema_;
  std::int64_t chunk_size_bytes_;
  ScannedBlock* block_ = nullptr;
  ChunkInfo chunk_;
  std::int64_t key_texts_size_ = 0;  // in memory
  std::int64_t noted_bytes_ = 0;     // of the table, at most
  std::uint64_t last_key_ = 0;
  std::uint64_t last_rise_ = 0;
  std::int64_t last_offset_ = 0;
  std::int64_t last_size_ = 0;
  SequenceTable::Builder table_;
  std::vector<StreamCounts> streams_;
};

}  // namespace sheaf::internal
