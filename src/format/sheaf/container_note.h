// What a container says of itself as text: its streams, and how columns are stored.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sheaf/types.h"

#include "format/sheaf/array_codec.h"
#include "format/sheaf/column_arrays.h"

namespace sheaf::container {

/// What arrays of one kind and one codec take.
struct StoredSizes {
  std::int64_t array_count = 0;
  std::int64_t content_bytes = 0;
  std::int64_t stored_bytes = 0;
};

/// By the number of the column in a block, the array and the codec.
using StorageSummary = std::map<std::tuple<std::int64_t, ArrayKind, Codec>, StoredSizes>;

struct ContainerNote {
  bool has_text_keys = false;  // then a block begins with the column of the keys
  std::vector<Stream> streams = {};
  StorageSummary storage = {};
  std::string part = {};  // a JSON object; empty where the file is no part for merge()

  /// Returns the number of the column of the first stream.
  [[nodiscard]] std::int64_t first_stream() const noexcept { return has_text_keys ? 1 : 0; }
  [[nodiscard]] std::int64_t column_count() const noexcept {
    return first_stream() + std::ssize(streams);
  }

  /// Returns the stream of a column; null for the column of the keys.
  [[nodiscard]] const Stream* stream_of(std::int64_t column) const noexcept {
    return column < first_stream() ? nullptr
                                   : &streams[static_cast<std::size_t>(column - first_stream())];
  }
};

[[nodiscard]] std::string to_json(const ContainerNote& note);

/// Returns the part of the note that says what is in the file, and not how: for fingerprints.
[[nodiscard]] std::string content_of(const ContainerNote& note);

/// Returns a note; nothing where the text is no note.
[[nodiscard]] std::optional<ContainerNote> note_of(std::string_view json);

}  // namespace sheaf::container
