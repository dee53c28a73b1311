// Finds the dims of a file.

#pragma once

#include <string>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/format.h"

#include "format/libsvm/libsvm_schema.h"
#include "format/text/scan_notes.h"

namespace sheaf::libsvm {

/// Returns whether a dim must be found in the data. A dense label always has one value.
[[nodiscard]] bool needs_dims(const FormatOptions& options);

/// Returns the options that affect the dims found, as text.
[[nodiscard]] std::string found_how(const ByteSource& source, const FormatOptions& options);

/// Finds the largest label and the largest index of a file: `index_max` of the two streams.
///
/// Threads: reads the file on `executor`, if there is one.
/// Throws:  IoError.
[[nodiscard]] internal::FoundStreams find_dims(const ByteSource& source,
                                               const FormatOptions& options,
                                               const Beginning& beginning,
                                               Executor* executor = nullptr);

/// Returns the streams of the options, each with its dim. If the options have no streams, returns
/// `label` (dense) and `features` (sparse). A dim is as small as the data allow.
[[nodiscard]] std::vector<StreamOptions> infer_streams(const internal::FoundStreams& found,
                                                       const FormatOptions& options);

}  // namespace sheaf::libsvm
