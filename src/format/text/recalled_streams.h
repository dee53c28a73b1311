// The streams of a text, from the index file of an earlier run.

#pragma once

#include <functional>
#include <string_view>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/index_file.h"

#include "format/text/scan_notes.h"

namespace sheaf::internal {

/// Returns the streams of a source whose fingerprint is `data`, looked for as `how` says. They come
/// from the index file where the file has them, so that the data are not read for them again;
/// otherwise from `find`.
///
/// Throws: ConfigError where an index file is required and does not have them; what `find` throws.
[[nodiscard]] FoundStreams recall_or_find_streams(const ByteSource& source, const Fingerprint& data,
                                                  const IndexOptions& options, FileSystem& files,
                                                  std::string_view how,
                                                  const std::function<FoundStreams()>& find);

}  // namespace sheaf::internal
