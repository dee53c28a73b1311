/// \file
/// The modification times of the files of data.

#pragma once

#include <optional>
#include <string>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/spec.h"

namespace sheaf::internal {

/// Returns a text that changes whenever one of the files of open data changes: files named in the
/// spec, and files that these name. Returns nothing if the file system does not tell modification
/// times. A file in an archive changes with the archive. If a missing file appears, the text
/// changes, too.
///
/// Throws: IoError.
/// Cost:   one call of the file system for each file.
[[nodiscard]] std::optional<std::string> source_stamp(const DataSpec& spec,
                                                      const Deserializer& data, FileSystem& files);

}  // namespace sheaf::internal
