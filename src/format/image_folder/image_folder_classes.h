// The names of classes, from a file.

#pragma once

#include <string>
#include <vector>

#include "sheaf/extend/byte_source.h"

namespace sheaf::image_folder {

/// Returns the names of a file with a name in each line. Blank lines are passed over.
///
/// Throws: DataError with the line where a name comes twice, and where there is no name; IoError.
[[nodiscard]] std::vector<std::string> read_class_names(const ByteSource& source);

}  // namespace sheaf::image_folder
