// Gets the streams of a text from the index file of an earlier run.

#pragma once

#include <functional>
#include <string_view>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/index_file.h"

#include "format/text/scan_notes.h"

namespace sheaf::internal {

/// Returns the streams of the source with the fingerprint `data`. The streams come from the index
/// file if that has them for the same `how`, so that the data need not be read again. Otherwise
/// they come from `find`.
///
/// Throws: ConfigError if an index file is required and lacks the streams; the exceptions of
///         `find`.
[[nodiscard]] FoundStreams recall_or_find_streams(const ByteSource& source, const Fingerprint& data,
                                                  const IndexOptions& options, FileSystem& files,
                                                  std::string_view how,
                                                  const std::function<FoundStreams()>& find);

}  // namespace sheaf::internal
