// Which files are compressed, and how.

#pragma once

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/compressed.h"

namespace sheaf::internal {

/// Returns how a file is compressed, where its name and its first bytes agree.
///
/// Throws: IoError if they do not agree; it says what to do.
[[nodiscard]] Compression recognized_compression(const ByteSource& source);

}  // namespace sheaf::internal
