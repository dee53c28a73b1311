// The pixels of all images.

#pragma once

#include <cstdint>
#include <memory>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/packed_ints.h"

#include "format/image_folder/image_folder_scan.h"

namespace sheaf::image_folder {

/// Opens an image, and checks that the file has the size that was found before.
///
/// Throws: IoError.
[[nodiscard]] std::shared_ptr<const ByteSource> open_image(const FolderScan& scan,
                                                           std::int64_t image, FileSystem& files);

/// Reads how many pixels each image has; 0 where the header is wrong. The beginnings of 64 images
/// are read together, on each thread of `executor`, which may be null.
///
/// Throws: IoError where an image cannot be read.
[[nodiscard]] PackedInts pixel_counts(const FolderScan& scan, FileSystem& files, Executor* executor,
                                      std::int64_t read_size_bytes);

}  // namespace sheaf::image_folder
