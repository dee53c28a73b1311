// The notes of an index file about a scanned text as a whole.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"

namespace sheaf::internal {

/// A sample that shows something about its stream: its number of values and its location.
struct Evidence {
  std::int64_t value_count = 0;
  Diagnostic location;  // without `expected` and `found`

  friend bool operator==(const Evidence&, const Evidence&) = default;
};

/// The samples found under one name. Wrong values are not evidence.
struct FoundStream {
  std::string name;
  std::optional<Evidence> numbers = {};  // the first dense sample
  std::optional<Evidence> other = {};    // the first dense one of another width
  std::optional<Evidence> pairs = {};    // the first sparse one
  std::optional<Evidence> beyond = {};   // the first with an index too large for any dim; not kept
  std::optional<Evidence> texts = {};    // the first text, in formats with texts
  std::int64_t width_max = 0;
  std::int64_t index_max = -1;
  std::int64_t value_types = 0;  // bits that the format defines, if the scan finds types

  friend bool operator==(const FoundStream&, const FoundStream&) = default;
};

/// The streams found in a file, independent of the streams that the options declare.
struct FoundStreams {
  std::string how;                   // the options that affect the result, as text
  std::vector<FoundStream> streams;  // in the order of their first samples

  friend bool operator==(const FoundStreams&, const FoundStreams&) = default;
};

/// A data set that keeps the streams found in its file.
class FoundInside {
 public:
  virtual ~FoundInside() = default;

  /// Returns nothing if the file was not searched for streams.
  [[nodiscard]] virtual const std::optional<FoundStreams>& found() const noexcept = 0;
};

/// The notes of an index file about a text, besides the chunks.
struct FileNotes {
  std::vector<Diagnostic> warnings;   // of the scan
  std::optional<FoundStreams> found;  // nothing if the file was not searched for streams

  friend bool operator==(const FileNotes&, const FileNotes&) = default;
};

/// Returns the notes as JSON. The JSON holds no paths, since files are copied.
[[nodiscard]] std::string to_json(const FileNotes& notes);

/// Reads the JSON of to_json(), and puts `path` into each diagnostic. Returns nothing if the JSON
/// is not valid.
[[nodiscard]] std::optional<FileNotes> file_notes_from_json(std::string_view json,
                                                            std::string_view path);

}  // namespace sheaf::internal
