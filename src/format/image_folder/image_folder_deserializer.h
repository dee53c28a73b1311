// Folders of images as a data set.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/format.h"

#include "format/image_folder/image_folder_index.h"
#include "format/image_folder/image_folder_options.h"
#include "format/image_folder/image_folder_range.h"
#include "format/image_folder/image_folder_scan.h"
#include "format/images/image_streams.h"

namespace sheaf::image_folder {

class ImageFolderDeserializer final : public Deserializer {
 public:
  /// Walks over the folders in the paths of a request.
  ///
  /// Throws: ConfigError, DataError, IoError as read_options_of(), streams_of(), scan_folders() and
  ///         kept_pixels(); DataError if images have no class, or classes other than the requested
  ///         ones.
  explicit ImageFolderDeserializer(const OpenRequest& request);

  [[nodiscard]] std::span<const Stream> streams() const noexcept override {
    return streams_.streams;
  }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  [[nodiscard]] Diagnostic location_of(ChunkIndex chunk, std::int64_t sequence,
                                       std::int64_t stream) const override;
  [[nodiscard]] bool has_fast_random_access() const noexcept override {
    return has_fast_random_access_;
  }
  void visit_named_files(const std::function<void(const std::string& path)>& visit) const override;
  [[nodiscard]] std::vector<Diagnostic> warnings() const override;

 private:
  [[nodiscard]] RangeSource range_source() const;

  const ReadOptions options_;
  FileSystem& files_;
  const FolderScan scan_;
  const internal::ImageStreams streams_;
  std::vector<Diagnostic> index_warnings_;  // filled while the index is built
  const ImageFolderIndex index_;
  bool has_fast_random_access_ = false;
};

}  // namespace sheaf::image_folder
