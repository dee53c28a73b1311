// The pixels of all images.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/file_system.h"

#include "format/image_folder/image_folder_scan.h"

namespace sheaf::image_folder {

/// Opens an image, and checks that the file has the size that was found before.
///
/// Throws: IoError.
[[nodiscard]] std::shared_ptr<const ByteSource> open_image(const FolderScan& scan,
                                                           std::int64_t image, FileSystem& files);

/// Some images that follow each other.
struct ImageRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Reads how many pixels each image of a range has; 0 where the header is wrong. The beginnings of
/// 64 images are read together, on each thread of `executor`, which may be null.
///
/// Throws: IoError where an image cannot be read.
[[nodiscard]] std::vector<std::int64_t> pixel_counts(const FolderScan& scan, ImageRange images,
                                                     FileSystem& files, Executor* executor,
                                                     std::int64_t read_size_bytes);

}  // namespace sheaf::image_folder
