// The pixels of the images of a root, kept in an index file beside the root.

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

/// How headers are read, and how index files are used.
struct PixelUse {
  FileSystem* files = nullptr;   // not null
  Executor* executor = nullptr;  // may be null
  std::int64_t read_size_bytes = std::int64_t{1} << 20;
  IndexOptions index = {};
  std::int64_t write_min_bytes = std::int64_t{16} << 20;  // smaller roots have no index file
};

/// Returns how many pixels each image has. The counts of a root come from its index file; where
/// there is none that fits, the headers are read, and the file is written where the options ask for
/// one. Appends warnings about index files.
///
/// Throws: as pixel_counts(); ConfigError where the options require an index file and no file fits;
///         IoError where an index file is damaged.
[[nodiscard]] PackedInts kept_pixels(const FolderScan& scan, const PixelUse& use,
                                     std::vector<Diagnostic>& warnings);

}  // namespace sheaf::image_folder
