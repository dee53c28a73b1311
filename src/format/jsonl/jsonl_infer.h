// Finds the streams of a file.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/format.h"

#include "format/jsonl/jsonl_schema.h"
#include "format/text/scan_notes.h"

namespace sheaf::jsonl {

/// Returns the options that affect the streams found, as text.
[[nodiscard]] std::string found_how(const ByteSource& source, const FormatOptions& options);

/// Examines the fields of a file, except for the key.
///
/// Threads: reads the file on `executor`, if there is one.
/// Throws:  IoError; ConfigError for a file with more names than fit the memory.
[[nodiscard]] internal::FoundStreams find_streams(const ByteSource& source,
                                                  const FormatOptions& options,
                                                  const Beginning& beginning,
                                                  Executor* executor = nullptr);

/// Returns the streams of the options, each with its type and dim. If the options have no streams,
/// returns the fields that can be streams, in the order of their first values.
///
/// Throws: DataError if the values of a field contradict each other; ConfigError if a stream is not
///         found.
[[nodiscard]] std::vector<StreamOptions> infer_streams(const internal::FoundStreams& found,
                                                       const FormatOptions& options,
                                                       std::string_view file);

/// Throws: NoStreamFound, at the first line.
[[noreturn]] void throw_no_stream(const ByteSource& source, const FormatOptions& options,
                                  const Beginning& beginning);

}  // namespace sheaf::jsonl
