// Streams found in a file.

#pragma once

#include <vector>

#include "sheaf/byte_source.h"
#include "sheaf/format.h"

#include "format/ctf/ctf_schema.h"

namespace sheaf::ctf {

/// The streams of the options with every dim; where the options have no streams, those of the file,
/// in the order of their first samples. A dense stream is as wide as its samples, a sparse one has
/// one more than its largest index. Wrong values are no evidence.
///
/// Threads: reads the file on options.executor, if there is one.
/// Throws:  DataError where samples contradict each other, showing both; ConfigError where there is
///          nothing to find a dim in; IoError.
[[nodiscard]] std::vector<StreamOptions> infer_streams(const ByteSource& source,
                                                       const FormatOptions& options,
                                                       const Beginning& beginning);

}  // namespace sheaf::ctf
