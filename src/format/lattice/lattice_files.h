// The files that a table of contents, or a list of tables, names.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"

namespace sheaf::lattice {

/// Opens a file that another file names. A relative path begins at the working directory, or else
/// at the folder of the other file. Returns null where neither folder has the file.
///
/// Throws: IoError, but not where there is no such file.
[[nodiscard]] std::shared_ptr<const ByteSource> open_named_file(std::string_view path,
                                                                const ByteSource& named_in,
                                                                FileSystem& files);

}  // namespace sheaf::lattice
