// Reads the pixel counts of all images.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/file_system.h"

#include "format/image_folder/image_folder_scan.h"

namespace sheaf::image_folder {

/// Opens an image, and checks that the file still has the size that the scan found.
///
/// Throws: IoError.
[[nodiscard]] std::shared_ptr<const ByteSource> open_image(const FolderScan& scan,
                                                           std::int64_t image, FileSystem& files);

/// Consecutive images.
struct ImageRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Returns the number of pixels of each image in a range, or 0 if the header is wrong. Each thread
/// of `executor`, which may be null, reads the beginnings of 64 images together.
///
/// Throws: IoError if an image cannot be read.
[[nodiscard]] std::vector<std::int64_t> pixel_counts(const FolderScan& scan, ImageRange images,
                                                     FileSystem& files, Executor* executor,
                                                     std::int64_t read_size_bytes);

}  // namespace sheaf::image_folder
