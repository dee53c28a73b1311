// Reads a range of the images of a chunk.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/buffer.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/counts.h"
#include "sheaf/extend/file_system.h"

#include "format/image_folder/image_folder_index.h"
#include "format/image_folder/image_folder_options.h"
#include "format/image_folder/image_folder_scan.h"
#include "format/images/image_columns.h"
#include "format/images/image_streams.h"

namespace sheaf::image_folder {

/// What a range is read from.
struct RangeSource {
  const FolderScan& scan;
  const ImageFolderIndex& index;
  const internal::ImageStreams& streams;
  const ReadOptions& options;
  FileSystem& files;

  /// Returns the key of an image as the user sees the key.
  [[nodiscard]] std::string shown_key(std::int64_t image) const;
};

/// One range of a chunk, used once.
class RangeReader {
 public:
  RangeReader(const RangeSource& source, const ChunkRange& range, Diagnostics& diagnostics);

  /// Throws: IoError, also where a file is gone, or has another size than it had before.
  [[nodiscard]] Chunk read();

 private:
  void find_images();
  void add_fault(std::int64_t image);
  [[nodiscard]] Buffer read_images() const;

  const RangeSource& source_;
  const ChunkRange range_;
  Diagnostics& diagnostics_;
  std::int64_t first_ = 0;  // image
  std::int64_t count_ = 0;
  std::vector<internal::ImageSequence> sequences_;
};

}  // namespace sheaf::image_folder
