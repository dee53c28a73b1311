// Keeps the pixels of a root's images in an index file beside the root.

#pragma once

#include <cstdint>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/index_file.h"
#include "sheaf/extend/packed_ints.h"

#include "format/image_folder/image_folder_scan.h"

namespace sheaf::image_folder {

/// How to read headers and use index files.
struct PixelUse {
  FileSystem* files = nullptr;   // not null
  Executor* executor = nullptr;  // may be null
  std::int64_t read_size_bytes = std::int64_t{1} << 20;
  IndexOptions index = {};
  std::int64_t write_min_bytes = std::int64_t{16} << 20;  // smaller roots get no index file
};

/// Returns the number of pixels of each image. The numbers of a root come from its index file. If
/// none fits, reads the headers, and writes the file if the options ask for one. Appends warnings
/// about index files.
///
/// Throws: as pixel_counts(); ConfigError if the options require an index file and none fits;
///         IoError if an index file is damaged.
[[nodiscard]] PackedInts kept_pixels(const FolderScan& scan, const PixelUse& use,
                                     std::vector<Diagnostic>& warnings);

}  // namespace sheaf::image_folder
