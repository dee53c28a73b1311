// Streams found in a file.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/format.h"

#include "format/ctf/ctf_schema.h"
#include "format/text/scan_notes.h"

namespace sheaf::ctf {

using internal::Evidence;
using internal::FoundStream;
using internal::FoundStreams;

/// Those options, as text, that make a difference to what is found.
[[nodiscard]] std::string found_how(const ByteSource& source, const FormatOptions& options);

/// Look for streams in a file.
///
/// Threads: reads the file on `executor`, if there is one.
/// Throws:  IoError.
[[nodiscard]] FoundStreams find_streams(const ByteSource& source, const FormatOptions& options,
                                        const Beginning& beginning, Executor* executor = nullptr);

/// Refuse a file in which find_streams() found no name.
///
/// Pre:    the file has a row with data, as `beginning` says.
/// Throws: NoStreamFound, at the first row with data; IoError.
[[noreturn]] void throw_no_stream(const ByteSource& source, const FormatOptions& options,
                                  const Beginning& beginning);

/// The streams of the options with every dim; where the options have no streams, those of the file,
/// in the order of their first samples. A dense stream is as wide as its samples, a sparse one has
/// one more than its largest index. `file` is what messages call it.
///
/// Pre:    a stream was found, or every stream has a dim.
/// Throws: DataError where samples contradict each other, showing both; NoDimFound where there is
///         nothing to find a dim in.
[[nodiscard]] std::vector<StreamOptions> infer_streams(const FoundStreams& found,
                                                       const FormatOptions& options,
                                                       std::string_view file);

}  // namespace sheaf::ctf
