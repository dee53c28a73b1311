/// \file
/// A part of data as a data set.

#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/open.h"
#include "sheaf/part.h"

#include "dataset/forwarded_index.h"

namespace sheaf::internal {

/// Numbers the chunks of a part from 0. Offsets and lines stay those of the file.
class PartIndex final : public ForwardedIndex {
 public:
  /// Finds all chunks of the data. If an error in the data hides the chunks behind it, the last
  /// part ends with this error.
  ///
  /// Lifetime: `index` must outlive the object.
  /// Throws:   as Index::chunk(), except DataError.
  PartIndex(const Index& index, const DataPart& part);

  /// Throws: as Index::chunk(); the DataError of the data also comes behind the last chunk found.
  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override {
    return index().sequences(in_whole(chunk));
  }
  [[nodiscard]] std::int64_t stored_size_bytes(ChunkIndex chunk) const override {
    return index().stored_size_bytes(in_whole(chunk));
  }
  [[nodiscard]] std::int64_t chunk_cost(ChunkIndex chunk) const override {
    return index().chunk_cost(in_whole(chunk));
  }
  [[nodiscard]] std::optional<std::int64_t> cut_length(ChunkIndex chunk,
                                                       std::int64_t sequence) const override {
    return ForwardedIndex::cut_length(in_whole(chunk), sequence);
  }

  /// Returns where the chunks of the part lie, without those behind an error.
  [[nodiscard]] const PartBytes& bytes() const noexcept { return bytes_; }

  /// Returns the number of a chunk in the whole data.
  [[nodiscard]] ChunkIndex in_whole(ChunkIndex chunk) const noexcept {
    return ChunkIndex{first_ + static_cast<std::int64_t>(chunk)};
  }

 private:
  std::int64_t first_ = 0;
  std::int64_t end_ = 0;
  PartBytes bytes_;
  std::exception_ptr error_;  // of the last part
};

/// The chunks of one part of data, in the order of the data.
///
/// Diagnostics refer to the files of the data. Warnings about the data as a whole belong to the
/// last part, so that all parts together have each warning once.
class PartData final : public Deserializer {
 public:
  /// Builds the index of the whole data with the threads of `executor`. Null means the calling
  /// thread.
  ///
  /// Throws: ConfigError for an impossible part and for a part of a mixture; IoError.
  PartData(std::shared_ptr<const Deserializer> whole, const DataPart& part, Executor* executor);

  [[nodiscard]] const DataPart& part() const noexcept { return part_; }
  [[nodiscard]] const std::shared_ptr<const Deserializer>& whole() const noexcept { return whole_; }
  [[nodiscard]] const PartBytes& bytes() const noexcept { return index_.bytes(); }

  [[nodiscard]] std::span<const Stream> streams() const noexcept override {
    return whole_->streams();
  }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override {
    return whole_->read({index_.in_whole(range.chunk), range.first, range.count}, diagnostics);
  }
  [[nodiscard]] Diagnostic location_of(ChunkIndex chunk, std::int64_t sequence,
                                       std::int64_t stream) const override {
    return whole_->location_of(index_.in_whole(chunk), sequence, stream);
  }
  [[nodiscard]] bool has_fast_random_access() const noexcept override {
    return whole_->has_fast_random_access();
  }
  void visit_named_files(const std::function<void(const std::string& path)>& visit) const override {
    whole_->visit_named_files(visit);
  }
  [[nodiscard]] std::vector<StorageNote> storage() const override { return whole_->storage(); }
  [[nodiscard]] CacheCounts cache_counts() const override { return whole_->cache_counts(); }
  [[nodiscard]] std::vector<Diagnostic> warnings() const override;

 private:
  const std::shared_ptr<const Deserializer> whole_;
  const DataPart part_;
  const PartIndex index_;
};

/// Returns the part that `data` are, or null if they are no part. Looks below transforms.
///
/// Lifetime: that of the data.
[[nodiscard]] const PartData* part_in(const Deserializer& data) noexcept;

}  // namespace sheaf::internal
