/// \file
/// A file system with one more file: a source that is already open.

#pragma once

#include <memory>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"

namespace sheaf::cli {

/// Returns the files of the system and `source`, which opens by its name. Standard input needs
/// this, because its bytes can be read only once.
[[nodiscard]] std::unique_ptr<FileSystem> given_source(std::shared_ptr<const ByteSource> source);

}  // namespace sheaf::cli
