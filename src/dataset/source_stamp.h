/// \file
/// When the files of data were last changed.

#pragma once

#include <optional>
#include <string>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/spec.h"

namespace sheaf::internal {

/// Returns a text that differs where one of the files of open data was changed: a file that the
/// spec says, or one that these name. Returns nothing where the file system does not say when. A
/// file in an archive changes with the archive. A missing file counts, too: the text changes when
/// the file comes.
///
/// Throws: IoError.
/// Cost:   a call of the file system for each file.
[[nodiscard]] std::optional<std::string> source_stamp(const DataSpec& spec,
                                                      const Deserializer& data, FileSystem& files);

}  // namespace sheaf::internal
