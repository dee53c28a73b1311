// The index in a container.

#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "sheaf/extend/index.h"

#include "format/sheaf/container_file.h"
#include "format/sheaf/container_schema.h"

namespace sheaf::container {

/// The chunks lie in an imaginary source that holds the content of all sequences, one after the
/// other. So the units of a chunk are its blocks, whatever codecs they use.
///
/// Threads: as Index.
class ContainerIndex final : public Index {
 public:
  /// `memory_limit_bytes` limits the tables that are kept; 0 means no limit.
  ///
  /// Lifetime: file and schema must outlive the index.
  ContainerIndex(const ContainerFile& file, const ContainerSchema& schema,
                 std::int64_t memory_limit_bytes) noexcept;

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;

  /// Throws: DataError if the table is damaged; IoError.
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;

  /// The sum over all chunks is the size of the file: the first chunk counts the head, and the last
  /// one counts directory and foot.
  [[nodiscard]] std::int64_t stored_size_bytes(ChunkIndex chunk) const override;

  [[nodiscard]] std::int64_t memory_bytes() const override;
  [[nodiscard]] CostMeasure cost_measure() const override;

  /// Returns the table of a chunk in the file.
  ///
  /// Throws: as sequences().
  [[nodiscard]] std::shared_ptr<const ChunkTable> table(ChunkIndex chunk) const;

 private:
  struct Tables {
    std::shared_ptr<const ChunkTable> table;
    std::shared_ptr<const SequenceTable> sequences;  // with the keys to deliver
    std::int64_t bytes = 0;
  };

  struct KeptTables {
    Tables tables;
    std::list<std::int64_t>::iterator entry;  // in recent_
  };

  [[nodiscard]] Tables tables(ChunkIndex chunk) const;
  [[nodiscard]] Tables read_tables(std::int64_t chunk) const;
  [[nodiscard]] std::int64_t decoded_size_bytes(const ChunkEntry& entry) const;

  const ContainerFile& file_;
  const ContainerSchema& schema_;
  const std::int64_t table_bytes_max_;

  mutable std::mutex mutex_;
  mutable std::unordered_map<std::int64_t, KeptTables> kept_;  // under mutex_, as the next
  mutable std::list<std::int64_t> recent_;                     // most recently used first
  mutable std::int64_t table_bytes_ = 0;
};

}  // namespace sheaf::container
