// The text that describes a container: its streams, and how columns are stored.

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

/// The sizes of all arrays of one kind and one codec.
struct StoredSizes {
  std::int64_t array_count = 0;
  std::int64_t content_bytes = 0;
  std::int64_t stored_bytes = 0;
};

/// Keyed by the number of the column in a block, the kind of array and the codec.
using StorageSummary = std::map<std::tuple<std::int64_t, ArrayKind, Codec>, StoredSizes>;

struct ContainerNote {
  bool has_text_keys = false;  // a block then begins with the column of the keys
  std::vector<Stream> streams = {};
  StorageSummary storage = {};
  std::string cost_name = {};  // what costs measure; empty if tables have none: version 1
  std::string part = {};       // a JSON object; empty if the file is not a part for merge()

  [[nodiscard]] bool has_costs() const noexcept { return !cost_name.empty(); }

  /// Returns the number of the column of the first stream.
  [[nodiscard]] std::int64_t first_stream() const noexcept { return has_text_keys ? 1 : 0; }
  [[nodiscard]] std::int64_t column_count() const noexcept {
    return first_stream() + std::ssize(streams);
  }

  /// Returns the stream of a column, or null for the column of the keys.
  [[nodiscard]] const Stream* stream_of(std::int64_t column) const noexcept {
    return column < first_stream() ? nullptr
                                   : &streams[static_cast<std::size_t>(column - first_stream())];
  }
};

[[nodiscard]] std::string to_json(const ContainerNote& note);

/// Returns the part of the note that describes the content and not its storage, for fingerprints.
[[nodiscard]] std::string content_of(const ContainerNote& note);

/// Returns a note, or nothing if the text is not a note.
[[nodiscard]] std::optional<ContainerNote> note_of(std::string_view json);

}  // namespace sheaf::container
