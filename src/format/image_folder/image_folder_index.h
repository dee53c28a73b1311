// The chunks of folders of images.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "sheaf/extend/index.h"
#include "sheaf/extend/packed_ints.h"

#include "format/image_folder/image_folder_options.h"
#include "format/image_folder/image_folder_scan.h"
#include "format/images/image_streams.h"
#include "index/recent_tables.h"

namespace sheaf::image_folder {

/// The images lie in an imaginary source, one after the other. The location of a sequence is the
/// file of its first image. A table is made on demand, and a megabyte of tables is kept.
///
/// Cost:    about 16 bytes for each chunk, and the memory of the scan.
/// Threads: as Index.
class ImageFolderIndex final : public Index {
 public:
  /// `pixels` has the costs of all images. If it is empty, the costs are bytes.
  ///
  /// Lifetime: `scan` must outlive the index.
  ImageFolderIndex(const FolderScan& scan, const ReadOptions& options,
                   const internal::ImageStreams& streams, PackedInts pixels);

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;
  [[nodiscard]] std::string source_name(std::int64_t source) const override {
    return scan_.file_path(source);
  }
  [[nodiscard]] std::int64_t memory_bytes() const override;
  [[nodiscard]] CostMeasure cost_measure() const override {
    return {.name = has_pixels_ ? "pixels" : "bytes"};
  }

  /// Returns the number of the first sequence of a chunk, counted across chunks.
  ///
  /// Pre: the chunk exists.
  [[nodiscard]] std::int64_t first_sequence(ChunkIndex chunk) const noexcept {
    return first_sequences_[static_cast<std::int64_t>(chunk)];
  }

  /// Returns the key of a sequence: the hash of its text, or its number.
  [[nodiscard]] SequenceKey key(std::int64_t sequence) const;

 private:
  class Cut;

  [[nodiscard]] SequenceTable table_of(ChunkIndex chunk) const;
  [[nodiscard]] std::int64_t pixel_count(std::int64_t sequence) const;

  const FolderScan& scan_;
  const bool has_text_keys_;
  const bool has_pixels_;
  const bool counts_frames_;  // the samples of a sequence are its images
  const PackedInts pixels_;
  PackedInts first_sequences_;  // of each chunk; then the end
  PackedInts offsets_bytes_;    // of each chunk; then the end
  PackedInts decoded_bytes_;    // of each chunk
  mutable std::mutex mutex_;
  mutable internal::RecentTables tables_{0};  // guarded by the mutex
};

}  // namespace sheaf::image_folder
