// Reads the names of classes from a file.

#pragma once

#include <string>
#include <vector>

#include "sheaf/extend/byte_source.h"

namespace sheaf::image_folder {

/// Returns the names in a file with one name in each line. Skips blank lines.
///
/// Throws: DataError with the line of a repeated name, and if there is no name; IoError.
[[nodiscard]] std::vector<std::string> read_class_names(const ByteSource& source);

}  // namespace sheaf::image_folder
