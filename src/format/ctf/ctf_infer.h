// Streams found in a file.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/byte_source.h"
#include "sheaf/diagnostic.h"
#include "sheaf/format.h"

#include "format/ctf/ctf_schema.h"

namespace sheaf::ctf {

/// A sample that says something of its stream: how many values it has, and where it is.
struct Evidence {
  std::int64_t value_count = 0;
  Diagnostic place;  // without what is expected and found

  friend bool operator==(const Evidence&, const Evidence&) = default;
};

/// What the samples of one name look like. Wrong values are no evidence.
struct FoundStream {
  std::string name;
  std::optional<Evidence> numbers;  // the first dense sample
  std::optional<Evidence> other;    // the first dense one of another width
  std::optional<Evidence> pairs;    // the first sparse one
  std::int64_t width_max = 0;
  std::int64_t index_max = -1;

  friend bool operator==(const FoundStream&, const FoundStream&) = default;
};

/// What was found in a file. Which streams the options declare plays no part in it.
struct FoundStreams {
  std::string how;                   // as found_how() has it
  std::vector<FoundStream> streams;  // in the order of their first samples

  friend bool operator==(const FoundStreams&, const FoundStreams&) = default;
};

/// Those options, as text, that make a difference to what is found.
[[nodiscard]] std::string found_how(const ByteSource& source, const FormatOptions& options);

/// Look for streams in a file.
///
/// Threads: reads the file on options.executor, if there is one.
/// Throws:  IoError.
[[nodiscard]] FoundStreams find_streams(const ByteSource& source, const FormatOptions& options,
                                        const Beginning& beginning);

/// The streams of the options with every dim; where the options have no streams, those of the file,
/// in the order of their first samples. A dense stream is as wide as its samples, a sparse one has
/// one more than its largest index. `file` is what messages call it.
///
/// Throws: DataError where samples contradict each other, showing both; ConfigError where there is
///         nothing to find a dim in.
[[nodiscard]] std::vector<StreamOptions> infer_streams(const FoundStreams& found,
                                                       const FormatOptions& options,
                                                       std::string_view file);

}  // namespace sheaf::ctf
