// The sequences of a set of shards.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/index.h"

#include "format/webdataset/webdataset_options.h"
#include "format/webdataset/webdataset_scan.h"

namespace sheaf::webdataset {

/// The shards of a data set, in their order.
using Shards = std::vector<std::shared_ptr<const ByteSource>>;

/// The chunks of a set of shards. A chunk is a part of one shard.
///
/// The shards lie in an imaginary source, one after the other. If there are several shards, the
/// location of a sequence is the shard and the offset of the sequence's first header.
///
/// Cost:    about 25 bytes for each sequence.
/// Threads: as Index.
class ShardIndex final : public Index {
 public:
  /// Lifetime: `shards` must outlive the index.
  /// Throws:   DataError if no sequence is left.
  ShardIndex(const Shards& shards, std::span<const ShardScan> scans, const ReadOptions& options,
             std::span<const EntryStream> streams);

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override {
    return chunks_.chunk(chunk);
  }
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override {
    return chunks_.sequences(chunk);
  }
  [[nodiscard]] std::string source_name(std::int64_t source) const override;
  [[nodiscard]] std::int64_t memory_bytes() const override;
  [[nodiscard]] CostMeasure cost_measure() const override { return chunks_.cost_measure(); }

  /// A range of the bytes of one shard.
  struct Part {
    const ByteSource* shard = nullptr;
    std::int64_t begin_bytes = 0;
    std::int64_t end_bytes = 0;
  };

  /// Returns the bytes of the sequences [first, last) of a chunk.
  ///
  /// Pre: the sequences exist, and first < last.
  [[nodiscard]] Part part_of(ChunkIndex chunk, std::int64_t first, std::int64_t last) const;

  /// Returns whether an earlier sequence has the same key.
  ///
  /// Pre: the sequence exists.
  [[nodiscard]] bool is_repeated(ChunkIndex chunk, std::int64_t sequence) const noexcept;

  /// Returns the number of sequences that are left out because they lack the stream that defines
  /// the minibatch size.
  [[nodiscard]] std::int64_t dropped_count() const noexcept { return dropped_count_; }

 private:
  class Builder;

  const Shards& shards_;
  MemoryIndex chunks_;
  std::vector<std::int64_t> shard_begins_;    // in the imaginary source
  std::vector<std::int64_t> first_sequence_;  // of each chunk, counted across chunks
  std::vector<std::int64_t> repeated_;        // counted in the same way; ascending
  std::int64_t dropped_count_ = 0;
};

}  // namespace sheaf::webdataset
