// Finds the streams of a file.

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

/// Returns the options that affect the streams found, as text.
[[nodiscard]] std::string found_how(const ByteSource& source, const FormatOptions& options);

/// Finds the streams of a file.
///
/// Threads: reads the file on `executor`, if there is one.
/// Throws:  IoError.
[[nodiscard]] FoundStreams find_streams(const ByteSource& source, const FormatOptions& options,
                                        const Beginning& beginning, Executor* executor = nullptr);

/// Refuses a file in which find_streams() found no name.
///
/// Pre:    the file has a row with data, as `beginning` says.
/// Throws: NoStreamFound, at the first row with data; IoError.
[[noreturn]] void throw_no_stream(const ByteSource& source, const FormatOptions& options,
                                  const Beginning& beginning);

/// Returns the streams of the options, each with its dim. If the options have no streams, returns
/// the streams of the file in the order of their first samples. The dim of a dense stream is the
/// width of its samples. The dim of a sparse stream is one more than its largest index. `file` is
/// the name of the file in messages.
///
/// Pre:    a stream was found, or every stream has a dim.
/// Throws: DataError that shows two samples that contradict each other; NoDimFound if no sample
///         shows a dim.
[[nodiscard]] std::vector<StreamOptions> infer_streams(const FoundStreams& found,
                                                       const FormatOptions& options,
                                                       std::string_view file);

}  // namespace sheaf::ctf
