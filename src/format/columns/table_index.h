// The chunks of a table, and the rows of each.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/arrow_data.h"
#include "sheaf/extend/context.h"
#include "sheaf/extend/index.h"

#include "format/columns/batch_cache.h"
#include "format/columns/column_decoder.h"
#include "format/columns/column_streams.h"
#include "format/columns/table_index_file.h"
#include "index/recent_tables.h"

namespace sheaf::columns {

/// The rows of one batch that make a chunk.
struct RowsOfBatch {
  std::int64_t batch = 0;
  std::int64_t first = 0;      // in the batch
  std::int64_t first_row = 0;  // in the table
  std::int64_t count = 0;
};

/// Each batch is a chunk. A batch larger than the chunk size is cut if its parts can be read. The
/// lengths of a chunk's rows are read on demand, from an index file that fits or else from the
/// table.
///
/// Cost:    48 bytes for each chunk, and 40 more once its lengths are known.
/// Threads: as Index.
class TableIndex final : public Index {
 public:
  /// `identity` holds the options that change the contents of the index. If lengths cost as much as
  /// values, they come from `cache`, which keeps the columns for the values; null: no such cache.
  ///
  /// Lifetime: the cache must outlive the index.
  /// Throws: ConfigError if an index file is required and none fits.
  TableIndex(std::shared_ptr<const ArrowBatches> batches, const TableStreams& streams,
             const FormatOptions& options, const Context& context = {}, std::string identity = {},
             const BatchCache* cache = nullptr);

  /// Throws, as do the next ones: DataError if a key is wrong; IoError.
  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;
  [[nodiscard]] std::int64_t memory_bytes() const override;
  [[nodiscard]] bool reads_parts() const noexcept override { return batches_->reads_parts(); }

  [[nodiscard]] std::int64_t chunk_count() const noexcept { return std::ssize(rows_); }

  /// Returns whether lengths come from an index file.
  [[nodiscard]] bool has_file() const noexcept { return file_ && file_->is_used(); }

  /// Takes the lengths of a chunk from its batch, so that the batch need not be read again.
  ///
  /// Pre:    the chunk exists; `batch` has all rows, and the columns of the streams in their order,
  ///         and then the column of the keys.
  /// Throws: as chunk().
  void take(ChunkIndex chunk, const ArrowArray& batch) const;

  /// Returns the warnings about the index file.
  [[nodiscard]] std::vector<Diagnostic> warnings() const {
    return file_ ? file_->warnings() : std::vector<Diagnostic>();
  }

  /// Pre: the chunk exists.
  [[nodiscard]] const RowsOfBatch& rows(ChunkIndex chunk) const noexcept {
    return rows_[static_cast<std::size_t>(chunk)];
  }

 private:
  /// The lengths of a chunk.
  struct Sizes {
    std::int64_t sample_count = -1;  // -1 if not read
    std::int64_t decoded_size_bytes = 0;
  };

  [[nodiscard]] bool is_known(const StreamColumn& column, const RowsOfBatch& rows) const;
  [[nodiscard]] ChunkInfo location_of(ChunkIndex chunk) const;
  [[nodiscard]] std::shared_ptr<const SequenceTable> read_table(ChunkIndex chunk) const;
  [[nodiscard]] internal::IndexRecord read_record(ChunkIndex chunk) const;
  [[nodiscard]] internal::IndexRecord read_record_from_cache(ChunkIndex chunk) const;
  [[nodiscard]] internal::IndexRecord record_of(ChunkIndex chunk,
                                                std::span<const ArrowArray* const> columns,
                                                std::int64_t first, std::int64_t first_key) const;
  std::shared_ptr<const SequenceTable> keep(ChunkIndex chunk,
                                            const internal::IndexRecord& record) const;

  const std::shared_ptr<const ArrowBatches> batches_;
  const TableStreams& streams_;
  const BatchCache* const cache_;  // null: lengths are read alone
  std::vector<RowsOfBatch> rows_;
  std::unique_ptr<TableIndexFile> file_;  // null if the table has none

  mutable std::mutex mutex_;
  mutable std::vector<Sizes> sizes_;
  mutable internal::RecentTables recent_;
};

}  // namespace sheaf::columns
