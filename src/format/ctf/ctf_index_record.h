// What an index file keeps of CTF, as numbers and text.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"

#include "format/ctf/ctf_scanner.h"

namespace sheaf::ctf {

[[nodiscard]] std::vector<std::int64_t> to_numbers(const ChunkNotes& notes);

/// Throws: InternalError where these are not numbers of to_numbers().
[[nodiscard]] ChunkNotes notes_from_numbers(const std::vector<std::int64_t>& numbers);

/// Warnings as JSON, and back. Their path is left out: files are copied.
[[nodiscard]] std::string to_json(const std::vector<Diagnostic>& warnings);
[[nodiscard]] std::vector<Diagnostic> warnings_from_json(std::string_view json,
                                                         std::string_view path);

}  // namespace sheaf::ctf
