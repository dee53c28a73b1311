// The checked options of a JSON Lines file, in the form that indexing and reading need.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"
#include "sheaf/types.h"

#include "format/jsonl/jsonl_line.h"
#include "format/text/scanned_chunk.h"

namespace sheaf::jsonl {

/// The kind of keys: the numbers of lines, or the values of a field.
enum class KeyMode : std::uint8_t { lines, numbers, texts };

struct Schema : internal::TextSchema {
  std::vector<std::string> names;                            // [stream]: its name in the file
  std::map<std::string, std::int64_t, std::less<>> numbers;  // of streams, by name in the file
  KeyMode key_mode = KeyMode::lines;
  std::string key_field;  // empty if lines have no keys
  bool allows_missing = false;
  bool warns_of_unknown = true;

  /// Returns the number of the stream with this name in the file, or -1 if there is none.
  [[nodiscard]] std::int64_t stream_of(std::string_view name) const noexcept {
    if (names.size() > kFewNames) {
      const auto found = numbers.find(name);
      return found == numbers.end() ? -1 : found->second;
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return static_cast<std::int64_t>(i);
    }
    return -1;
  }

 private:
  static constexpr std::size_t kFewNames = 12;
};

/// Where the lines of a file begin, and the kind of their keys.
struct Beginning {
  std::int64_t offset = 0;  // after the byte order mark, if there is one
  KeyMode key_mode = KeyMode::lines;
};

/// Checks the options that do not depend on the data.
///
/// Throws: ConfigError that names the option or stream.
void check_options(const FormatOptions& options);

/// Returns whether the type or the dim of a stream, or all streams, must be found in the data.
[[nodiscard]] bool needs_streams(const FormatOptions& options);

/// Checks the options with all their streams.
///
/// Throws: ConfigError that names the option or stream.
[[nodiscard]] Schema make_schema(const FormatOptions& options, const Beginning& beginning);

/// Reads a file up to its first line with data. If lines have keys and the options leave their kind
/// open, reads up to the first line with the key.
///
/// Throws: DataError if there is no line, if the first line is not an object, or if the file is
///         UTF-16; IoError.
[[nodiscard]] Beginning find_beginning(const ByteSource& source, const FormatOptions& options);

/// The key of a line.
///
/// Lifetime: as Line::fields().
struct LineKey {
  SequenceKey key = {};  // for a wrong key: 2^64-1, or the key of the empty text
  std::string text = {};
  const ErrorKind* wrong = nullptr;
  const Field* field = nullptr;  // null if the line has no key
};

/// Returns the key of a line. `line` is null if the row is not an object. Then errors of the key
/// are not reported.
[[nodiscard]] LineKey key_of(const Row& row, const Line* line, const Schema& schema);

/// Returns the key in a field. Keys of lines must not be the numbers of lines.
[[nodiscard]] LineKey key_in(const Field& field, const Schema& schema);

}  // namespace sheaf::jsonl
