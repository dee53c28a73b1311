/// \file
/// What a part of a conversion says of itself, so that merge() can put parts together.

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
  std::string selected = {};  // which sequences are selected, as text
  std::string file = {};      // the name of the SplitPart; empty where data are not divided

  // Of the file that merge() writes.
  std::string format = {};
  std::int64_t chunk_size_bytes = 0;
  std::map<std::string, std::string> options = {};  // of the format

  /// Numbers of the chunks that do not end a chunk of the input, rising.
  std::vector<std::int64_t> open_chunks = {};

  /// Returns what all parts of one file share, as text: everything but the number and the chunks.
  [[nodiscard]] std::string shared() const;
};

/// Returns the format of parts.
[[nodiscard]] const Format& part_format();

/// Returns the note of the parts that a conversion writes.
///
/// Throws: ConfigError where the data are no part, and for options that parts cannot have.
[[nodiscard]] PartNote part_note_of(const Deserializer& data, const std::string& path,
                                    const ConvertOptions& options);

/// Returns a note as JSON, without the chunks: the format writes these.
[[nodiscard]] std::string to_json(const PartNote& note);

/// Returns the JSON of a note with another PartNote::file.
[[nodiscard]] std::string with_file(const std::string& json, const std::string& file);

/// Returns the note of a JSON text; nothing where the text is no such note.
[[nodiscard]] std::optional<PartNote> part_note_of(const std::string& json);

}  // namespace sheaf::internal
