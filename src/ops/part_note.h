/// \file
/// The note in a part of a conversion: everything that merge() needs to join the parts.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sheaf/convert.h"
#include "sheaf/extend/format.h"
#include "sheaf/part.h"

namespace sheaf::internal {

struct PartNote {
  DataPart part = {};
  std::string source = {};    // the fingerprint of the whole data
  std::string selected = {};  // the selection of sequences as text
  std::string file = {};      // the name of the SplitPart; empty if the data are not split

  // Describe the file that merge() writes.
  std::string format = {};
  std::int64_t chunk_size_bytes = 0;
  std::map<std::string, std::string> options = {};  // of the format

  /// The numbers, in ascending order, of the chunks that do not end a chunk of the input.
  std::vector<std::int64_t> open_chunks = {};

  /// Returns, as text, all fields that must be equal in all parts of one file. The part number and
  /// the chunks do not belong to these fields.
  [[nodiscard]] std::string shared() const;
};

/// Returns the format in which parts are written.
[[nodiscard]] const Format& part_format();

/// Returns the note for the part that a conversion writes.
///
/// Throws: ConfigError if the data are not a part, or if an option is not available for parts.
[[nodiscard]] PartNote part_note_of(const Deserializer& data, const std::string& path,
                                    const ConvertOptions& options);

/// Returns the note as JSON. The format itself adds the chunks.
[[nodiscard]] std::string to_json(const PartNote& note);

/// Returns the JSON of a note with its PartNote::file replaced.
[[nodiscard]] std::string with_file(const std::string& json, const std::string& file);

/// Parses the JSON of a note. Returns nothing if the text is not a note.
[[nodiscard]] std::optional<PartNote> part_note_of(const std::string& json);

}  // namespace sheaf::internal
