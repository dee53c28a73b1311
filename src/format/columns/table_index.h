// The chunks of a table, and the rows of each.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "sheaf/extend/arrow_data.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/index.h"

#include "format/columns/column_streams.h"
#include "index/recent_tables.h"

namespace sheaf::columns {

/// Rows of one batch that are a chunk.
struct RowsOfBatch {
  std::int64_t batch = 0;
  std::int64_t first = 0;      // in the batch
  std::int64_t first_row = 0;  // in the table
  std::int64_t count = 0;
};

/// A batch is a chunk. A batch larger than the chunk size is cut, where its parts can be read. The
/// lengths of the rows of a chunk are read when the chunk is asked for.
///
/// Cost:    48 bytes for each chunk, and 40 more once its lengths are known.
/// Threads: as Index.
class TableIndex final : public Index {
 public:
  TableIndex(std::shared_ptr<const ArrowBatches> batches, const TableStreams& streams,
             const FormatOptions& options);

  /// Throws: DataError where a key is wrong, here and below; IoError.
  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;
  [[nodiscard]] std::int64_t memory_bytes() const override;

  /// Reads the lengths of all chunks with the threads of `executor`.
  void build(Executor& executor) const;

  /// Pre: the chunk exists.
  [[nodiscard]] const RowsOfBatch& rows(ChunkIndex chunk) const noexcept {
    return rows_[static_cast<std::size_t>(chunk)];
  }

 private:
  /// What reading the lengths of a chunk finds.
  struct Sizes {
    std::int64_t sample_count = -1;  // -1: not read
    std::int64_t decoded_size_bytes = 0;
  };

  [[nodiscard]] std::shared_ptr<const SequenceTable> read_table(ChunkIndex chunk) const;

  const std::shared_ptr<const ArrowBatches> batches_;
  const TableStreams& streams_;
  std::vector<RowsOfBatch> rows_;

  mutable std::mutex mutex_;
  mutable std::vector<Sizes> sizes_;
  mutable internal::RecentTables recent_;
};

}  // namespace sheaf::columns
