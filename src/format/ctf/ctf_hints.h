// Mistakes that people really make, in plain words.

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

/// What probably went wrong at a wrong place of a row, and what to do; empty where nothing special
/// comes to mind.
[[nodiscard]] std::string hint_for(const ErrorKind& kind, const Row& row, const char* place,
                                   const Stream* stream);

/// What to do about a first row that has neither an id nor a "|" at `place`.
[[nodiscard]] std::string no_id_hint(const Row& row, const char* place, bool has_text_keys);

/// What to do about a file that names no stream; `row` is the first one with data.
[[nodiscard]] std::string no_stream_hint(const Row& row);

/// What to do about a stream that a sequence lacks. The sequence may have the stream under one of
/// the `others`, which nobody asked for. `whose` names what has those.
[[nodiscard]] std::string missing_stream_hint(std::string_view name,
                                              std::span<const std::string> others,
                                              std::string_view whose = "the sequence");

/// The same where all streams of the file are known.
[[nodiscard]] std::string missing_stream_hint(std::string_view name,
                                              const internal::FoundStreams& found);

/// The names of a file's streams, and the one that is nearest to `name`:
/// `"features", "label"; did you mean "label"?`.
[[nodiscard]] std::string names_and_nearest(std::string_view name,
                                            std::span<const std::string> names);

}  // namespace sheaf::ctf
