// Dims found in a file.

#pragma once

#include <string>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/format.h"

#include "format/libsvm/libsvm_schema.h"
#include "format/text/scan_notes.h"

namespace sheaf::libsvm {

/// Whether a dim has to be found in the data: a dense label has one value, whatever they are.
[[nodiscard]] bool needs_dims(const FormatOptions& options);

/// Those options, as text, that make a difference to what is found.
[[nodiscard]] std::string found_how(const ByteSource& source, const FormatOptions& options);

/// Look for the largest label and the largest index of a file: `index_max` of the two streams.
///
/// Threads: reads the file on `executor`, if there is one.
/// Throws:  IoError.
[[nodiscard]] internal::FoundStreams find_dims(const ByteSource& source,
                                               const FormatOptions& options,
                                               const Beginning& beginning,
                                               Executor* executor = nullptr);

/// The streams of the options with every dim; where the options have no streams, `label` (dense)
/// and `features` (sparse). A dim is as small as the data allow.
[[nodiscard]] std::vector<StreamOptions> infer_streams(const internal::FoundStreams& found,
                                                       const FormatOptions& options);

}  // namespace sheaf::libsvm
