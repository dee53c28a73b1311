// Which files are compressed, and how.

#pragma once

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/compressed.h"

namespace sheaf::internal {

/// Returns how a file is compressed: what its first bytes say, which its name has to say as well
/// unless `by_content` is set.
///
/// Throws: IoError where name and bytes do not agree, and for a compression that the library does
///         not read. The text says what to do.
[[nodiscard]] Compression recognized_compression(const ByteSource& source, bool by_content = false);

}  // namespace sheaf::internal
