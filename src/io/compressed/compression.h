// Recognizes compressed files.

#pragma once

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/compressed.h"

namespace sheaf::internal {

/// Returns the compression of a file, as its first bytes show. Unless `by_content` is set, its name
/// must agree.
///
/// Throws: IoError if name and bytes disagree, and for a compression that the library does not
///         read. The text says what to do.
[[nodiscard]] Compression recognized_compression(const ByteSource& source, bool by_content = false);

}  // namespace sheaf::internal
