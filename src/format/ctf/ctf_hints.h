// Hints about common mistakes in CTF.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sheaf/extend/format.h"
#include "sheaf/types.h"

#include "format/ctf/ctf_errors.h"
#include "format/ctf/ctf_rows.h"
#include "format/text/scan_notes.h"

namespace sheaf::ctf {

/// Suggests what went wrong at `location` of a row and what to do. Returns an empty text if there
/// is no specific hint.
[[nodiscard]] std::string hint_for(const ErrorKind& kind, const Row& row, const char* location,
                                   const Stream* stream);

/// Returns the hint for a first row that has neither an id nor a "|" at `location`.
[[nodiscard]] std::string no_id_hint(const Row& row, const char* location, bool has_text_keys);

/// Returns the hint for a file that names no stream. `row` is the first row with data.
[[nodiscard]] std::string no_stream_hint(const Row& row);

/// Returns the hint for a stream that a sequence lacks. The sequence may have the stream under one
/// of the `others`, which the options do not declare. `whose` names the owner of the others.
[[nodiscard]] std::string missing_stream_hint(std::string_view name,
                                              std::span<const std::string> others,
                                              std::string_view whose = "the sequence");

/// Returns the same hint when all streams of the file are known.
[[nodiscard]] std::string missing_stream_hint(std::string_view name,
                                              const internal::FoundStreams& found);

/// Lists the names of a file's streams and suggests the one nearest to `name`: `"features",
/// "label"; did you mean "label"?`.
[[nodiscard]] std::string names_and_nearest(std::string_view name,
                                            std::span<const std::string> names);

}  // namespace sheaf::ctf
