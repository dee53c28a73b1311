// What an index file keeps of CTF, as numbers and text.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"

#include "format/ctf/ctf_infer.h"
#include "format/ctf/ctf_scanner.h"

namespace sheaf::ctf {

[[nodiscard]] std::vector<std::int64_t> to_numbers(const ChunkNotes& notes);

/// Throws: InternalError where these are not numbers of to_numbers().
[[nodiscard]] ChunkNotes notes_from_numbers(const std::vector<std::int64_t>& numbers);

/// What an index file keeps of CTF besides the chunks.
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

}  // namespace sheaf::ctf
