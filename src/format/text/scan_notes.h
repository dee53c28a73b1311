// What an index file keeps of a scanned text as a whole.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"

namespace sheaf::internal {

/// A sample that says something of its stream: how many values it has, and where it is.
struct Evidence {
  std::int64_t value_count = 0;
  Diagnostic place;  // without what is expected and found

  friend bool operator==(const Evidence&, const Evidence&) = default;
};

/// What the samples of one name look like. Wrong values are no evidence.
struct FoundStream {
  std::string name;
  std::optional<Evidence> numbers = {};  // the first dense sample
  std::optional<Evidence> other = {};    // the first dense one of another width
  std::optional<Evidence> pairs = {};    // the first sparse one
  std::optional<Evidence> beyond = {};   // the first with an index that no dim has; not kept
  std::optional<Evidence> texts = {};    // the first text, in formats that have texts
  std::int64_t width_max = 0;
  std::int64_t index_max = -1;
  std::int64_t value_types = 0;  // bits of the format, where types are found

  friend bool operator==(const FoundStream&, const FoundStream&) = default;
};

/// What was found in a file. Which streams the options declare plays no part in it.
struct FoundStreams {
  std::string how;                   // the options, as text, that make a difference to it
  std::vector<FoundStream> streams;  // in the order of their first samples

  friend bool operator==(const FoundStreams&, const FoundStreams&) = default;
};

/// A data set that keeps what was found in its file.
class FoundInside {
 public:
  virtual ~FoundInside() = default;

  /// Returns nothing where nobody looked for streams.
  [[nodiscard]] virtual const std::optional<FoundStreams>& found() const noexcept = 0;
};

/// What an index file keeps of a text besides the chunks.
struct FileNotes {
  std::vector<Diagnostic> warnings;   // of the scan
  std::optional<FoundStreams> found;  // nothing where nobody looked for streams

  friend bool operator==(const FileNotes&, const FileNotes&) = default;
};

/// As JSON, without paths: files are copied.
[[nodiscard]] std::string to_json(const FileNotes& notes);

/// And back, with `path` as that of all; nothing where this is no such JSON.
[[nodiscard]] std::optional<FileNotes> file_notes_from_json(std::string_view json,
                                                            std::string_view path);

}  // namespace sheaf::internal
