/// \file
/// A source that is open already, as a file.

#pragma once

#include <memory>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"

namespace sheaf::cli {

/// Returns the files of the system, and a source, which is opened by its name: standard input,
/// whose bytes are there only once.
[[nodiscard]] std::unique_ptr<FileSystem> given_source(std::shared_ptr<const ByteSource> source);

}  // namespace sheaf::cli
